//===- Schedule.cpp - how kernels run on CPUs ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/cpu/Schedule.h"
#include "compiler/machine/cpu/CallForm.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dlc::cpu;

/// A list of numbers in brackets, as the value of a field beside others.
static void printNumbers(AsmPrinter &printer, ArrayRef<int64_t> numbers) {
  printer << '[';
  llvm::interleaveComma(numbers, printer);
  printer << ']';
}

static ParseResult parseNumbers(AsmParser &parser, SmallVector<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(numbers.emplace_back()); });
}

#include "compiler/machine/cpu/CpuDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/machine/cpu/CpuAttrs.cpp.inc"

void CpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/machine/cpu/CpuAttrs.cpp.inc"
      >();
}

LogicalResult ScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Attribute form,
                                   int64_t lanes, ArrayRef<SplitAttr> split, int64_t scratch,
                                   ArrayRef<int64_t> inplace) {
  if (!isa<ContractionAttr, ColumnsAttr, RowsAttr, ScatterAttr, TransposeAttr, StepsAttr>(form) &&
      form != StringAttr::get(form.getContext(), callForm))
    return emitError()
           << "expects a contraction, columns, rows, a scatter, a transpose, a call or steps as form, "
              "got "
           << form;
  if (lanes < 1 || scratch < 0)
    return emitError() << "expects at least one lane and no negative scratch, got lanes = " << lanes
                       << ", scratch = " << scratch;
  for (auto [number, cut] : llvm::enumerate(split)) {
    if (cut.getLoop() < 0 || cut.getSize() < 1 || cut.getChunks() < 1)
      return emitError() << "expects a loop to split into chunks of at least one iteration, got loop "
                         << cut.getLoop() << " in " << cut.getChunks() << " chunks of " << cut.getSize();
    for (SplitAttr other : split.take_front(number))
      if (other.getLoop() == cut.getLoop())
        return emitError() << "expects each loop to be split once, got loop " << cut.getLoop() << " twice";
  }
  if (inplace.size() % 2)
    return emitError() << "expects pairs in inplace, got " << inplace.size() << " numbers";
  return success();
}

ContractionAttr ScheduleAttr::contraction() const { return dyn_cast<ContractionAttr>(getForm()); }
ColumnsAttr ScheduleAttr::columns() const { return dyn_cast<ColumnsAttr>(getForm()); }
RowsAttr ScheduleAttr::rows() const { return dyn_cast<RowsAttr>(getForm()); }
ScatterAttr ScheduleAttr::scatter() const { return dyn_cast<ScatterAttr>(getForm()); }
StepsAttr ScheduleAttr::steps() const { return dyn_cast<StepsAttr>(getForm()); }

ArrayRef<int64_t> ScheduleAttr::inplace() const { return getInplace(); }
int64_t ScheduleAttr::scratchBytes() const { return getScratch(); }
int64_t ScheduleAttr::chunks() const {
  int64_t chunks = 1;
  for (SplitAttr split : getSplit())
    chunks *= split.getChunks();
  return chunks;
}

SplitAttr ScheduleAttr::splitOf(int64_t loop) const {
  auto found = llvm::find_if(getSplit(), [&](SplitAttr split) { return split.getLoop() == loop; });
  return found == getSplit().end() ? SplitAttr() : *found;
}

bool ScheduleAttr::addsPairs() const {
  if (StepsAttr form = steps())
    return llvm::any_of(form.getSteps(), [](ScheduleAttr step) { return step.addsPairs(); });
  return contraction() && contraction().getReduction().addsPairs();
}

bool ScheduleAttr::usesAmx() const {
  if (StepsAttr form = steps())
    return llvm::any_of(form.getSteps(), [](ScheduleAttr step) { return step.usesAmx(); });
  return contraction() && contraction().getReduction().getAmx();
}

DictionaryAttr ScheduleAttr::describe() const {
  Builder b(getContext());
  // The form's keyword.
  StringRef kind = llvm::TypeSwitch<Attribute, StringRef>(getForm())
                       .Case<ContractionAttr, ColumnsAttr, RowsAttr, ScatterAttr, TransposeAttr, StepsAttr>(
                           [](auto form) { return decltype(form)::getMnemonic(); })
                       .Case<StringAttr>([](StringAttr form) { return form.getValue(); });
  NamedAttrList entries;
  entries.append("kind", b.getStringAttr(kind));
  entries.append("lanes", b.getI64IntegerAttr(getLanes()));
  if (ContractionAttr form = contraction())
    entries.append("tile",
                   b.getDenseI64ArrayAttr({form.getTile().getRows(), form.getTile().width(getLanes())}));
  if (usesAmx())
    entries.append("unit", b.getStringAttr("amx"));
  else if (addsPairs())
    entries.append("unit", b.getStringAttr("pairs"));
  return entries.getDictionary(getContext());
}
