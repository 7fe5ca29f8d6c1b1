//===- Einsum.cpp - sums of products over labelled dims ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are joined two at a time: labels that nothing else needs are
// summed, those of both operands and the result are dims of a batch of matrix products, those of both that
// are summed are the products' inner dim.
//===----------------------------------------------------------------------===//
#include "frontends/common/Einsum.h"
#include "dialects/nn/Expr.h"
#include "dialects/nn/Infer.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;

namespace dlc::frontend {

namespace {

/// A label for each dim: a letter, or a number below 32 for a dim that an ellipsis stands for, counted from
/// the back.
using Labels = SmallVector<char, 8>;
constexpr char maxEllipsis = 32;

struct Term {
  Value value;
  Labels labels;
};

/// Where operations go, and errors.
struct Context {
  ImplicitLocOpBuilder &b;
  std::string equation; ///< without spaces
  llvm::function_ref<void(const Twine &)> error;
};

} // namespace

static bool has(const Labels &labels, char label) { return llvm::is_contained(labels, label); }
static nn::Dim sizeOf(const Term &term, char label) {
  return nn::shapeOf(term.value)[llvm::find(term.labels, label) - term.labels.begin()];
}

/// Labels of a term's text; an ellipsis stands for `dims` dims. Nullopt after an error.
static std::optional<Labels> parse(Context &context, StringRef text, int64_t dims) {
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
      context.error("the equation must consist of letters, '...', ',' and '->', got '" + context.equation +
                    "'");
      return std::nullopt;
    }
  }
  return labels;
}

/// Reshapes `x`, unless it has this shape already.
static nn::Expr reshaped(nn::Expr x, ArrayRef<nn::Dim> shape) {
  RankedTensorType type = nn::tensorType(shape, x.elementType());
  return x.type() == type ? x : nn::reshape(x, type);
}

/// Puts dims in this order; the term has exactly these labels.
static nn::Expr inOrder(Context &context, const Term &term, const Labels &order) {
  SmallVector<int64_t> permutation;
  for (char label : order)
    permutation.push_back(llvm::find(term.labels, label) - term.labels.begin());
  nn::Expr value(context.b, term.value);
  return llvm::is_sorted(permutation) ? value : nn::transpose(value, permutation);
}

/// Elements where both dims of a label that occurs twice have the same position.
static void takeDiagonals(Context &context, Term &term) {
  for (size_t second = 0; second < term.labels.size(); ++second) {
    size_t first = llvm::find(term.labels, term.labels[second]) - term.labels.begin();
    if (first == second)
      continue;
    nn::Shape shape = nn::shapeOf(term.value), a(shape.size(), nn::Dim(1)), b = a;
    if (shape[first] != shape[second])
      return term.value = {}, // reported
             context.error("a label that occurs twice in a term needs equal dims, got " + nn::str(shape));
    a[first] = shape[first];
    b[second] = shape[second];
    Type i64 = context.b.getI64Type();
    nn::Expr row(context.b, nn::IotaOp::create(context.b, nn::tensorType(a, i64), first).getY());
    nn::Expr column(context.b, nn::IotaOp::create(context.b, nn::tensorType(b, i64), second).getY());
    nn::Expr kept = nn::select(nn::equal(row, column), nn::Expr(context.b, term.value), 0.0);
    term.value = nn::sum(kept, {int64_t(second)}, /*keepdims=*/false);
    term.labels.erase(term.labels.begin() + second--);
  }
}

/// Sums over the labels that nothing else needs.
static void sumOthers(Context &context, Term &term, function_ref<bool(char)> isNeeded) {
  SmallVector<int64_t> axes;
  Labels kept;
  for (auto [i, label] : llvm::enumerate(term.labels))
    if (isNeeded(label))
      kept.push_back(label);
    else
      axes.push_back(int64_t(i));
  if (axes.empty())
    return;
  term.value = nn::sum({context.b, term.value}, axes, /*keepdims=*/false);
  term.labels = kept;
}

/// The product of two terms, summed over the labels that are not needed afterwards.
static Term multiply(Context &context, Term a, Term b, function_ref<bool(char)> isNeeded) {
  sumOthers(context, a, [&](char label) { return isNeeded(label) || has(b.labels, label); });
  sumOthers(context, b, [&](char label) { return isNeeded(label) || has(a.labels, label); });
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
  nn::Expr left = reshaped(inOrder(context, a, orderA), batchA);
  nn::Expr right = reshaped(inOrder(context, b, orderB), batchB);
  if (inner.empty()) {
    nn::Shape across(batchB.begin(), batchB.end() - 2);
    across.append({k, n});
    result.value = reshaped(left * reshaped(right, across), shape);
  } else {
    result.value = reshaped(nn::matmul(left, right, /*transposeA=*/false, /*transposeB=*/true), shape);
  }
  return result;
}

