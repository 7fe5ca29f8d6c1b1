//===- Loop.cpp - ONNX operators Loop and Scan -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop is written out: its body becomes nodes of the graph around it once for each time that it runs. How
// often that is must be known when the model is compiled, or have a known limit, the file's own or
// --max-trips: then a value that the loop carries stays as it is once the loop has ended.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// A program of more nodes is one that nobody wants to wait for.
constexpr int64_t maxNodes = 100000;

namespace {

/// A loop that is being written out.
class Unrolling {
public:
  /// It carries the node's inputs `first` to `last` - 1.
  Unrolling(Node &node, const ::onnx::GraphProto &body, int first, int last)
      : node(node), body(body), results(node.outputCount() - (last - first)) {
    for (int i = first; i < last; ++i)
      values.push_back(node.inputName(i).str());
  }

  /// Imports the body once more. Its inputs are those before the carried values, these, and those behind
  /// them. False after an error.
  bool runBody(ArrayRef<std::string> before, ArrayRef<std::string> behind);
  /// Once: whether the body still counts, if it did before and `now`.
  void counts(Value now) { runs = runs ? node.make<nn::LogicalAndOp>({runs, now}) : now; }
  /// What is carried becomes NaN where the body counts still; false after an error.
  bool endOrBeNaN();
  /// Gives the loop's outputs; scan results are put together along `axes`, the last first where `reversed`.
  void give(ArrayRef<int64_t> axes, ArrayRef<int64_t> reversed);

  std::string condition; ///< of a Loop: the name of the body's first result, and before that of its input
  Value runs;            ///< whether the body still counts; null: it does

private:
  bool keepWhereEnded(std::string &value, const std::string &next);
  void beginAgainWhereEnded();

  Node &node;
  const ::onnx::GraphProto &body;
  std::vector<std::string> values;         ///< that the loop carries, by name
  std::vector<Value> first;                ///< what they begin with, where a run may not count
  std::vector<SmallVector<Value>> results; ///< of each scan output, one for each time
  int64_t times = 0;
};

/// `value` becomes the body's result, where the body counted.
bool Unrolling::keepWhereEnded(std::string &value, const std::string &next) {
  Value before = node.valueOf(value), after = node.valueOf(next);
  if (before && after && before.getType() != after.getType())
    node.error("the condition is computed, so what the loop carries must keep its shape and type, got " +
               nn::str(nn::shapeOf(before)) + " of " + typeName(nn::elementTypeOf(before)) + " and then " +
               nn::str(nn::shapeOf(after)) + " of " + typeName(nn::elementTypeOf(after)));
  else if (Value chosen = node.make<nn::SelectOp>({runs, after, before}))
    return value = node.addValue(next, chosen), true;
  return false;
}

/// A run that does not count computes with what the loop began with, whose derivatives are as finite as those
/// of the first run; those of the last result need not be, and zero times infinity is NaN.
void Unrolling::beginAgainWhereEnded() {
  bool isFirst = first.empty();
  for (auto [i, value] : llvm::enumerate(values)) {
    Value now = node.valueOf(value);
    if (isFirst)
      first.push_back(now);
    else if (now && first[i] && now.getType() == first[i].getType())
      value = node.addValue(value, node.make<nn::SelectOp>({runs, now, first[i]}));
  }
}

bool Unrolling::endOrBeNaN() {
  bool tells = false;
  for (std::string &value : values) {
    Value now = node.valueOf(value);
    if (!now || !isa<FloatType>(nn::elementTypeOf(now)))
      continue;
    Value nan = nn::Expr(node.b, now).scalar(std::nan(""));
    value = node.addValue(value, node.make<nn::SelectOp>({runs, nan, now}));
    tells = true;
  }
  if (!tells)
    node.error("carries no floating-point numbers, so nothing could be NaN where --max-trips is too low");
  return tells;
}

bool Unrolling::runBody(ArrayRef<std::string> before, ArrayRef<std::string> behind) {
  if (++times > maxCopies)
    return node.error("is written out, so its body may run at most " + Twine(maxCopies) + " times"), false;
  std::vector<std::string> inputs = before.vec();
  std::vector<std::string> kept = values;
  if (runs)
    beginAgainWhereEnded();
  inputs.insert(inputs.end(), values.begin(), values.end());
  inputs.insert(inputs.end(), behind.begin(), behind.end());
  values = kept;
  std::optional<std::vector<std::string>> given = node.importBody(body, inputs, /*mayNotCount=*/bool(runs));
  if (!given)
    return false; // told at its nodes
  if (node.bodyNodes() > maxNodes)
    return node.error("the model's loops, written out, have more than " + Twine(maxNodes) + " nodes"), false;
  size_t carried = given->size() - values.size() - results.size(); // where the carried values begin
  if (carried > 0)
    condition = given->front();
  for (auto [i, value] : llvm::enumerate(values))
    if (const std::string &next = (*given)[carried + i]; !runs)
      value = next;
    else if (!keepWhereEnded(value, next))
      return false;
  for (auto [i, result] : llvm::enumerate(results)) {
    const std::string &name = (*given)[carried + values.size() + i];
    result.push_back(node.valueOf(name));
    if (!result.back())
      return node.error("the body's result '" + name + "' is no tensor"), false;
  }
  return true;
}

void Unrolling::give(ArrayRef<int64_t> axes, ArrayRef<int64_t> reversed) {
  for (auto [i, value] : llvm::enumerate(values))
    node.giveName(int(i), value);
  for (auto [i, parts] : llvm::enumerate(results)) {
    int output = int(values.size() + i);
    if (parts.empty())
      return node.error("the loop never runs, so output " + Twine(output) + " has no shape");
    std::optional<int64_t> axis = node.axis(axes[i], nn::shapeOf(parts.front()).size() + 1);
    if (!axis)
      return;
    for (Value &part : parts) {
      nn::Shape shape = nn::shapeOf(part);
      shape.insert(shape.begin() + *axis, nn::Dim(1));
      part = node.reshape(part, shape);
    }
    if (reversed[i])
      std::reverse(parts.begin(), parts.end());
    node.give(output,
              parts.size() == 1 ? parts.front() : node.make<nn::ConcatOp>(parts, node.attr("axis", *axis)));
  }
}

} // namespace

