// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/sweep_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/base/hash.h"
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/other_kind.h"

namespace parapet::experiment {
namespace {

using PlainJson = nlohmann::json;
using SettingValues = std::vector<std::pair<std::string, PlainJson>>;

Error refused(std::string message, std::string pointer = {}) {
  return Error{ErrorCode::kInvalidDocument, std::move(message), std::move(pointer)};
}

/// "/a+/b" → {"/a", "/b"}
std::vector<std::string> pointersOf(std::string_view text) {
  std::vector<std::string> pointers;
  for (std::size_t next = text.find("+/"); next != std::string_view::npos; next = text.find("+/")) {
    pointers.emplace_back(text.substr(0, next));
    text.remove_prefix(next + 1);
  }
  pointers.emplace_back(text);
  return pointers;
}

/// The parts between commas that stand outside of brackets, braces and quotes.
std::vector<std::string> valuesOf(std::string_view text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool quoted = false;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const char c = text[index];
    if (c == '"' && (index == 0 || text[index - 1] != '\\')) quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !quoted)
      values.emplace_back();
    else
      values.back() += c;
  }
  return values;
}

/// The two sides of the first "=".
Result<std::pair<std::string_view, std::string_view>> sidesOf(std::string_view text,
                                                              std::string_view accepted) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || !text.starts_with('/'))
    return refused(fmt::format("\"{}\" is not accepted; accepted: {}", printable(text), accepted));
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

/// The document with one value at some pointers.
Result<PlainJson> withValue(const PlainJson& document, const std::vector<std::string>& pointers,
                            const std::string& value) {
  PlainJson changed = document;
  for (const std::string& pointer : pointers) PARAPET_TRY(setPointer(changed, pointer, value));
  return changed;
}

/// Rounded, so that a person can type it and every machine has the same.
double rounded(double value) {
  return parseDouble(fmt::format("{:.6g}", value)).value_or(value);
}

/// Uniform in [0, 1), with as many bits as a double has.
double uniform(const Random& random, std::uint64_t index) {
  return static_cast<double>(random.bits64(index) >> 11) * 0x1p-53;
}

PlainJson drawn(const SweepRange& range, SettingKind kind, std::uint64_t seed, std::int64_t draw) {
  const Random random(seed, RandomPurpose::kSampling, hash64("sweep " + range.pointers.front()));
  const double share = uniform(random, static_cast<std::uint64_t>(draw));
  const bool isInteger = kind == SettingKind::kInteger;
  // Each whole number has an interval of its own that ends before the next.
  const double high = range.high + (isInteger ? 1.0 : 0.0);
  const double value = range.scale == SweepScale::kLogarithmic
                           ? range.low * std::pow(high / range.low, share)
                           : range.low + (high - range.low) * share;
  if (isInteger)
    return static_cast<std::int64_t>(std::clamp(std::floor(value), range.low, range.high));
  return std::clamp(rounded(value), range.low, range.high);
}

Status checkRange(const PlainJson& document, const SweepRange& range) {
  const std::string& pointer = range.pointers.front();
  const auto refuse = [&](std::string message) { return refused(std::move(message), pointer); };
  if (!(range.low < range.high))
    return refuse(
        fmt::format("the range {}..{} is empty; accepted: a lower end below the upper one",
                    range.low, range.high));
  if (range.scale == SweepScale::kLogarithmic && range.low <= 0.0)
    return refuse(
        fmt::format("a logarithmic range cannot begin at {}; accepted: above 0", range.low));
  for (const std::string& each : range.pointers) {
    PARAPET_ASSIGN(const SettingKind kind, settingKind(document, each));
    if (kind == SettingKind::kOther)
      return refused(
          "no number, so nothing can be drawn from a range; accepted: a setting that is "
          "one, or --grid with values",
          each);
    const bool whole = range.low == std::floor(range.low) && range.high == std::floor(range.high);
    if (kind == SettingKind::kInteger && !whole)
      return refused(fmt::format("a whole number, and the range is {}..{}; accepted: whole ends",
                                 range.low, range.high),
                     each);
  }
  return {};
}

