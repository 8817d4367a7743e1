// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace parapet::ui {

/// Where labels stand whose lines may lie close together.
///
/// Each label stands on its line, of [top, bottom] in pixels, and moves up where the one below
/// would cover it; those that would leave the top move down with what is below them. Their order is
/// that of the lines.
///
/// lines    y of each line, in any order.
/// Returns  y of the lower edge of each label, in the same order, at least `height` apart as long
///          as all of them fit.
/// Thread   pure.
std::vector<double> spreadLabels(const std::vector<double>& lines, double height, double top,
                                 double bottom);

}  // namespace parapet::ui
