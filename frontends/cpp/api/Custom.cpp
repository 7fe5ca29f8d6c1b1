//===- Custom.cpp - operations of one's own ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/custom.h"
#include "frontends/cpp/api/Detail.h"

namespace dlc {

std::vector<Tensor> custom(const std::string &file, const std::string &name,
                           const std::vector<Tensor> &inputs, const std::map<std::string, double> &attributes,
                           Where where) {
  std::vector<record::Id> ids;
  for (const Tensor &input : inputs) {
    if (!input.defined())
      detail::fail(name + ": a tensor without a value was given", where);
    ids.push_back(input.id());
  }
  std::vector<Tensor> outputs;
  for (record::Id id : detail::unwrap(
           record::Recorder::get().custom(file, name, ids, attributes, detail::placeOf(where)), where))
    outputs.push_back(detail::unlessNoGrad(Tensor::of(id), where));
  return outputs;
}

} // namespace dlc