/// Stays at the largest number instead of overflowing.
std::uint64_t times(std::uint64_t left, std::uint64_t right) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  return right != 0 && left > kMax / right ? kMax : left * right;
}

Status checkCounts(const SweepSpace& space) {
  if (space.lists.empty() && space.ranges.empty() && space.alternatives.empty())
    return refused(
        "nothing is varied; accepted: --grid POINTER=V,V…, --random POINTER=LO..HI or "
        "--alternatives FILE");
  if (!space.ranges.empty() && space.draws < 1)
    return refused(fmt::format("--runs: {} is not accepted; accepted: 1 or more", space.draws));
  if (space.ranges.empty() && space.draws > 0)
    return refused(
        "--runs counts draws of --random, and there is none; a grid has as many runs as "
        "combinations");
  const auto variesSeed = [](const auto& each) {
    return std::ranges::find(each.pointers, "/training/seed") != each.pointers.end();
  };
  if (space.seeds > 1 && (std::ranges::any_of(space.lists, variesSeed) ||
                          std::ranges::any_of(space.ranges, variesSeed)))
    return refused("--seeds varies it already; accepted: one of the two", "/training/seed");
  if (space.seeds < 1)
    return refused(fmt::format("--seeds: {} is not accepted; accepted: 1 or more", space.seeds));
  std::uint64_t runs = static_cast<std::uint64_t>(space.seeds);
  if (!space.ranges.empty()) runs = times(runs, static_cast<std::uint64_t>(space.draws));
  for (const SweepList& list : space.lists) runs = times(runs, list.values.size());
  runs = times(runs, std::max<std::uint64_t>(1, space.alternatives.size()));
  if (runs > static_cast<std::uint64_t>(kMaxSweepRuns))
    return refused(fmt::format("the sweep has {} runs; accepted: at most {}",
                               formatCount(static_cast<std::int64_t>(std::min<std::uint64_t>(
                                   runs, std::numeric_limits<std::int64_t>::max()))),
                               formatCount(kMaxSweepRuns)));
  std::set<std::string> seen;
  for (const auto* pointers : [&] {
         std::vector<const std::vector<std::string>*> all;
         for (const SweepList& list : space.lists) all.push_back(&list.pointers);
         for (const SweepRange& range : space.ranges) all.push_back(&range.pointers);
         return all;
       }())
    for (const std::string& pointer : *pointers)
      if (!seen.insert(pointer).second)
        return refused("the setting is varied twice; accepted: once", pointer);
  const auto isWithin = [](const std::string& inner, const std::string& outer) {
    return inner == outer || inner.starts_with(outer + "/");
  };
  for (const SweepAlternative& alternative : space.alternatives)
    for (const auto& [pointer, value] : alternative.settings)
      for (const std::string& other : seen)
        if (isWithin(other, pointer) || isWithin(pointer, other))
          return refused(
              fmt::format("the alternative \"{}\" sets {}, too; accepted: one of the two",
                          printable(alternative.name), pointer),
              other);
  return {};
}

/// "/optimizer/learning_rate=0.1, /training/epochs=3"
std::string textOf(const SettingValues& values) {
  std::vector<std::string> parts;
  for (const auto& [pointer, value] : values) parts.push_back(pointer + "=" + value.dump());
  return join(parts);
}

/// The document of a setting; kInvalidDocument if it has problems. `told`: what it is called.
Result<PlainJson> documentOf(const PlainJson& document, const SettingValues& values,
                             const SettingValues& told) {
  PlainJson changed = document;
  for (const auto& [pointer, value] : values)
    PARAPET_TRY(setPointer(changed, pointer, value.dump()));
  const Findings findings = parse(changed).findings;
  if (findings.problems.empty()) return changed;
  const Problem& first = findings.problems.front();
  return refused(fmt::format("with {}: {}{}", textOf(told), first.message,
                             first.accepted.empty() ? "" : "; accepted: " + first.accepted),
                 first.pointer);
}