/// Whether the values that a loop carries are there, and its body has `inputs` inputs and, behind
/// `conditions`, an output for each of the node's.
static bool fits(Node &node, const ::onnx::GraphProto &body, int carried, int inputs, int conditions) {
  int outputs = conditions + node.outputCount();
  for (int i = node.inputCount() - (inputs - 2 * conditions); i < node.inputCount(); ++i)
    if (!node.has(i))
      return node.error("input " + Twine(i) + " is missing"), false;
  if (node.outputCount() < carried)
    return node.error("carries " + Twine(carried) + " values and has only " + Twine(node.outputCount()) +
                      " outputs"),
           false;
  if (body.input_size() == inputs && body.output_size() == outputs)
    return true;
  node.error("expects a body with " + Twine(inputs) + " inputs and " + Twine(outputs) + " outputs, got " +
             Twine(body.input_size()) + " and " + Twine(body.output_size()));
  return false;
}

//===-- Loop -----------------------------------------------------------------------===//

constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

namespace {
/// How often a loop's body runs at most.
struct Limit {
  int64_t times = unlimited;
  Value count;           ///< how often it runs, where data say it; null: `times`, or what the condition says
  bool isOfUser = false; ///< whether `times` is what --max-trips says, so that it may be too few
};
} // namespace

/// The file's own limit, or the user's where data say the number; nullopt after an error.
static std::optional<Limit> limitOf(Node &node) {
  if (!node.has(0))
    return node.maxTrips() ? Limit{node.maxTrips(), {}, true} : Limit{};
  if (std::optional<DimTensor> dims = node.dims(0); node.maxTrips() && (!dims || !dims->isStatic()))
    if (nn::elementCount(node.shape(0)) == nn::Dim(1) && isa<IntegerType>(node.elementType(0)))
      return Limit{node.maxTrips(), node.reshape(node.value(0), {}), true};
  std::optional<SmallVector<int64_t>> known =
      node.integers(0, "the number of times (or, with --max-trips=N, the most)");
  if (!known)
    return std::nullopt;
  if (known->size() == 1 && known->front() < std::numeric_limits<int32_t>::max())
    return Limit{known->front(), {}, false};
  if (known->size() == 1) // no limit, as exporters mean
    return node.maxTrips() ? Limit{node.maxTrips(), {}, true} : Limit{};
  node.error("expects one number of times, got shape " + nn::str(node.shape(0)));
  return std::nullopt;
}

/// Says why data cannot decide how often a loop runs; false where they can.
static bool mustBeKnown(Node &node, const Twine &what, const Limit &limit, bool hasResults) {
  if (hasResults)
    node.error(what + " is computed or an input, so the size of the results is not known");
  else if (limit.times == unlimited)
    node.error(what +
               " is computed or an input, so it is not known how often the body runs; a constant number "
               "of times limits it, or --max-trips=N");
  return hasResults || limit.times == unlimited;
}

/// Whether the body runs for the `trip`-th time as far as is known now; nullopt after an error. What is
/// computed goes into `runs`.
static std::optional<bool> goesOn(Node &node, Unrolling &unrolling, const Limit &limit, int64_t trip,
                                  bool hasResults) {
  const std::string &name = unrolling.condition;
  const HostTensor *known = node.constantOf(name);
  if (known && known->count() == 1) {
    if (known->integer(0) == 0)
      return false;
  } else {
    Value computed = node.valueOf(name);
    if (!computed || nn::elementCount(nn::shapeOf(computed)) != nn::Dim(1) ||
        !nn::elementTypeOf(computed).isInteger(1))
      return node.error("expects one truth value as condition '" + name + "'"), std::nullopt;
    if (mustBeKnown(node, "the condition '" + name + "'", limit, hasResults))
      return std::nullopt;
    unrolling.counts(node.reshape(computed, {}));
  }
  if (limit.count) {
    if (mustBeKnown(node, "the number of times '" + node.inputName(0) + "'", limit, hasResults))
      return std::nullopt;
    nn::Expr count(node.b, limit.count);
    unrolling.counts(nn::greater(count, count.scalar(double(trip))));
  }
  return true;
}

