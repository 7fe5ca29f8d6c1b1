//===- LogDetails.cpp - what TensorBoard shows beside curves ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Log.h"
#include <algorithm>
#include <cstdlib>

namespace dlc::tool::training {

namespace {

/// A number where the text is one, else the text, which must outlive it.
dlc_event_setting settingOf(const std::string &name, const std::string &text) {
  char *end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool isNumber = !text.empty() && *end == 0;
  return {name.c_str(), isNumber ? nullptr : text.c_str(), isNumber ? number : 0};
}

/// The names of options as a page shows them: "--batch" is "batch".
std::string withoutDashes(const std::string &option) {
  return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

/// An input of images: its channels (1 or 3), their height and their width.
struct ImageShape {
  int64_t channels, height, width;
};
std::optional<ImageShape> imageShapeOf(const dlc_input &input) {
  if (input.is_target || input.dtype != DLC_F32 || input.rank < 3 || input.rank > 4)
    return std::nullopt;
  const bool hasChannels = input.rank == 4;
  const ImageShape shape = {hasChannels ? input.shape[1] : 1, input.shape[input.rank - 2],
                            input.shape[input.rank - 1]};
  constexpr int64_t largest = 4096; // as dlc_events_image takes it
  const bool isOne =
      (shape.channels == 1 || shape.channels == 3) && shape.height <= largest && shape.width <= largest;
  return isOne ? std::optional(shape) : std::nullopt;
}

/// Pixels from 0 to 255, channels last: of values from 0 to 1, or else from the smallest to the largest.
std::vector<uint8_t> pixelsOf(const std::vector<float> &values, const ImageShape &shape) {
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  float low = 0, high = 1;
  if (*least < 0 || *largest > 1)
    low = *least, high = *largest;
  const int64_t size = shape.height * shape.width;
  std::vector<uint8_t> pixels(values.size());
  for (int64_t at = 0; at < size; ++at)
    for (int64_t channel = 0; channel < shape.channels; ++channel) {
      const float part = high > low ? (values[size_t(channel * size + at)] - low) / (high - low) : 0;
      pixels[size_t(at * shape.channels + channel)] = uint8_t(std::clamp(part * 255 + 0.5f, 0.0f, 255.0f));
    }
  return pixels;
}

} // namespace

void Log::check(dlc_status status) const {
  if (status != DLC_OK)
    throw Failure(path + ": cannot be written");
}

void Log::addSettings(const TrainOptions &options, Instance &instance, int64_t samples) {
  if (!events)
    return;
  std::map<std::string, std::string> texts;
  for (const auto &[option, value] : options.settings)
    if (option != "--data" && option != "--valid" && value.size() <= 1000)
      texts[withoutDashes(option)] = value;
  texts["model"] = instance.model.name;
  std::map<std::string, double> numbers = {{"batch", double(batchRows(instance.model))},
                                           {"samples", double(samples)}};
  for (const Metric &metric : instance.hyperparameters())
    numbers[metric.name] = metric.value;
  std::vector<dlc_event_setting> settings;
  for (const auto &[name, text] : texts)
    if (!numbers.count(name))
      settings.push_back(settingOf(name, text));
  for (const auto &[name, number] : numbers)
    settings.push_back({name.c_str(), nullptr, number});
  std::vector<const char *> shown;
  for (const std::string &tag : tags)
    shown.push_back(tag.c_str());
  check(dlc_events_hyperparameters(events, settings.data(), int32_t(settings.size()), shown.data(),
                                   int32_t(shown.size())));
}

void Log::addImages(const DataSet &data, int64_t count) {
  if (!events)
    throw Failure("--log-images: images are for TensorBoard: give a folder, as in --log=runs/first");
  bool found = false;
  for (const Column &column : *data.columns) {
    const std::optional<ImageShape> shape = imageShapeOf(*column.input);
    if (!shape)
      continue;
    found = true;
    for (int64_t i = 0; i < std::min(count, data.samples()); ++i) {
      std::vector<float> values(size_t(shape->channels * shape->height * shape->width));
      readSample(column, data.place(i), values.data());
      const std::string tag = std::string(column.input->name) + "/" + std::to_string(i);
      check(dlc_events_image(events, tag.c_str(), 0, int32_t(shape->height), int32_t(shape->width),
                             int32_t(shape->channels), pixelsOf(values, *shape).data()));
    }
  }
  if (!found)
    throw Failure(
        "--log-images: no input of the model has images: float32 [batch][height][width], or with 1 or "
        "3 channels [batch][channels][height][width]");
}

void Log::addValues(int64_t step, Instance &instance) {
  if (!events)
    return;
  instance.forEachTrained(
      [&](const std::string &name, const std::vector<float> &values, const std::vector<float> &gradient) {
        check(dlc_events_histogram(events, ("parameter/" + name).c_str(), step, DLC_F32, values.data(),
                                   int64_t(values.size())));
        check(dlc_events_histogram(events, ("gradient/" + name).c_str(), step, DLC_F32, gradient.data(),
                                   int64_t(gradient.size())));
      });
}

} // namespace dlc::tool::training
