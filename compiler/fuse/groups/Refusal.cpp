//===- Refusal.cpp - why two operations are not in one kernel --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/groups/Refusal.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

namespace dlc::fuse {

std::string Refusal::sentence() const {
  switch (reason) {
  case Reason::Product:
    return "the reader is a matrix product or a convolution, whose operands are tensors in memory";
  case Reason::Scatter:
    return "one of both adds at positions that it computes, and is a kernel of its own";
  case Reason::TooLong:
    return llvm::formatv("together they have {0} operations, more than the {1} that a kernel may have", has,
                         most);
  case Reason::Gathered:
    return "it is read at positions that are computed";
  case Reason::OtherLoops:
    return llvm::formatv(
        "the reader goes along with {0} of a product's {1} loops, and what joins a product goes "
        "along with all",
        has, most);
  case Reason::MakesMore:
    return "others read what the reader makes without the product, and it is made for all of them at once";
  case Reason::NotOnTiles:
    return "the reader does more than elementwise work on the product, or goes through it in another order";
  case Reason::TwoSums:
    return "both are sums of everything, and each waits only for what it reads";
  case Reason::NothingShared:
    return "their outermost loops do not go along with each other";
  case Reason::SmallBeside:
    return "it is small beside the matrices of a product that the reader goes through";
  case Reason::Columns:
    return "one of both sums over columns, which vectors read side by side";
  case Reason::FewIterations:
    return llvm::formatv("they have {0} iterations in common, and {1} are the fewest that are worth it", has,
                         most);
  case Reason::Between:
    return "another kernel reads the one's results and makes what the other reads";
  case Reason::LargerThanCache:
    return llvm::formatv(
        "steps of one kernel would hand on {0} bytes at a time, and {1} have room in a core's cache", has,
        most);
  }
  llvm_unreachable("all reasons have a sentence");
}

} // namespace dlc::fuse