/// A point for each seed.
Status addSeeds(std::vector<SweepPoint>& points, SweepPoint point, std::int64_t seeds) {
  const std::uint64_t first = point.seed;
  for (std::int64_t each = 0; each < seeds; ++each) {
    if (seeds > 1)
      PARAPET_TRY(setPointer(point.document, "/training/seed",
                             fmt::to_string(first + static_cast<std::uint64_t>(each))));
    point.seed = parse(point.document).experiment.training.seed;
    points.push_back(point);
  }
  return {};
}

/// The document with an alternative.
Result<PlainJson> withAlternative(PlainJson document, const SweepAlternative& alternative) {
  for (const auto& [pointer, value] : alternative.settings)
    if (Status set = setPointer(document, pointer, value.dump()); !set)
      return refused(
          fmt::format("alternative \"{}\": {}", printable(alternative.name), set.error().message),
          pointer);
  return document;
}

/// Every combination of the lists.
std::vector<SettingValues> combinationsOf(const SweepSpace& space) {
  std::vector<SettingValues> all(1);
  for (const SweepList& list : space.lists) {
    std::vector<SettingValues> more;
    for (const SettingValues& before : all)
      for (const std::string& value : list.values) {
        SettingValues& next = more.emplace_back(before);
        auto parsed = parseJson(value);
        for (const std::string& pointer : list.pointers)
          next.emplace_back(pointer, parsed.ok() ? *parsed : PlainJson(value));
      }
    all = std::move(more);
  }
  return all;
}

}  // namespace

Result<SweepList> parseSweepList(std::string_view text) {
  constexpr std::string_view kAccepted = "POINTER=V,V…, as in /optimizer/learning_rate=0.1,0.01";
  PARAPET_ASSIGN(const auto sides, sidesOf(text, kAccepted));
  SweepList list{pointersOf(sides.first), valuesOf(sides.second)};
  for (const std::string& value : list.values)
    if (trim(value).empty())
      return refused(
          fmt::format("\"{}\" has an empty value; accepted: {}", printable(text), kAccepted));
  // "0.1" and "1e-1" are one setting, which would stand in the summary twice.
  std::vector<PlainJson> seen;
  for (const std::string& value : list.values) {
    auto parsed = parseJson(trim(value));
    PlainJson each = parsed.ok() ? std::move(parsed).value() : PlainJson(value);
    if (std::ranges::find(seen, each) != seen.end())
      return refused(fmt::format("the value {} is given twice; accepted: once", printable(value)),
                     list.pointers.front());
    seen.push_back(std::move(each));
  }
  return list;
}

Result<SweepRange> parseSweepRange(std::string_view text) {
  constexpr std::string_view kAccepted =
      "POINTER=LO..HI or POINTER=LO..HI,log, as in /optimizer/learning_rate=0.001..0.3,log";
  PARAPET_ASSIGN(const auto sides, sidesOf(text, kAccepted));
  SweepRange range{pointersOf(sides.first)};
  std::string_view ends = sides.second;
  if (const std::size_t comma = ends.find(','); comma != std::string_view::npos) {
    if (trim(ends.substr(comma + 1)) != "log")
      return refused(fmt::format("\"{}\": \"{}\" is no scale; accepted: {}", printable(text),
                                 printable(ends.substr(comma + 1)), kAccepted));
    range.scale = SweepScale::kLogarithmic;
    ends = ends.substr(0, comma);
  }
  const std::size_t dots = ends.find("..");
  const auto low = parseDouble(trim(ends.substr(0, dots)));
  const auto high =
      dots == std::string_view::npos ? std::nullopt : parseDouble(trim(ends.substr(dots + 2)));
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high))
    return refused(
        fmt::format("\"{}\" is no range of numbers; accepted: {}", printable(text), kAccepted));
  range.low = *low;
  range.high = *high;
  return range;
}

