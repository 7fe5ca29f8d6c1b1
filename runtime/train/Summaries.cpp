//===- Summaries.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What files of events have beside curves: histograms, pictures, and hyperparameters as TensorBoard's plugin
// "hparams" reads them. The messages, of framework/summary.proto and of the plugin's api.proto and
// plugin_data.proto, with the fields that are written:
//   HistogramProto { double min = 1, max = 2, num = 3, sum = 4, sum_squares = 5;
//                    repeated double bucket_limit = 6, bucket = 7; }
//   Image { int32 height = 1, width = 2, colorspace = 3; bytes encoded_image_string = 4; }
//   SummaryMetadata { PluginData plugin_data = 1; }   PluginData { string plugin_name = 1; bytes content = 2;
//   } HParamsPluginData { int32 version = 1; Experiment experiment = 2; SessionStartInfo session_start_info =
//   3;
//                       SessionEndInfo session_end_info = 4; }
//   Experiment { double time_created_secs = 3; repeated HParamInfo hparam_infos = 4;
//                repeated MetricInfo metric_infos = 5; }
//   HParamInfo { string name = 1; DataType type = 4; }   MetricInfo { MetricName name = 1; }
//   MetricName { string group = 1, tag = 2; }
//   SessionStartInfo { map<string, Value> hparams = 1; double start_time_secs = 5; }
//   SessionEndInfo { Status status = 1; double end_time_secs = 2; }
//   Value { double number_value = 2; string string_value = 3; }
//===----------------------------------------------------------------------===//
#include "runtime/train/EventRecords.h"
#include "runtime/train/Png.h"

#include <cmath>
#include <cstring>

using namespace dlc::runtime;

namespace {

//===-- Histograms ------------------------------------------------------------------===//

constexpr int buckets = 64;

/// Statistics of the numbers that are finite.
struct Histogram {
  double least = 0, largest = 0, count = 0, sum = 0, squares = 0;
  double inBucket[buckets] = {};
  double limit(int bucket) const {
    return bucket + 1 == buckets ? largest : least + (largest - least) * (bucket + 1) / buckets;
  }
};

template <typename T> Histogram histogramOf(const T *values, int64_t count) {
  Histogram result;
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    if (!std::isfinite(value))
      continue;
    result.least = result.count == 0 || value < result.least ? value : result.least;
    result.largest = result.count == 0 || value > result.largest ? value : result.largest;
    result.sum += value;
    result.squares += value * value;
    ++result.count;
  }
  const double scale = buckets / (result.largest - result.least); // inf where all are equal
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    if (!std::isfinite(value))
      continue;
    const double place = value == result.largest ? buckets - 1 : (value - result.least) * scale;
    ++result.inBucket[place < buckets - 1 ? static_cast<int>(place) : buckets - 1];
  }
  return result;
}

void fill(const Histogram &histogram, Message &message) {
  message.real(1, histogram.least);
  message.real(2, histogram.largest);
  message.real(3, histogram.count);
  message.real(4, histogram.sum);
  message.real(5, histogram.squares);
  double limits[buckets];
  for (int i = 0; i < buckets; ++i)
    limits[i] = histogram.limit(i);
  message.text(6, limits, sizeof limits);
  message.text(7, histogram.inBucket, sizeof histogram.inBucket);
}

//===-- Hyperparameters ---------------------------------------------------------------===//

dlc_status writePluginData(dlc_events &events, const char *tag, unsigned number, const Message &message) {
  Message data, plugin, metadata, value;
  data.integer(1, 0); // the version
  data.message(number, message);
  plugin.text(1, "hparams");
  plugin.message(2, data);
  metadata.message(1, plugin);
  value.text(1, tag);
  value.message(9, metadata);
  return writeValue(events, 0, value);
}

constexpr uint64_t typeText = 1, typeNumber = 3; // of DataType