/// Dims of one label must be equal; only those of an ellipsis may be 1, too.
static bool checkSizes(Context &context, ArrayRef<Term> terms) {
  llvm::SmallDenseMap<char, nn::Dim> sizes;
  for (const Term &term : terms)
    for (auto [label, dim] : llvm::zip_equal(term.labels, nn::shapeOf(term.value))) {
      auto [known, isNew] = sizes.try_emplace(label, dim);
      bool isStretched = label < maxEllipsis && (dim.isOne() || known->second.isOne());
      if (!isNew && known->second != dim && !isStretched) {
        context.error("a label of the equation '" + context.equation + "' has dims " + known->second.str() +
                      " and " + dim.str());
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

/// Terms of the left side with their labels; nullopt after an error.
static std::optional<SmallVector<Term>> termsOf(Context &context, StringRef left, ValueRange operands,
                                                int64_t &ellipsis) {
  SmallVector<StringRef> texts;
  left.split(texts, ',');
  if (texts.size() != operands.size()) {
    context.error("expects as many terms as inputs, got the equation '" + context.equation + "' and " +
                  Twine(operands.size()) + " inputs");
    return std::nullopt;
  }
  SmallVector<Term> terms;
  for (auto [i, text] : llvm::enumerate(texts)) {
    nn::Shape shape = nn::shapeOf(operands[i]);
    int64_t letters = llvm::count_if(text, llvm::isAlpha), dims = int64_t(shape.size()) - letters;
    bool hasEllipsis = text.contains("...");
    if (dims < 0 || (dims > 0 && !hasEllipsis) || dims >= maxEllipsis) {
      context.error("the term '" + text + "' does not fit input " + Twine(i) + " of shape " + nn::str(shape));
      return std::nullopt;
    }
    std::optional<Labels> labels = parse(context, text, dims);
    if (!labels)
      return std::nullopt;
    ellipsis = std::max(ellipsis, hasEllipsis ? dims : 0);
    terms.push_back({operands[i], *labels});
  }
  return terms;
}

static bool checkTypes(Context &context, ValueRange operands) {
  for (Value operand : operands)
    if (nn::elementTypeOf(operand) != nn::elementTypeOf(operands[0]) ||
        nn::elementTypeOf(operand).isInteger(1)) {
      context.error("expects numbers of one dtype");
      return false;
    }
  return true;
}

Value einsum(ImplicitLocOpBuilder &builder, StringRef equation, ValueRange operands,
             llvm::function_ref<void(const Twine &)> error) {
  Context context{builder, equation.str(), error};
  llvm::erase(context.equation, ' ');
  auto [left, right] = StringRef(context.equation).split("->");
  int64_t ellipsis = 0;
  std::optional<SmallVector<Term>> terms = termsOf(context, left, operands, ellipsis);
  if (!terms || !checkTypes(context, operands))
    return {};
  std::optional<Labels> result = StringRef(context.equation).contains("->")
                                     ? parse(context, right, ellipsis)
                                     : implicitResult(*terms, ellipsis);
  if (!result)
    return {};
  for (char label : *result)
    if (llvm::count(*result, label) > 1 ||
        llvm::none_of(*terms, [&](const Term &t) { return has(t.labels, label); })) {
      context.error("each label of the result must occur there once and in a term, got the equation '" +
                    context.equation + "'");
      return {};
    }
  for (Term &term : *terms) {
    takeDiagonals(context, term);
    if (!term.value)
      return {};
  }
  if (!checkSizes(context, *terms))
    return {};
  Term all = terms->front();
  ArrayRef<Term> others = ArrayRef<Term>(*terms).drop_front();
  while (!others.empty()) {
    Term next = others.front();
    others = others.drop_front();
    all = multiply(context, all, next, [&](char label) {
      return has(*result, label) || llvm::any_of(others, [&](const Term &t) { return has(t.labels, label); });
    });
  }
  sumOthers(context, all, [&](char label) { return has(*result, label); });
  return inOrder(context, all, *result);
}

} // namespace dlc::frontend
