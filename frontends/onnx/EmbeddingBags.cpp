//===- EmbeddingBags.cpp - sums of embeddings that exporters write as loops -===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX has no operator for PyTorch's embedding_bag, the sum, mean or maximum of a table's rows over bags of
// indices, of which offsets say where each begins. Its exporters write a loop over the bags that slices the
// rows between two offsets. Slices of computed size are nothing that can be compiled; the same results are
// a reduction over [bags, indices, features] where all bags are equally long, and else a product with the
// matrix that says which row is in which bag (BagFormulas.h). The graph says so afterwards.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/EmbeddingBags.h"
#include "frontends/onnx/BagFormulas.h"
#include "frontends/onnx/GraphNames.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Roles.h"
#include <limits>

namespace dlc::onnx {

using llvm::StringRef;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

namespace {

//===-- Loops ----------------------------------------------------------------------===//

const NodeProto *producerIn(const GraphProto &graph, StringRef name) {
  for (const NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      if (name == output)
        return &node;
  return nullptr;
}

/// The producer, where it is of this operator and has as many inputs or more.
const NodeProto *producerIn(const GraphProto &graph, StringRef name, StringRef op, int inputs) {
  const NodeProto *node = producerIn(graph, name);
  return node && node->op_type() == op && node->input_size() >= inputs ? node : nullptr;
}

const GraphProto *graphOf(const NodeProto &node, StringRef name) {
  for (const auto &attribute : node.attribute())
    if (name == attribute.name() && attribute.has_g())
      return &attribute.g();
  return nullptr;
}

using Numbers = llvm::function_ref<std::optional<double>(StringRef)>;

/// A number that a node of the graph itself holds.
std::optional<double> constantIn(const GraphProto &graph, StringRef name) {
  const NodeProto *node = producerIn(graph, name, "Constant", 0);
  if (!node || node->attribute_size() != 1)
    return std::nullopt;
  const auto &value = node->attribute(0);
  if (value.name() == "value_int")
    return double(value.i());
  if (value.name() == "value_ints" && value.ints_size() == 1)
    return double(value.ints(0));
  if (value.name() != "value" || !value.has_t() || value.t().data_type() != ::onnx::TensorProto::INT64 ||
      value.t().dims_size() > 1)
    return std::nullopt;
  const std::string &raw = value.t().raw_data();
  if (value.t().int64_data_size() == 1)
    return double(value.t().int64_data(0));
  int64_t number;
  if (raw.size() != sizeof number)
    return std::nullopt;
  std::memcpy(&number, raw.data(), sizeof number);
  return double(number);
}

/// A reduction along axis 0 alone, which drops it.
bool reducesRows(const GraphProto &body, const NodeProto &node, Numbers numberOf) {
  if (!StringRef(node.op_type()).starts_with("Reduce") || node.input_size() < 1)
    return false;
  std::optional<double> axis;
  if (node.input_size() > 1) {
    axis = constantIn(body, node.input(1));
    axis = axis ? axis : numberOf(node.input(1));
  }
  bool keepsDim = true;
  for (const auto &attribute : node.attribute()) {
    if (attribute.name() == "axes" && attribute.ints_size() == 1)
      axis = double(attribute.ints(0));
    keepsDim &= attribute.name() != "keepdims" || attribute.i() != 0;
  }
  return axis == 0.0 && !keepsDim;
}

/// The tensor of whose elements `name` is the one at the loop's position, perhaps with another dim.
StringRef elementAt(const GraphProto &body, StringRef name, StringRef position) {
  if (const NodeProto *view = producerIn(body, name, "Unsqueeze", 1))
    name = view->input(0);
  const NodeProto *gather = producerIn(body, name, "Gather", 2);
  return gather && position == gather->input(1) ? StringRef(gather->input(0)) : StringRef();
}

/// The list of which `name` is the number of elements, alone or as a list of one; "" where it is no such
/// number.
StringRef countedBy(const GraphIndex &index, StringRef name, Numbers numberOf) {
  const NodeProto *node = index.producer(name);
  if (node && node->op_type() == "Unsqueeze" && node->input_size() > 0)
    node = index.producer(node->input(0));
  if (node && node->op_type() == "Size" && node->input_size() == 1)
    return node->input(0);
  if (node && node->op_type() == "Gather" && node->input_size() == 2 && numberOf(node->input(1)) == 0.0)
    node = index.producer(node->input(0));
  bool isShape = node && node->op_type() == "Shape" && node->attribute_size() == 0 && node->input_size() == 1;
  return isShape ? StringRef(node->input(0)) : StringRef();
}

/// Whether a node gives all elements of its first input but the first one.
bool leavesOutTheFirst(const NodeProto &slice, Numbers numberOf) {
  auto has = [&](int input, double number) {
    return slice.input_size() <= input || slice.input(input).empty() ||
           numberOf(slice.input(input)) == number;
  };
  const double end = static_cast<double>(std::numeric_limits<int64_t>::max());
  return slice.op_type() == "Slice" && slice.input_size() >= 3 && numberOf(slice.input(1)) == 1.0 &&
         has(2, end) && has(3, 0) && has(4, 1);
}

/// PyTorch's older exporter: rows of the table are read in the loop, between offsets[i] and ends[i], where
/// ends are the offsets without the first. It runs once for each of the ends.
std::optional<Bags> bagsOfScan(const NodeProto &loop, const GraphIndex &index, Numbers numberOf) {
  const GraphProto *body = graphOf(loop, "body");
  if (!body || loop.input_size() != 2 || loop.output_size() != 1 || body->input_size() != 2 ||
      body->output_size() != 2)
    return std::nullopt;
  const NodeProto *reduction = producerIn(*body, body->output(1).name());
  if (!reduction || !reducesRows(*body, *reduction, numberOf))
    return std::nullopt;
  Bags bags;
  bags.mode = reduction->op_type();
  StringRef reduced = reduction->input(0), position = body->input(0).name(), starts, ends;
  auto sliced = [&](StringRef name) -> std::string {
    const NodeProto *slice = producerIn(*body, name, "Slice", 3);
    if (!slice || producerIn(*body, slice->input(0)))
      return {};
    starts = elementAt(*body, slice->input(1), position);
    ends = elementAt(*body, slice->input(2), position);
    return slice->input(0);
  };
  if (const NodeProto *product = producerIn(*body, reduced, "Mul", 2)) {
    const NodeProto *column = producerIn(*body, product->input(1), "Unsqueeze", 1);
    bags.weights = column ? sliced(column->input(0)) : std::string();
    if (bags.weights.empty())
      return std::nullopt;
    reduced = product->input(0);
  }
  const NodeProto *gather = producerIn(*body, reduced, "Gather", 2);
  if (!gather || producerIn(*body, gather->input(0)))
    return std::nullopt;
  bags.table = gather->input(0);
  bags.indices = sliced(gather->input(1));
  const NodeProto *behindFirst = index.producer(ends);
  if (bags.indices.empty() || starts.empty() || !behindFirst || !leavesOutTheFirst(*behindFirst, numberOf) ||
      starts != behindFirst->input(0) || countedBy(index, loop.input(0), numberOf) != ends ||
      numberOf(loop.input(1)) != 1.0)
    return std::nullopt;
  const NodeProto *whole = index.producer(starts);
  bags.hasEnd = !whole || whole->op_type() != "Concat" || whole->input_size() != 2;
  bags.offsets = bags.hasEnd ? starts.str() : whole->input(0);
  if (!bags.hasEnd && countedBy(index, whole->input(1), numberOf) != bags.indices)
    return std::nullopt; // the last bag ends elsewhere
  return bags;
}

/// The one value that `If` nodes on constants of the same graph give, or the name itself.
StringRef takenBranch(const GraphIndex &index, StringRef name, Numbers numberOf) {
  const NodeProto *node = index.producer(name);
  if (!node || node->op_type() != "If" || node->input_size() != 1)
    return name;
  const NodeProto *equal = index.producer(node->input(0));
  if (!equal || equal->op_type() != "Equal" || equal->input_size() != 2)
    return name;
  auto truth = [&](StringRef of) -> std::optional<double> {
    const NodeProto *cast = index.producer(of);
    bool isCast = cast && cast->op_type() == "Cast" && cast->input_size() == 1;
    return numberOf(isCast ? StringRef(cast->input(0)) : of);
  };
  std::optional<double> a = truth(equal->input(0)), b = truth(equal->input(1));
  const GraphProto *branch = a && b ? graphOf(*node, *a == *b ? "then_branch" : "else_branch") : nullptr;
  for (int i = 0; branch && i < node->output_size(); ++i)
    if (name == node->output(i) && i < branch->output_size())
      if (const NodeProto *inner = producerIn(*branch, branch->output(i).name())) {
        bool isCopy = inner->op_type() == "Identity" && inner->input_size() == 1;
        return isCopy ? StringRef(inner->input(0)) : StringRef(inner->output(0));
      }
  return name;
}

/// The producer of what takenBranch says of `name`: in the graph, or in a branch.
const NodeProto *takenProducer(const GraphIndex &index, StringRef name, StringRef taken) {
  if (const NodeProto *node = index.producer(taken))
    return node;
  const NodeProto *choice = index.producer(name);
  for (StringRef branch : {"then_branch", "else_branch"})
    if (const GraphProto *graph = choice ? graphOf(*choice, branch) : nullptr)
      if (const NodeProto *inner = producerIn(*graph, taken))
        return inner;
  return nullptr;
}

/// What the loop of the newer exporter does with the rows from `start` on, in the branches that are not ruled
/// out by constants. False where it slices others.
bool collect(const GraphProto &graph, StringRef start, llvm::StringSet<> &rows,
             llvm::StringSet<> &reductions) {
  for (const NodeProto &node : graph.node()) {
    if (StringRef(node.op_type()).starts_with("Reduce"))
      reductions.insert(node.op_type());
    if (node.op_type() == "Slice") {
      if (node.input_size() < 3 || start != node.input(1))
        return false;
      rows.insert(node.input(0));
    }
    if (node.op_type() != "If" || node.input_size() != 1)
      continue;
    const NodeProto *equal = producerIn(graph, node.input(0), "Equal", 2);
    std::optional<double> a = equal ? constantIn(graph, equal->input(0)) : std::nullopt,
                          b = equal ? constantIn(graph, equal->input(1)) : std::nullopt;
    for (StringRef branch : {"then_branch", "else_branch"})
      if (const GraphProto *inner = graphOf(node, branch))
        if ((!a || !b || (*a == *b) == (branch == "then_branch")) &&
            !collect(*inner, start, rows, reductions))
          return false;
  }
  return true;
}

/// How much `name` is more than `position` in the body of a loop: a sum with constants, in some views and
/// casts.
std::optional<double> distance(const GraphProto &body, StringRef name, StringRef position) {
  auto constant = [&](StringRef of) {
    const NodeProto *cast = producerIn(body, of, "CastLike", 2);
    return constantIn(body, cast ? StringRef(cast->input(0)) : of);
  };
  double sum = 0;
  // No exporter writes longer ones, and hostile files may have circles.
  for (int steps = 0; steps < 8 && name != position; ++steps) {
    const NodeProto *node = producerIn(body, name);
    if (!node || node->input_size() < 1)
      return std::nullopt;
    if (node->op_type() == "Add" && node->input_size() == 2) {
      std::optional<double> number = constant(node->input(1));
      if (!number)
        return std::nullopt;
      sum += *number;
    } else if (node->op_type() != "Reshape" && node->op_type() != "Identity") {
      return std::nullopt;
    }
    name = node->input(0);
  }
  return name == position ? std::optional<double>(sum) : std::nullopt;
}

/// What counts from 0 in steps of 1 in a loop that carries values: its name in the body; "" where nothing
/// does.
StringRef counterOf(const NodeProto &loop, const GraphProto &body, Numbers numberOf) {
  int carried = std::min({loop.input_size(), body.input_size(), body.output_size() + 1});
  for (int i = 2; i < carried; ++i)
    if (numberOf(loop.input(i)) == 0.0 &&
        distance(body, body.output(i - 1).name(), body.input(i).name()) == 1.0)
      return body.input(i).name();
  return {};
}

/// The number that the newer exporter's loop counts to; "" where it ends in another way.
StringRef timesOf(const NodeProto &loop, const GraphProto &body, StringRef counter, const GraphIndex &index,
                  Numbers numberOf) {
  if (counter.empty() || !loop.input(0).empty())
    return {};
  StringRef goesOn = body.output(0).name();
  if (const NodeProto *copy = producerIn(body, goesOn, "Identity", 1))
    goesOn = copy->input(0);
  const NodeProto *first = index.producer(loop.input(1)), *next = producerIn(body, goesOn, "Less", 2);
  bool counts = first && first->op_type() == "Less" && first->input_size() == 2 && next &&
                numberOf(first->input(0)) == 0.0 && first->input(1) == next->input(1) &&
                distance(body, next->input(0), counter) == 1.0;
  return counts ? StringRef(next->input(1)) : StringRef();
}

/// Whether a node gives what lies between `low` and `high` behind the position of a loop.
bool isSlice(const GraphProto &body, const NodeProto &slice, StringRef position, double low, double high) {
  return slice.input_size() == 3 && distance(body, slice.input(1), position) == low &&
         distance(body, slice.input(2), position) == high;
}

/// The indices of the rows that the newer exporter reads in front of its loop, and weights there.
StringRef indicesOf(const GraphIndex &index, StringRef rows) {
  const NodeProto *node = index.producer(rows);
  for (StringRef op : {"Cast", "Mul"})
    if (node && node->op_type() == op && node->input_size() > 0)
      node = index.producer(node->input(0));
  return node && node->op_type() == "Gather" && node->input_size() == 2 ? StringRef(node->input(1))
                                                                        : StringRef();
}

/// The newer exporter: rows are read before the loop, which puts each bag's result into a sequence. A bag is
/// what lies between two slices of the offsets; where these are equal it is empty.
std::optional<Bags> bagsOfSequence(const NodeProto &loop, const GraphIndex &index, Numbers numberOf) {
  const GraphProto *body = graphOf(loop, "body");
  const NodeProto *insert = nullptr;
  if (body)
    for (const NodeProto &node : body->node())
      insert = node.op_type() == "SequenceInsert" && node.input_size() == 2 ? &node : insert;
  const NodeProto *choice = insert ? producerIn(*body, insert->input(1), "If", 1) : nullptr;
  const NodeProto *isEmpty = choice ? producerIn(*body, choice->input(0), "Equal", 2) : nullptr;
  const NodeProto *start = isEmpty ? producerIn(*body, isEmpty->input(0), "Slice", 3) : nullptr;
  const NodeProto *end = isEmpty ? producerIn(*body, isEmpty->input(1), "Slice", 3) : nullptr;
  const GraphProto *full = choice ? graphOf(*choice, "else_branch") : nullptr;
  llvm::StringSet<> rows, reductions;
  StringRef position = body ? counterOf(loop, *body, numberOf) : StringRef();
  if (!start || !end || !full || start->input(0) != end->input(0) ||
      !isSlice(*body, *start, position, 0, 1) || !isSlice(*body, *end, position, 1, 2) ||
      !collect(*full, start->output(0), rows, reductions) || rows.size() != 1 || reductions.empty())
    return std::nullopt;
  StringRef offsets = start->input(0);
  Bags bags;
  bags.rows = rows.begin()->getKey().str();
  // The mean of the last bag is written as a sum and a quotient.
  bags.mode = reductions.contains("ReduceMax")    ? "ReduceMax"
              : reductions.contains("ReduceMean") ? "ReduceMean"
                                                  : "ReduceSum";
  StringRef taken = takenBranch(index, offsets, numberOf);
  const NodeProto *whole = takenProducer(index, offsets, taken);
  bool isJoined = whole && whole->op_type() == "Concat" && whole->input_size() == 2;
  bags.hasEnd = !isJoined;
  bags.offsets = isJoined ? whole->input(0) : taken.str();
  if (isJoined && countedBy(index, whole->input(1), numberOf) != indicesOf(index, bags.rows))
    return std::nullopt; // the last bag ends elsewhere
  // It runs once for each offset, but for the last where that is an end.
  StringRef all = timesOf(loop, *body, position, index, numberOf), times = takenBranch(index, all, numberOf);
  if (const NodeProto *fewer = bags.hasEnd ? takenProducer(index, all, times) : nullptr)
    times = fewer->op_type() == "Sub" && fewer->input_size() == 2 ? StringRef(fewer->input(0)) : StringRef();
  if (all.empty() || countedBy(index, times, numberOf) != bags.offsets)
    return std::nullopt;
  return bags;
}

/// How long all bags are, where the offsets are multiples of one number; else "".
std::string lengthOfBags(const std::string &offsets, const GraphIndex &index, Numbers numberOf) {
  const NodeProto *node = index.producer(offsets);
  if (node && node->op_type() == "Range" && node->input_size() == 3)
    return numberOf(node->input(0)) == 0.0 ? node->input(2) : std::string();
  return {};
}

} // namespace

void recognizeBags(GraphProto &graph, int64_t opset, const GraphNames &names) {
  struct Found {
    int node;
    Bags bags;
    std::string length;
  };
  std::vector<Found> all;
  GraphIndex index(graph);
  auto numberOf = [&](StringRef name) { return names.numberOf(name, index); };
  for (int i = 0; i < graph.node_size(); ++i) {
    const NodeProto &node = graph.node(i);
    std::optional<Bags> bags;
    if (node.op_type() == "Loop")
      bags = bagsOfScan(node, index, numberOf);
    else if (node.op_type() == "ConcatFromSequence" && node.input_size() == 1 && node.output_size() == 1)
      if (const NodeProto *loop = index.producer(node.input(0)); loop && loop->op_type() == "Loop")
        bags = bagsOfSequence(*loop, index, numberOf);
    bool isKnown =
        bags && (bags->mode == "ReduceSum" || bags->mode == "ReduceMean" || bags->mode == "ReduceMax");
    if (isKnown)
      all.push_back({i, *bags, bags->hasEnd ? std::string() : lengthOfBags(bags->offsets, index, numberOf)});
  }
  for (const Found &found : all) {
    std::string result = addBags(graph, graph.node(found.node).output(0), opset, found.bags, found.length);
    NodeProto &node = *graph.mutable_node(found.node);
    node.set_op_type("Identity");
    node.clear_attribute();
    node.clear_input();
    node.add_input(result);
  }
}

} // namespace dlc::onnx