dlc_status writeExperiment(dlc_events &events, const dlc_event_setting *settings, int32_t count,
                           const char *const *metrics, int32_t metricCount) {
  Message experiment;
  experiment.real(3, secondsNow());
  for (int32_t i = 0; i < count; ++i) {
    Message info;
    info.text(1, settings[i].name);
    info.integer(4, settings[i].text ? typeText : typeNumber);
    experiment.message(4, info);
  }
  for (int32_t i = 0; i < metricCount; ++i) {
    Message name, info;
    name.text(2, metrics[i]);
    info.message(1, name);
    experiment.message(5, info);
  }
  return writePluginData(events, "_hparams_/experiment", 2, experiment);
}

dlc_status writeStart(dlc_events &events, const dlc_event_setting *settings, int32_t count) {
  Message start;
  for (int32_t i = 0; i < count; ++i) {
    Message entry, value;
    if (settings[i].text)
      value.text(3, settings[i].text);
    else
      value.real(2, settings[i].number);
    entry.text(1, settings[i].name);
    entry.message(2, value);
    start.message(1, entry);
  }
  start.real(5, secondsNow());
  return writePluginData(events, "_hparams_/session_start_info", 3, start);
}

bool isName(const char *text) { return text && *text && strlen(text) <= longestTag; }

} // namespace

void dlc::runtime::writeEndOfSession(dlc_events &events) {
  constexpr uint64_t success = 1;
  Message end;
  end.integer(1, success);
  end.real(2, secondsNow());
  writePluginData(events, "_hparams_/session_end_info", 4, end); // a file that is full lacks it
}

extern "C" {

dlc_status dlc_events_histogram(dlc_events *events, const char *tag, int64_t step, int32_t dtype,
                                const void *values, int64_t count) {
  if (!events || !isName(tag) || count < 0 || (count > 0 && !values) ||
      (dtype != DLC_F32 && dtype != DLC_F64))
    return DLC_INVALID_ARGUMENT;
  const Histogram histogram = dtype == DLC_F32 ? histogramOf(static_cast<const float *>(values), count)
                                               : histogramOf(static_cast<const double *>(values), count);
  Message spread, value;
  fill(histogram, spread);
  value.text(1, tag);
  value.message(5, spread);
  return writeValue(*events, step, value);
}

dlc_status dlc_events_image(dlc_events *events, const char *tag, int64_t step, int32_t height, int32_t width,
                            int32_t channels, const uint8_t *pixels) {
  constexpr int32_t largest = 4096;
  if (!events || !isName(tag) || !pixels || height < 1 || height > largest || width < 1 || width > largest ||
      (channels != 1 && channels != 3))
    return DLC_INVALID_ARGUMENT;
  Array<unsigned char> png;
  if (!writePng(height, width, channels, pixels, png))
    return DLC_OUT_OF_MEMORY;
  Message image, value;
  image.integer(1, static_cast<uint64_t>(height));
  image.integer(2, static_cast<uint64_t>(width));
  image.integer(3, static_cast<uint64_t>(channels));
  image.text(4, png.data(), png.size());
  value.text(1, tag);
  value.message(4, image);
  return writeValue(*events, step, value);
}

dlc_status dlc_events_hyperparameters(dlc_events *events, const dlc_event_setting *settings, int32_t count,
                                      const char *const *metrics, int32_t metric_count) {
  if (!events || count < 0 || (count > 0 && !settings) || metric_count < 0 ||
      (metric_count > 0 && !metrics) || events->hasSettings)
    return DLC_INVALID_ARGUMENT;
  for (int32_t i = 0; i < count; ++i)
    if (!isName(settings[i].name))
      return DLC_INVALID_ARGUMENT;
  for (int32_t i = 0; i < metric_count; ++i)
    if (!isName(metrics[i]))
      return DLC_INVALID_ARGUMENT;
  if (dlc_status status = writeExperiment(*events, settings, count, metrics, metric_count))
    return status;
  events->hasSettings = true;
  return writeStart(*events, settings, count);
}

} // extern "C"
