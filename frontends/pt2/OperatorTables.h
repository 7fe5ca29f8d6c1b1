//===- OperatorTables.h - which import belongs to which operator -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each file of operators/ has a table of the operators that it imports.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_OPERATORTABLES_H
#define DLC_FRONTENDS_PT2_OPERATORTABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace dlc::pt2 {

class Node;

/// Whether a result may share its numbers with the first argument, so that a write to one is seen in the
/// other.
enum class Sharing {
  Never,
  View,      ///< it may
  WhereEqual ///< it may where both are one value here: nothing was dropped, no dtype changed
};

/// An operator by its name in torch.ops, without overload where all of them are the same to dlc.
struct Operator {
  const char *name; ///< "aten.linear.default", or "aten.linear" for all overloads
  void (*import)(Node &);
  const char *arguments; ///< names of all that it knows
  Sharing sharing = Sharing::Never;
};

#define FAMILY(Name) llvm::ArrayRef<Operator> operatorsOf##Name();
#include "frontends/pt2/Operators.inc"

/// All of them.
llvm::ArrayRef<llvm::ArrayRef<Operator>> operatorTables();

/// What there is for "aten.add_.Tensor": the operator of that name, or the one without the underscore, whose
/// result then takes the place of its first argument. Null where there is none.
const Operator *findOperator(llvm::StringRef target, bool &isInPlace);

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_OPERATORTABLES_H
