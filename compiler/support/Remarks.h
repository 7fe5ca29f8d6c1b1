//===- Remarks.h - why the compiler did what it did ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage says what it did, or left undone, and why, where it decides: by MLIR's optimization remarks, which
// cost nothing where nobody listens. `dlc compile --remarks` and `dlc inspect --why` listen.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_REMARKS_H
#define DLC_COMPILER_SUPPORT_REMARKS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace dlc::remarks {

/// The stages that give remarks, as `--remarks` names them, in the order in which they run.
inline constexpr llvm::StringLiteral raise = "raise", layout = "layout", fuse = "fuse", schedule = "schedule",
                                     plan = "plan";
inline constexpr llvm::StringLiteral stages[] = {raise, layout, fuse, schedule, plan};

/// Whether somebody listens: asked before work that only a remark needs.
inline bool areWanted(mlir::Operation *op) { return op->getContext()->getRemarkEngine() != nullptr; }

/// Begins a remark on something that was done, at `op`'s nodes. The text and the numbers in it
/// (mlir::remark::metric) follow by <<, as the rest of a sentence without a full stop. `subject`: the kernel
/// that it is about; by default, the operation's own symbol or that of the nearest one around it.
mlir::remark::detail::InFlightRemark done(mlir::Operation *op, llvm::StringRef stage, llvm::StringRef name,
                                          llvm::StringRef subject = "");
/// A remark about something that might have been done, and was not.
mlir::remark::detail::InFlightRemark missed(mlir::Operation *op, llvm::StringRef stage, llvm::StringRef name,
                                            llvm::StringRef subject = "");

/// A remark as a listener keeps it.
struct Said {
  std::string stage, name;        ///< "schedule" and "tile"
  std::string subject;            ///< the kernel, the function or the parameter that it is about
  std::vector<std::string> nodes; ///< of the model
  bool isMissed = false;
  std::string text;
  std::vector<std::pair<std::string, std::string>> numbers; ///< by name, in the order of the text

  bool operator==(const Said &other) const {
    return stage == other.stage && subject == other.subject && nodes == other.nodes && text == other.text;
  }
};

/// Listens to a context's remarks for as long as it lives.
class Listener {
public:
  /// To those of the stages named.
  Listener(mlir::MLIRContext &context, llvm::ArrayRef<std::string> stages);
  ~Listener();
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;

  /// In the order in which they were said, each once.
  const std::vector<Said> &said() const { return *all; }

private:
  mlir::MLIRContext &context;
  std::shared_ptr<std::vector<Said>> all;
};

} // namespace dlc::remarks

#endif // DLC_COMPILER_SUPPORT_REMARKS_H
