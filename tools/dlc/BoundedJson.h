//===- BoundedJson.h - JSON of others ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_BOUNDEDJSON_H
#define DLC_TOOLS_DLC_BOUNDEDJSON_H

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace dlc::tool {

/// Parses text or a stream. Throws nlohmann's exceptions, and std::runtime_error where more than 32 values
/// lie one inside the other: printing and comparing them would take as many calls inside calls. What dlc
/// writes has fewer than ten.
template <typename Json, typename Input> Json parseBounded(Input &&input) {
  constexpr int deepest = 32;
  return Json::parse(std::forward<Input>(input), [](int depth, typename Json::parse_event_t, Json &) {
    if (depth > deepest)
      throw std::runtime_error("too many brackets inside brackets");
    return true;
  });
}

/// A whole number that 64 bits hold; else nlohmann's exception. (Its own conversions cut off what is too
/// large, and what stands behind a decimal point.)
template <typename Json> int64_t wholeNumber(const Json &json) {
  const bool fits = json.is_number_integer() &&
                    (!json.is_number_unsigned() || json.template get<uint64_t>() <= uint64_t{INT64_MAX});
  return fits ? json.template get<int64_t>()
              : throw Json::type_error::create(302, "expected a whole number of 64 bits", &json);
}

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_BOUNDEDJSON_H
