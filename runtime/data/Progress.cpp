//===- Progress.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A progress line on a terminal. It must never disturb a program: where stderr is no terminal, or cannot be
// written, it does nothing.
//===----------------------------------------------------------------------===//
#include "runtime/data/Progress.h"

#include "dlc/runtime.h"
#include "runtime/core/PointLocale.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/ioctl.h>
#include <unistd.h>

struct dlc_progress {
  char label[80], note[61];
  int64_t total;
  bool visible; ///< stderr is a terminal
  bool ended;
  double began, shown; ///< seconds
  int64_t first;       ///< of the first update, which may be in the middle; -1 before it
  double firstTime;
  int width; ///< of the bar
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

/// "4.2 s", "3 min 05 s", "2 h 08 min"
void formatDuration(char *text, size_t bytes, double seconds) {
  const double longest = 1e9; // so that it is an integer, and short
  const auto whole = static_cast<long>(seconds < longest ? seconds : longest);
  if (seconds < 100)
    snprintf(text, bytes, "%.1f s", seconds);
  else if (whole < 6000)
    snprintf(text, bytes, "%ld min %02ld s", whole / 60, whole % 60);
  else
    snprintf(text, bytes, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
}

int formatWithBar(char *text, size_t bytes, int width, const Progress &progress) {
  const bool isFinished = progress.done >= progress.total;
  double fraction =
      progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 1;
  fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
  char bar[mostBar + 1], time[64] = "";
  for (int i = 0; i < width; ++i)
    bar[i] = i < static_cast<int>(fraction * width) ? '#' : '.';
  bar[width] = 0;
  if (isFinished || progress.left >= 0)
    formatDuration(time, sizeof time, isFinished ? progress.seconds : progress.left);
  return snprintf(text, bytes, "%s  [%s]  %" PRId64 "/%" PRId64 "  loss %.4g%s%s%s%s%s", progress.label, bar,
                  progress.done, progress.total, progress.loss, *progress.note ? "  " : "", progress.note,
                  *time ? "  " : "", time, *time && !isFinished ? " left" : "");
}

void show(dlc_progress &line, int64_t done, double loss, double now) {
  const auto since = static_cast<double>(done - line.first), ahead = static_cast<double>(line.total - done);
  const double left = since > 0 ? (now - line.firstTime) / since * ahead : -1;
  char content[256];
  const size_t columns = terminalColumns();
  formatProgress(content, sizeof content, columns - 1, line.width,
                 {line.label, line.note, done, line.total, loss, now - line.began, left});
  if (columns < sizeof content)
    content[columns - 1] = 0; // a longer line would wrap and could not be rewritten
  char text[300];
  int length = snprintf(text, sizeof text, "\r%s\x1b[K%s", content, line.ended ? "\n" : "");
  writeAll(text, static_cast<size_t>(length));
}
} // namespace

void formatProgress(char *text, size_t bytes, size_t columns, int &width, const Progress &progress) {
  const PointLocale locale;
  const int length = formatWithBar(text, bytes, width, progress);
  const auto room = static_cast<int>(columns < bytes ? columns : bytes - 1);
  if (length <= room)
    return;
  width = width - (length - room) > leastBar ? width - (length - room) : leastBar;
  formatWithBar(text, bytes, width, progress);
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
  progress->first = -1;
  progress->width = dlc::runtime::mostBar;
  *out = progress;
  return DLC_OK;
}

void dlc_progress_update(dlc_progress *progress, int64_t done, double loss) {
  if (!progress || !progress->visible || progress->ended)
    return;
  const double now = dlc::runtime::now();
  if (progress->first < 0) {
    progress->first = done;
    progress->firstTime = now;
  }
  progress->ended = done >= progress->total;
  if (!progress->ended && progress->shown >= 0 && now - progress->shown < dlc::runtime::interval)
    return;
  progress->shown = now;
  dlc::runtime::show(*progress, done, loss, now);
}

void dlc_progress_note(dlc_progress *progress, const char *note) {
  if (progress && note)
    snprintf(progress->note, sizeof progress->note, "%s", note);
}

void dlc_progress_destroy(dlc_progress *progress) {
  if (!progress)
    return;
  if (progress->visible && !progress->ended && progress->shown >= 0)
    dlc::runtime::writeAll("\r\x1b[K", 4); // for what the program says instead
  free(progress);
}

} // extern "C"
