//===- Einsum.cpp - ONNX operator Einsum
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products over labelled dims. Operands are joined two at a time: labels that nothing else needs are
// summed, those of both operands and the result are dims of a batch of matrix products, those of both that
// are summed are the products' inner dim.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::onnx {

/// A label for each dim: a letter, or a number below 32 for a dim that an ellipsis stands for, counted from
/// the back.
using Labels = SmallVector<char, 8>;
constexpr char maxEllipsis = 32;

struct Term {
  Value value;
  Labels labels;
};

static bool has(const Labels &labels, char label) { return llvm::is_contained(labels, label); }
static nn::Dim sizeOf(const Term &term, char label) {
  return nn::shapeOf(term.value)[llvm::find(term.labels, label) - term.labels.begin()];
}

/// Labels of a term's text; an ellipsis stands for `dims` dims. Nullopt after an error.
static std::optional<Labels> parse(Node &node, StringRef text, int64_t dims) {
  Labels labels;
  bool hadEllipsis = false;
  while (!text.empty()) {
    if (text.consume_front("...") && !hadEllipsis) {
      hadEllipsis = true;
      for (int64_t i = dims; i > 0; --i)
        labels.push_back(char(i - 1));
    } else if (!text.empty() && llvm::isAlpha(text.front())) {
      labels.push_back(text.front());
      text = text.drop_front();
    } else {
      node.error("the equation must consist of letters, '...', ',' and '->', got '" +
                 node.text("equation", "") + "'");
      return std::nullopt;
    }
  }
  return labels;
}

/// Puts dims in this order; the term has exactly these labels.
static Value inOrder(Node &node, const Term &term, const Labels &order) {
  SmallVector<int64_t> permutation;
  for (char label : order)
    permutation.push_back(llvm::find(term.labels, label) - term.labels.begin());
  if (llvm::is_sorted(permutation))
    return term.value;
  return node.make<nn::TransposeOp>({term.value}, node.attr("permutation", permutation));
}

/// Elements where both dims of a label that occurs twice have the same position.
static void takeDiagonals(Node &node, Term &term) {
  for (size_t second = 0; term.value && second < term.labels.size(); ++second) {
    size_t first = llvm::find(term.labels, term.labels[second]) - term.labels.begin();
    if (first == second)
      continue;
    nn::Shape shape = nn::shapeOf(term.value), a(shape.size(), nn::Dim(1)), b = a;
    if (shape[first] != shape[second])
      return term.value = {},
             node.error("a label that occurs twice in a term needs equal dims, got " + nn::str(shape));
    a[first] = shape[first];
    b[second] = shape[second];
    Type i64 = node.b.getI64Type();
    nn::Expr row(node.b, nn::IotaOp::create(node.b, nn::tensorType(a, i64), first).getY());
    nn::Expr column(node.b, nn::IotaOp::create(node.b, nn::tensorType(b, i64), second).getY());
    nn::Expr kept = nn::select(nn::equal(row, column), nn::Expr(node.b, term.value), 0.0);
    term.value = nn::sum(kept, {int64_t(second)}, /*keepdims=*/false);
    term.labels.erase(term.labels.begin() + second--);
  }
}

/// Sums over the labels that nothing else needs.
static void sumOthers(Node &node, Term &term, function_ref<bool(char)> isNeeded) {
  SmallVector<int64_t> axes;
  Labels kept;
  for (auto [i, label] : llvm::enumerate(term.labels))
    if (isNeeded(label))
      kept.push_back(label);
    else
      axes.push_back(int64_t(i));
  if (axes.empty() || !term.value)
    return;
  term.value = nn::sum({node.b, term.value}, axes, /*keepdims=*/false);
  term.labels = kept;
}

/// The product of two terms, summed over the labels that are not needed afterwards.
static Term multiply(Node &node, Term a, Term b, function_ref<bool(char)> isNeeded) {
  sumOthers(node, a, [&](char label) { return isNeeded(label) || has(b.labels, label); });
  sumOthers(node, b, [&](char label) { return isNeeded(label) || has(a.labels, label); });
  if (!a.value || !b.value)
    return {};
  Labels batch, rows, columns, inner;
  for (char label : a.labels)
    (has(b.labels, label) ? (isNeeded(label) ? batch : inner) : rows).push_back(label);
  for (char label : b.labels)
    if (!has(a.labels, label))
      columns.push_back(label);
  nn::Shape batchA, batchB, shape;
  nn::Dim m(1), n(1), k(1);
  Term result;
  for (char label : batch) {
    nn::Dim x = sizeOf(a, label), y = sizeOf(b, label);
    batchA.push_back(x);
    batchB.push_back(y);
    shape.push_back(x.isOne() ? y : x);
  }
  for (char label : rows)
    shape.push_back(sizeOf(a, label)), m = m * sizeOf(a, label);
  for (char label : columns)
    shape.push_back(sizeOf(b, label)), n = n * sizeOf(b, label);
  for (char label : inner)
    k = k * sizeOf(a, label);
  result.labels = batch;
  result.labels.append(rows);
  result.labels.append(columns);
  Labels orderA = batch, orderB = batch;
  orderA.append(rows), orderA.append(inner);
  orderB.append(columns), orderB.append(inner);
  batchA.append({m, k});
  batchB.append({n, k});
  // Columns before the inner dim, as in x W^T.
  Value left = node.reshape(inOrder(node, a, orderA), batchA),
        right = node.reshape(inOrder(node, b, orderB), batchB);
  if (!left || !right)
    return {};
  Value product;
  if (inner.empty()) {
    nn::Shape across(batchB.begin(), batchB.end() - 2);
    across.append({k, n});
    product = node.make<nn::MulOp>({left, node.reshape(right, across)});
  } else {
    product = node.make<nn::MatMulOp>({left, right}, node.flag("transpose_b"));
  }
  result.value = node.reshape(product, shape);
  return result;
}

