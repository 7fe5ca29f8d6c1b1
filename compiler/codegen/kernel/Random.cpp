//===- Random.cpp - counter-based random bits on vectors -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011). Words
// are kept in the low halves of 64-bit lanes: x86 multiplies 32 x 32 -> 64 bits there (vpmuludq), and
// what rounds leave in the high halves is masked only before a multiplication.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Random.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {

namespace {

/// 64-bit arithmetic on scalars or on vectors of the point's lanes.
struct Words {
  Builder &b;
  Type type;

  Value number(uint64_t value) {
    TypedAttr attribute = b.getI64IntegerAttr(static_cast<int64_t>(value));
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, cast<Attribute>(attribute));
    return arith::ConstantOp::create(b, attribute);
  }
  Value low(Value x) { return arith::AndIOp::create(b, x, number(0xffffffffu)); }
  Value high(Value x) { return arith::ShRUIOp::create(b, x, number(32)); }
  Value exclusiveOr(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  Value product(Value x, uint64_t factor) {
    Value half = low(x);
    return arith::MulIOp::create(b, half, number(factor));
  }
};

} // namespace

/// The keys may be scalars of the whole tile: then those of the rounds are, too.
static SmallVector<Value, 4> philox(Words w, SmallVector<Value, 4> x, Value key0, Value key1) {
  Words keys{w.b, key0.getType()};
  auto spread = [&](Value key) -> Value {
    return key.getType() == w.type ? key : vector::BroadcastOp::create(w.b, w.type, key).getResult();
  };
  for (int round = 0; round < 10; ++round) {
    Value p0 = w.product(x[0], 0xD2511F53u), p1 = w.product(x[2], 0xCD9E8D57u);
    Value k0 = spread(arith::AddIOp::create(w.b, key0, keys.number(uint64_t(round) * 0x9E3779B9u)));
    Value k1 = spread(arith::AddIOp::create(w.b, key1, keys.number(uint64_t(round) * 0xBB67AE85u)));
    x = {w.exclusiveOr(w.exclusiveOr(w.high(p1), x[1]), k0), p1,
         w.exclusiveOr(w.exclusiveOr(w.high(p0), x[3]), k1), p0};
  }
  return x;
}

static Value toI64(Builder &b, Value position) {
  Type i64 = b.getI64Type();
  if (auto vector = dyn_cast<VectorType>(position.getType()))
    i64 = vector.clone(i64);
  return getElementTypeOrSelf(position.getType()).isIndex()
             ? arith::IndexCastOp::create(b, i64, position).getResult()
             : position;
}

/// The row's index of a point, where it is the position of one loop that is not vectorised: then the
/// eight rows of an aligned tile can share words, and the row's half-word is known at compile time.
static std::optional<int64_t> rowInTile(train::RandomBitsOp op, const Point &point) {
  auto index = op.getRow().getDefiningOp<linalg::IndexOp>();
  if (!index || static_cast<int64_t>(index.getDim()) == point.laneDim)
    return std::nullopt;
  return point.loops[index.getDim()].offset;
}

Value emitRandomBits(Builder &b, train::RandomBitsOp op, IRMapping &values, const Point &point,
                     RandomWords *cache) {
  Type i64 = b.getI64Type();
  Type type = point.isVector() ? Type(VectorType::get({point.lanes}, i64)) : i64;
  Words w{b, type};
  auto value = [&](Value v) { return asVector(b, point, toI64(b, values.lookupOrDefault(v))); };

  auto tileRow = cache ? rowInTile(op, point) : std::nullopt;
  int64_t lane = point.laneDim >= 0 ? point.loops[point.laneDim].offset : 0;
  SmallVector<Value, 4> words;
  // A tile's rows may be counted from behind: the offset can be negative.
  int64_t half = tileRow ? ((*tileRow % 8) + 8) % 8 : 0;
  std::pair<Operation *, int64_t> key{op, lane * 4096 + (tileRow ? (*tileRow - half) / 8 : 0)};
  if (tileRow)
    if (auto it = cache->find(key); it != cache->end())
      words = it->second;
  if (words.empty()) {
    Value row = value(op.getRow());
    Value block = arith::ShRUIOp::create(b, row, w.number(3));
    Value before = arith::MulIOp::create(b, block, value(op.getColumns()));
    Value counter = arith::AddIOp::create(b, before, value(op.getColumn()));
    Value draws = value(op.getDraws()), seed = toI64(b, values.lookupOrDefault(op.getSeed()));
    SmallVector<Value, 4> input{counter, w.number(op.getStream()), w.low(draws), w.high(draws)};
    Words keys{b, seed.getType()};
    Value key0 = keys.low(seed), key1 = keys.high(seed);
    words = philox(w, input, key0, key1);
    if (tileRow)
      (*cache)[key] = words;
  }

  // Half-word h is bits 16 * (h mod 2) of word h div 2.
  Value bits;
  if (tileRow) {
    bits = arith::ShRUIOp::create(b, words[half / 2], w.number(16 * (half % 2)));
  } else {
    Value row = value(op.getRow());
    row = arith::AndIOp::create(b, row, w.number(7));
    Value word = words[0];
    for (int64_t i = 1; i < 4; ++i) {
      Value here = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, row, w.number(2 * i));
      word = arith::SelectOp::create(b, here, words[i], word);
    }
    Value isOdd = arith::AndIOp::create(b, row, w.number(1));
    Value shift = arith::ShLIOp::create(b, isOdd, w.number(4));
    bits = arith::ShRUIOp::create(b, word, shift);
  }
  Type i32 = b.getI32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    i32 = vector.clone(i32);
  return arith::TruncIOp::create(b, i32, arith::AndIOp::create(b, bits, w.number(0xffff)));
}

} // namespace dlc::codegen