static void loop(Node &node) {
  std::optional<::onnx::GraphProto> body = node.graph("body");
  int carried = std::max(node.inputCount() - 2, 0), results = node.outputCount() - carried;
  if (!body || !fits(node, *body, carried, 2 + carried, 1))
    return;
  std::optional<Limit> limit = limitOf(node);
  if (!limit)
    return;
  auto truth = RankedTensorType::get({}, node.b.getI1Type()),
       number = RankedTensorType::get({}, node.b.getI64Type());
  Unrolling unrolling(node, *body, 2, node.inputCount());
  unrolling.condition =
      node.has(1) ? node.inputName(1).str() : node.addConstant("condition", splatTensor(truth, 1));
  for (int64_t i = 0;; ++i) {
    bool isOver = i == limit->times;
    if (isOver && !limit->isOfUser)
      break;
    std::optional<bool> more = goesOn(node, unrolling, *limit, i, results > 0);
    if (!more)
      return;
    if (!*more)
      break;
    if (isOver && !unrolling.runs)
      return node.error("runs more often than --max-trips=" + Twine(limit->times) + " says");
    if (isOver && !unrolling.endOrBeNaN())
      return;
    if (isOver)
      break;
    std::string iteration = node.addConstant("iteration", splatTensor(number, double(i)));
    if (!unrolling.runBody({iteration, unrolling.condition}, {}))
      return;
  }
  unrolling.give(SmallVector<int64_t>(results, 0), SmallVector<int64_t>(results, 0));
}

//===-- Scan -----------------------------------------------------------------------===//

/// An attribute with a number for each of `count` tensors; zeros where it is not given. Nullopt after an
/// error.
static std::optional<SmallVector<int64_t>> listOf(Node &node, StringRef name, int count) {
  SmallVector<int64_t> list = node.integerList(name).value_or(SmallVector<int64_t>(count, 0));
  if (int(list.size()) == count)
    return list;
  node.error("attribute '" + name + "' must have " + Twine(count) + " numbers, got " + Twine(list.size()));
  return std::nullopt;
}

static void scan(Node &node) {
  std::optional<::onnx::GraphProto> body = node.graph("body");
  int64_t scanned = node.integer("num_scan_inputs", 0);
  if (!body)
    return;
  if (scanned < 1 || scanned > node.inputCount())
    return node.error("attribute 'num_scan_inputs' must be from 1 to " + Twine(node.inputCount()) +
                      ", the number of inputs, got " + Twine(scanned));
  int carried = node.inputCount() - int(scanned), results = node.outputCount() - carried;
  if (!fits(node, *body, carried, node.inputCount(), 0))
    return;
  auto axes = listOf(node, "scan_input_axes", scanned),
       backward = listOf(node, "scan_input_directions", scanned),
       outAxes = listOf(node, "scan_output_axes", results),
       outBackward = listOf(node, "scan_output_directions", results);
  if (!axes || !backward || !outAxes || !outBackward)
    return;
  std::optional<int64_t> times;
  for (int64_t k = 0; k < scanned; ++k) {
    nn::Shape shape = node.shape(carried + k);
    std::optional<int64_t> axis = node.axis((*axes)[k], shape.size());
    if (!axis)
      return;
    (*axes)[k] = *axis;
    nn::Dim size = shape[*axis];
    if (!size.isStatic() || size.factor != times.value_or(size.factor))
      return node.error(
          "input " + Twine(carried + k) + " has the size " + size.str() + " along axis " + Twine(*axis) +
          (times ? ", others have " + std::to_string(*times) : ", which must be known at compile time"));
    times = size.factor;
  }
  Unrolling unrolling(node, *body, 0, carried);
  for (int64_t i = 0; i < *times; ++i) {
    std::vector<std::string> inputs;
    for (int64_t k = 0; k < scanned; ++k) {
      int64_t place = (*backward)[k] ? *times - 1 - i : i;
      nn::Shape shape = node.shape(carried + k);
      shape.erase(shape.begin() + (*axes)[k]);
      Value slice = node.part(node.value(carried + k), (*axes)[k], place, place + 1);
      inputs.push_back(node.addValue(body->input(carried + k).name(), node.reshape(slice, shape)));
    }
    if (!unrolling.runBody({}, inputs))
      return;
  }
  unrolling.give(*outAxes, *outBackward);
}

static const Operator loopOperators[] = {
    {"Loop", 1, loop, 0, anyNumber, "body"},
    {"Scan", 9, scan, 1, anyNumber,
     "body num_scan_inputs scan_input_axes scan_input_directions scan_output_axes scan_output_directions"},
};

ArrayRef<Operator> operatorsOfLoop() { return loopOperators; }

} // namespace dlc::onnx