/// Dims of one label must be equal; only those of an ellipsis may be 1, too.
static bool checkSizes(Node &node, ArrayRef<Term> terms) {
  llvm::SmallDenseMap<char, nn::Dim> sizes;
  for (const Term &term : terms)
    for (auto [label, dim] : llvm::zip_equal(term.labels, nn::shapeOf(term.value))) {
      auto [known, isNew] = sizes.try_emplace(label, dim);
      bool isStretched = label < maxEllipsis && (dim.isOne() || known->second.isOne());
      if (!isNew && known->second != dim && !isStretched) {
        node.error("a label of the equation '" + node.text("equation", "") + "' has dims " +
                   known->second.str() + " and " + dim.str());
        return false;
      }
      if (known->second.isOne())
        known->second = dim;
    }
  return true;
}

/// Without an arrow: the ellipsis, then the letters that occur once, in order.
static Labels implicitResult(ArrayRef<Term> terms, int64_t ellipsis) {
  std::map<char, int> counts;
  for (const Term &term : terms)
    for (char label : term.labels)
      ++counts[label];
  Labels labels;
  for (int64_t i = ellipsis; i > 0; --i)
    labels.push_back(char(i - 1));
  for (auto [label, count] : counts)
    if (count == 1 && label >= maxEllipsis)
      labels.push_back(label);
  return labels;
}

static void einsum(Node &node) {
  std::string equation = node.text("equation", "");
  llvm::erase(equation, ' ');
  auto [left, right] = StringRef(equation).split("->");
  SmallVector<StringRef> texts;
  left.split(texts, ',');
  if (int(texts.size()) != node.inputCount())
    return node.error("expects as many terms as inputs, got the equation '" + equation + "' and " +
                      Twine(node.inputCount()) + " inputs");
  SmallVector<Term> terms;
  int64_t ellipsis = 0;
  for (auto [i, text] : llvm::enumerate(texts)) {
    int64_t letters = llvm::count_if(text, llvm::isAlpha), dims = node.rank(i) - letters;
    bool hasEllipsis = text.contains("...");
    if (dims < 0 || (dims > 0 && !hasEllipsis) || dims >= maxEllipsis)
      return node.error("the term '" + text + "' does not fit input " + Twine(i) + " of shape " +
                        nn::str(node.shape(i)));
    std::optional<Labels> labels = parse(node, text, dims);
    if (!labels)
      return;
    ellipsis = std::max(ellipsis, hasEllipsis ? dims : 0);
    terms.push_back({node.value(i), *labels});
    if (!terms.back().value)
      return;
  }
  std::optional<Labels> result =
      StringRef(equation).contains("->") ? parse(node, right, ellipsis) : implicitResult(terms, ellipsis);
  if (!result)
    return;
  for (char label : *result)
    if (llvm::count(*result, label) > 1 ||
        llvm::none_of(terms, [&](const Term &t) { return has(t.labels, label); }))
      return node.error("each label of the result must occur there once and in a term, got the equation '" +
                        equation + "'");
  for (Term &term : terms)
    takeDiagonals(node, term);
  if (llvm::any_of(terms, [](const Term &term) { return !term.value; }) || !checkSizes(node, terms))
    return;
  Term all = terms.front();
  ArrayRef<Term> others = ArrayRef<Term>(terms).drop_front();
  while (!others.empty() && all.value) {
    Term next = others.front();
    others = others.drop_front();
    all = multiply(node, all, next, [&](char label) {
      return has(*result, label) || llvm::any_of(others, [&](const Term &t) { return has(t.labels, label); });
    });
  }
  sumOthers(node, all, [&](char label) { return has(*result, label); });
  if (all.value)
    node.give(0, inOrder(node, all, *result));
}

static const Operator operators[] = {
    {"Einsum", 12, einsum, 1, anyNumber, "equation"},
};

ArrayRef<Operator> operatorsOfEinsum() { return operators; }

} // namespace dlc::onnx
