// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_export.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/base/quoting.h"

namespace parapet::ui {
namespace {

constexpr std::array kNumbers = {"first_step", "last_step", "epoch", "seconds",
                                 "min",        "max",       "last",  "non_finite"};
using Numbers = std::array<double, kNumbers.size()>;

/// Calls row(name, numbers) for every value of every curve, in order.
template <class Row>
void eachRow(std::span<const CurveSeries* const> all, Row row) {
  for (const CurveSeries* series : all) {
    const std::string name = series->name().toStdString();
    for (const experiment::StepBucket& bucket : series->pyramid().leaves())
      row(name, Numbers{static_cast<double>(bucket.firstStep), static_cast<double>(bucket.lastStep),
                        static_cast<double>(bucket.epoch), bucket.seconds, bucket.min, bucket.max,
                        bucket.last, static_cast<double>(bucket.nonFinite)});
    for (const CurvePoint& point : series->points())
      row(name, Numbers{point.step, point.step, point.epoch, point.seconds, point.value,
                        point.value, point.value, std::isfinite(point.value) ? 0.0 : 1.0});
    if (series->kind() == CurveSeries::Kind::kLevel)
      row(name,
          Numbers{NAN, NAN, NAN, NAN, series->level(), series->level(), series->level(), 0.0});
  }
}

}  // namespace

std::string curvesAsCsv(std::span<const CurveSeries* const> series) {
  std::string out = "series";
  for (const char* column : kNumbers) fmt::format_to(std::back_inserter(out), ",{}", column);
  out += '\n';
  eachRow(series, [&](const std::string& name, const Numbers& numbers) {
    appendCsvField(out, name);
    for (const double number : numbers) {
      out += ',';
      if (std::isfinite(number)) fmt::format_to(std::back_inserter(out), "{}", number);
    }
    out += '\n';
  });
  return out;
}

std::string curvesAsJson(std::span<const CurveSeries* const> series) {
  nlohmann::json rows = nlohmann::json::array();
  eachRow(series, [&](const std::string& name, const Numbers& numbers) {
    nlohmann::json row{{"series", name}};
    for (std::size_t i = 0; i < numbers.size(); ++i)
      row[kNumbers[i]] = std::isfinite(numbers[i]) ? nlohmann::json(numbers[i]) : nlohmann::json();
    rows.push_back(std::move(row));
  });
  return rows.dump(1) + "\n";
}

}  // namespace parapet::ui
