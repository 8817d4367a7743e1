// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/series_style.h"

#include <algorithm>
#include <array>

namespace parapet::ui {
namespace {

/// After Okabe and Ito (blue, vermilion, bluish green, reddish purple, yellow, grey), each moved in
/// lightness until it reads on its background; neighbours differ in lightness too.
constexpr std::array<QRgb, kSeriesColors> kOnLight = {0xff0072b2, 0xffc2410c, 0xff007a5a,
                                                      0xffa3477f, 0xff8a6d00, 0xff4d4d4d};
constexpr std::array<QRgb, kSeriesColors> kOnDark = {0xff56b4e9, 0xfff0803c, 0xff2fc79a,
                                                     0xffe29ac4, 0xffe6c229, 0xffc0c0c0};

constexpr std::array kDashes = {Qt::SolidLine, Qt::DashDotLine, Qt::DashDotDotLine};

}  // namespace

SeriesStyle seriesStyle(int index, SeriesRole role, bool dark) {
  const auto slot = static_cast<std::size_t>(std::max(index, 0));
  SeriesStyle style;
  style.color = QColor((dark ? kOnDark : kOnLight)[slot % kSeriesColors]);
  style.dashes = kDashes[slot / kSeriesColors % kDashes.size()];
  if (role == SeriesRole::kReference) style.dashes = Qt::DashLine;
  if (role == SeriesRole::kBaseline) style.dashes = Qt::DotLine;
  style.marks = role == SeriesRole::kValidation;
  return style;
}

}  // namespace parapet::ui
