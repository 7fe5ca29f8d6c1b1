//===- Progress.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A progress line on a terminal. It must never disturb a program: where stderr is no terminal, or cannot be
// written, it does nothing.
//===----------------------------------------------------------------------===//
#include "runtime/data/Progress.h"

#include "dlc/runtime.h"
#include "runtime/core/Memory.h"

#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <sys/ioctl.h>
#include <unistd.h>

struct dlc_progress {
  char label[80], note[61];
  int64_t total;
  bool visible; ///< stderr is a terminal
  bool ended;
  double began, shown; ///< seconds
};

namespace dlc::runtime {

namespace {
constexpr double interval = 0.1;

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

size_t terminalColumns() {
  winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

void writeAll(const char *text, size_t bytes) {
  while (bytes > 0) {
    ssize_t put = write(STDERR_FILENO, text, bytes);
    if (put <= 0)
      return;
    text += put;
    bytes -= static_cast<size_t>(put);
  }
}

void show(const dlc_progress &progress, int64_t done, double loss, double seconds) {
  char line[256];
  formatProgress(line, sizeof line, progress.label, done, progress.total, loss, progress.note, seconds);
  size_t columns = terminalColumns();
  if (columns < sizeof line)
    line[columns - 1] = 0; // a longer line would wrap and could not be rewritten
  char text[300];
  int length = snprintf(text, sizeof text, "\r%s\x1b[K%s", line, progress.ended ? "\n" : "");
  writeAll(text, static_cast<size_t>(length));
}
} // namespace

void formatProgress(char *text, size_t bytes, const char *label, int64_t done, int64_t total, double loss,
                    const char *note, double seconds) {
  constexpr int width = 24;
  char bar[width + 1];
  double fraction = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
  fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
  for (int i = 0; i < width; ++i)
    bar[i] = i < static_cast<int>(fraction * width) ? '#' : '.';
  bar[width] = 0;
  bool finished = done >= total;
  char time[64] = "";
  if (finished)
    snprintf(time, sizeof time, "  %.1f s", seconds);
  else if (done > 0)
    snprintf(time, sizeof time, "  %.1f s left",
             seconds / static_cast<double>(done) * static_cast<double>(total - done));
  snprintf(text, bytes, "%s  [%s]  %" PRId64 "/%" PRId64 "  loss %.4g%s%s%s", label, bar, done, total, loss,
           *note ? "  " : "", note, time);
}

} // namespace dlc::runtime

extern "C" {

dlc_status dlc_progress_create(const char *label, int64_t total, dlc_progress **out) {
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = nullptr;
  if (!label || total < 0)
    return DLC_INVALID_ARGUMENT;
  auto *progress = static_cast<dlc_progress *>(calloc(1, sizeof(dlc_progress)));
  if (!progress)
    return DLC_OUT_OF_MEMORY;
  snprintf(progress->label, sizeof progress->label, "%s", label);
  progress->total = total;
  progress->visible = isatty(STDERR_FILENO) == 1;
  progress->began = dlc::runtime::now();
  progress->shown = -1;
  *out = progress;
  return DLC_OK;
}

void dlc_progress_update(dlc_progress *progress, int64_t done, double loss) {
  if (!progress || !progress->visible || progress->ended)
    return;
  const double now = dlc::runtime::now();
  progress->ended = done >= progress->total;
  if (!progress->ended && progress->shown >= 0 && now - progress->shown < dlc::runtime::interval)
    return;
  progress->shown = now;
  dlc::runtime::show(*progress, done, loss, now - progress->began);
}

void dlc_progress_note(dlc_progress *progress, const char *note) {
  if (progress && note)
    snprintf(progress->note, sizeof progress->note, "%s", note);
}

void dlc_progress_destroy(dlc_progress *progress) {
  if (!progress)
    return;
  if (progress->visible && !progress->ended && progress->shown >= 0)
    dlc::runtime::writeAll("\n", 1);
  free(progress);
}

} // extern "C"
