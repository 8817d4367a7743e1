// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/problem.h"

namespace parapet::experiment {

/// A setting that takes each of some values. Several pointers take the same one, as the widths of two
/// tables under a dot score.
struct SweepList {
  std::vector<std::string> pointers;
  std::vector<std::string> values;  ///< JSON, else text, as for setPointer
};

enum class SweepScale {
  kLinear,
  kLogarithmic,  ///< as many draws between 0.001 and 0.01 as between 0.01 and 0.1
};

/// A number that is drawn; a whole one where the setting is one.
struct SweepRange {
  std::vector<std::string> pointers;
  double low = 0.0, high = 0.0;  ///< both can be drawn
  SweepScale scale = SweepScale::kLinear;
};

/// Settings that belong together, such as a loss with its negatives, or another query tower.
struct SweepAlternative {
  std::string name;
  /// By pointer, whole objects and lists among them, parents first.
  std::vector<std::pair<std::string, nlohmann::json>> settings;
};

/// The settings that a sweep trains a document with: each alternative with every combination of the
/// lists, each with `draws` draws of all ranges, each with `seeds` seeds.
struct SweepSpace {
  std::vector<SweepList> lists;
  std::vector<SweepRange> ranges;
  std::int64_t draws = 0;  ///< with ranges alone
  std::int64_t seeds = 1;
  std::vector<SweepAlternative> alternatives{};  ///< empty: the document alone
};

/// "POINTER=V,V…"; commas within brackets, braces and quotes do not separate. "P+P=V,V…" has two
/// pointers. kInvalidDocument names what is wrong.
Result<SweepList> parseSweepList(std::string_view text);
/// "POINTER=LO..HI" or "POINTER=LO..HI,log".
Result<SweepRange> parseSweepRange(std::string_view text);

/// `[{"name": "softmax", "set": {"/loss": {…}, "/model/score": "dot"}}, …]`; an empty "set" is the document
/// itself. kInvalidDocument names what is wrong: no list, a name that is missing or given twice, a key
/// that is none of the two.
Result<std::vector<SweepAlternative>> parseAlternatives(std::string_view text);

/// Key of the name of an alternative among the values of a point.
inline constexpr std::string_view kAlternative = "alternative";

/// One training of a sweep.
struct SweepPoint {
  std::size_t setting =
      0;  ///< ordinal of its combination; points that differ in their seed share it
  /// By pointer; with alternatives first kAlternative and the name of one.
  std::vector<std::pair<std::string, nlohmann::json>> values;
  std::uint64_t seed = 0;
  nlohmann::json document;
};

/// More are refused, with their count.
inline constexpr std::int64_t kMaxSweepRuns = 10'000;

/// The points of a sweep, in order: the seeds of a setting stand together. A draw is a pure function of
/// (/training/seed of the document, pointer, ordinal of the draw), rounded to six digits; the seeds are
/// that seed and those that follow it.
///
/// Errors   kInvalidDocument: an unknown pointer (naming the nearest), a setting that is varied twice, a
///          range over what is no number,
///          low not below high, a logarithmic range that begins at 0 or below, a count below 1, more
///          than kMaxSweepRuns points; a setting whose document has problems, naming the setting.
Result<std::vector<SweepPoint>> sweepPoints(const nlohmann::json& document,
                                            const SweepSpace& space);

}  // namespace parapet::experiment
