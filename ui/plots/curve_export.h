// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "engine/base/result.h"
#include "ui/plots/curve_series.h"

namespace parapet::ui {

/// The data of curves as CSV, every value exact and as it arrived, whatever is zoomed or smoothed:
///
///   series,first_step,last_step,epoch,seconds,min,max,last,non_finite
///
/// Values that are unknown, NaN or infinite are empty cells; non_finite counts the latter two.
std::string curvesAsCsv(std::span<const CurveSeries* const> series);

/// The rows of curvesAsCsv() as a JSON array of objects; empty cells are null.
std::string curvesAsJson(std::span<const CurveSeries* const> series);

}  // namespace parapet::ui
