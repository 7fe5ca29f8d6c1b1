//===- ReportPageTest.cpp - what the pages of dlc report are made of ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Chart.h"
#include "tools/dlc/report/Document.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace dlc::tool::report;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(ReportPages, ShowMarkupAsText) {
  EXPECT_EQ(escaped("<a href=\"x\" b='y'>&amp;"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(escaped(std::string("a\0\x1b\x7f", 4) + "b\n\xc3\xa9"), "a   b\n\xc3\xa9");
  const std::string page = Document("</title><script>").text();
  EXPECT_EQ(page.find("<script>"), std::string::npos);
}

TEST(ReportPages, NameSectionsOnce) {
  Document document("d");
  document.section("a", "One");
  document.section("a", "Two");
  const std::string page = document.text();
  EXPECT_NE(page.find("<section id=\"a\"><h2>One"), std::string::npos);
  EXPECT_NE(page.find("<section id=\"a-2\"><h2>Two"), std::string::npos);
  EXPECT_NE(page.find("<a href=\"#a-2\">Two</a>"), std::string::npos);
}

TEST(ReportPages, PrintNumbers) {
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(bytesText(9999), "9,999 bytes");
  EXPECT_EQ(bytesText(12345), "12.3 kB");
  EXPECT_EQ(bytesText(4058304), "4.06 MB");
  EXPECT_EQ(bytesText(456'700'000'000), "457 GB");
  EXPECT_EQ(place(2.50), "2.5");
  EXPECT_EQ(place(-0.001), "0");
  EXPECT_EQ(place(nan), "0");
}

TEST(ReportPages, HaveRoundTicks) {
  EXPECT_EQ(ticks(0, 100), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(ticks(-1.1, 1.1), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(ticks(3, 3), std::vector<double>{3});
  EXPECT_EQ(ticks(-4, -1).back(), -1);
  // However near and however far the ends are, there are few, and none is outside.
  for (double low : {-1e300, -1.0, 0.0, 1e-300, 1.0})
    for (double width : {1e-320, 1e-16, 1e-3, 1.0, 1e300}) {
      const std::vector<double> all = ticks(low, low + width);
      ASSERT_FALSE(all.empty());
      EXPECT_LE(all.size(), 16u);
    }
}

/// The points of a curve's path, as the page has them.
size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(ReportPages, LeaveGapsWhereThereIsNoNumber) {
  const std::string svg =
      chart("loss", "step", {{"loss", {{1, 4}, {2, nan}, {3, 2}, {4, 1}, {5, INFINITY}, {6, 3}}}});
  // One line from 3 to 4, and a dot each for 1 and 6.
  EXPECT_NE(svg.find("lowest 1 (step 4), highest 4 (step 1), 2 of 6 not finite"), std::string::npos) << svg;
  EXPECT_EQ(countOf(svg, "h0.01"), 2u) << svg;
  EXPECT_EQ(chart("loss", "step", {{"loss", {{1, nan}}}}).find("<path class=\"curve"), std::string::npos);
}

TEST(ReportPages, KeepPeaksOfLongCurves) {
  Curve curve = {"loss", {}};
  for (int i = 0; i < 1'000'000; ++i)
    curve.points.emplace_back(i, i == 123'456 ? 50 : i % 7);
  const std::string svg = chart("loss", "step", {curve});
  EXPECT_LT(svg.size(), 20'000u);
  EXPECT_NE(svg.find("highest 50 (step 1.235e+05)"), std::string::npos);
  EXPECT_EQ(countOf(svg, " 12L") + countOf(svg, " 12\""), 1u) << "the peak touches the top once";
}

} // namespace