Result<std::vector<SweepAlternative>> parseAlternatives(std::string_view text) {
  constexpr std::string_view kAccepted =
      "[{\"name\": \"softmax\", \"set\": {\"/loss/kind\": \"sampled_softmax\"}}, …]";
  PARAPET_ASSIGN(const PlainJson read, parseJson(text));
  if (!read.is_array() || read.empty())
    return refused(fmt::format("found {}; accepted: a list of alternatives, {}",
                               read.is_array() ? "an empty list" : read.type_name(), kAccepted));
  std::vector<SweepAlternative> alternatives;
  for (std::size_t index = 0; index < read.size(); ++index) {
    const PlainJson& each = read[index];
    const std::string pointer = fmt::format("/{}", index);
    const auto isKnown = [](const auto& entry) {
      return entry.key() == "name" || entry.key() == "set";
    };
    const bool holds = each.is_object() && each.contains("name") && each["name"].is_string() &&
                       !trim(each["name"].get_ref<const std::string&>()).empty() &&
                       each.contains("set") && each["set"].is_object();
    if (!holds || !std::ranges::all_of(each.items(), isKnown))
      return refused(fmt::format("found {}; accepted: a name and a set of settings, {}",
                                 printable(each.dump()), kAccepted),
                     pointer);
    SweepAlternative& alternative = alternatives.emplace_back();
    alternative.name = each["name"].get<std::string>();
    for (const auto& [setting, value] : each["set"].items())
      alternative.settings.emplace_back(setting, value);
    if (std::ranges::count(alternatives, alternative.name, &SweepAlternative::name) > 1)
      return refused(
          fmt::format("\"{}\" is the name of an earlier alternative; accepted: a name of "
                      "its own",
                      printable(alternative.name)),
          pointer + "/name");
  }
  return alternatives;
}

Result<std::vector<SweepPoint>> sweepPoints(const PlainJson& document, const SweepSpace& space) {
  PARAPET_TRY(checkCounts(space));
  std::vector<SweepPoint> points;
  std::size_t setting = 0;
  const auto addPoints = [&](const PlainJson& base, const SettingValues& named) -> Status {
    // Each alone first, so that what is wrong is said of the setting and not of a combination.
    for (const SweepList& list : space.lists)
      for (const std::string& value : list.values)
        PARAPET_TRY(withValue(base, list.pointers, value));
    std::vector<SettingKind> kinds;
    for (const SweepRange& range : space.ranges) {
      PARAPET_TRY(checkRange(base, range));
      PARAPET_ASSIGN(const SettingKind kind, settingKind(base, range.pointers.front()));
      kinds.push_back(kind);
    }
    const std::uint64_t seed = parse(base).experiment.training.seed;
    for (const SettingValues& combination : combinationsOf(space))
      for (std::int64_t draw = 0; draw < std::max<std::int64_t>(1, space.draws); ++draw) {
        SettingValues values = combination;
        for (std::size_t index = 0; index < space.ranges.size(); ++index)
          for (const std::string& pointer : space.ranges[index].pointers)
            values.emplace_back(pointer, drawn(space.ranges[index], kinds[index], seed, draw));
        SweepPoint point{setting++, named, seed, {}};
        point.values.insert(point.values.end(), values.begin(), values.end());
        PARAPET_ASSIGN(point.document, documentOf(base, values, point.values));
        PARAPET_TRY(addSeeds(points, std::move(point), space.seeds));
      }
    return {};
  };
  if (space.alternatives.empty()) PARAPET_TRY(addPoints(document, {}));
  for (const SweepAlternative& alternative : space.alternatives) {
    PARAPET_ASSIGN(const PlainJson base, withAlternative(document, alternative));
    PARAPET_TRY(addPoints(base, {{std::string(kAlternative), alternative.name}}));
  }
  return points;
}

}  // namespace parapet::experiment
