// SPDX-License-Identifier: Apache-2.0
// Values that are written in more than one way, or that have a rule of their own.
#include <fmt/format.h>

#include <cmath>

#include "engine/base/text.h"
#include "engine/experiment/codec.h"

namespace parapet::experiment {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
using Size = VocabularySize::Kind;

// Rows are addressed by 32-bit integers in the column files.
constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max();

const std::vector<std::pair<std::string, Size>>& sizeWords() {
  static const std::vector<std::pair<std::string, Size>> words{
      {"auto", Size::kAuto},
      {"max+1", Size::kMaxPlusOne},
      {"catalogue+1", Size::kCataloguePlusOne}};
  return words;
}

}  // namespace

Codec<VocabularySize> vocabularySize() {
  const Codec<Size> asWord = choice<Size>(sizeWords());
  const Codec<std::int64_t> asNumber = integer({.min = 2, .max = kMostRows});
  return {.read =
              [asWord, asNumber](const Json& json, VocabularySize& value, const Place& place) {
                if (json.is_number()) {
                  value.kind = Size::kFixed;
                  asNumber.read(json, value.fixed, place);
                } else if (json.is_string()) {
                  value.fixed = 0;
                  asWord.read(json, value.kind, place);
                } else {
                  place.problem("found " + shown(json),
                                "a number of rows, \"auto\", \"max+1\" or \"catalogue+1\"");
                }
              },
          .write =
              [asWord, asNumber](const VocabularySize& value) {
                return value.kind == Size::kFixed ? asNumber.write(value.fixed)
                                                  : asWord.write(value.kind);
              },
          .schema =
              [asWord, asNumber] {
                return OrderedJson{{"anyOf", {asWord.schema(), asNumber.schema()}}};
              }};
}

Codec<SplitAmount> splitAmount() {
  static constexpr const char* kAccepted = "a share between 0 and 1, 0, or a whole number of rows";
  const Codec<std::int64_t> count = integer({.min = 0});
  return {.read =
              [count](const Json& json, SplitAmount& value, const Place& place) {
                const double found = json.is_number() ? json.get<double>() : -1.0;
                if (!json.is_number()) {
                  place.problem("found " + shown(json), kAccepted);
                } else if (found > 0.0 && found < 1.0) {
                  value = {.value = found, .isRatio = true};
                } else {
                  std::int64_t rows = -1;
                  count.read(json, rows, place);
                  if (rows >= 0) value = {.value = static_cast<double>(rows), .isRatio = false};
                }
              },
          .write =
              [count](const SplitAmount& value) {
                return value.isRatio ? OrderedJson(value.value)
                                     : count.write(static_cast<std::int64_t>(value.value));
              },
          .schema =
              [count] {
                const OrderedJson share{
                    {"type", "number"}, {"exclusiveMinimum", 0}, {"exclusiveMaximum", 1}};
                return OrderedJson{{"anyOf", {share, count.schema()}}};
              }};
}

Codec<std::array<double, 2>> interval() {
  const Codec<double> end = number();
  return {.read =
              [end](const Json& json, std::array<double, 2>& value, const Place& place) {
                if (!json.is_array() || json.size() != 2) {
                  place.problem("found " + shown(json), "a list of two numbers [lo, hi], or null");
                  return;
                }
                const std::size_t before = place.problemCount();
                std::array<double, 2> read{};
                for (std::size_t index = 0; index < 2; ++index)
                  end.read(json[index], read[index], place / index);
                if (place.problemCount() != before) return;
                if (read[0] < read[1]) {
                  value = read;
                } else {
                  place.problem(fmt::format("the lower end {} is not below the upper end {}",
                                            read[0], read[1]),
                                "[lo, hi] with lo < hi");
                }
              },
          .write =
              [end](const std::array<double, 2>& value) {
                return OrderedJson::array({end.write(value[0]), end.write(value[1])});
              },
          .schema =
              [end] {
                return OrderedJson{
                    {"type", "array"}, {"items", end.schema()}, {"minItems", 2}, {"maxItems", 2}};
              }};
}

Codec<std::map<std::string, std::vector<std::string>>> layoutAxes() {
  using Layout = std::map<std::string, std::vector<std::string>>;
  static constexpr const char* kAccepted =
      "a list of two: the axis of the rows and that of the columns, \"\" for none";
  return {.read =
              [](const Json& json, Layout& layout, const Place& place) {
                if (!json.is_object()) {
                  place.problem("found " + shown(json), "an object of patterns");
                  return;
                }
                layout.clear();
                for (const auto& [pattern, axes] : json.items()) {
                  const bool two = axes.is_array() && axes.size() == 2;
                  if (two && axes[0].is_string() && axes[1].is_string())
                    layout[pattern] = axes.get<std::vector<std::string>>();
                  else if (two)
                    (place / pattern / (axes[0].is_string() ? 1U : 0U))
                        .problem("found " + shown(axes[axes[0].is_string() ? 1 : 0]),
                                 "the name of an axis, or \"\" for none");
                  else
                    (place / pattern).problem("found " + shown(axes), kAccepted);
                }
              },
          .write =
              [](const Layout& layout) {
                auto json = OrderedJson::object();
                for (const auto& [pattern, axes] : layout) json[pattern] = axes;
                return json;
              },
          .schema =
              [] {
                const OrderedJson axes{{"type", "array"},
                                       {"items", {{"type", "string"}}},
                                       {"minItems", 2},
                                       {"maxItems", 2}};
                return OrderedJson{{"type", "object"}, {"additionalProperties", axes}};
              }};
}

Codec<std::string> nameOrNull() {
  const Codec<std::string> name = pathName();
  return {.read =
              [name](const Json& json, std::string& value, const Place& place) {
                value.clear();
                if (!json.is_null()) name.read(json, value, place);
              },
          .write =
              [name](const std::string& value) {
                return value.empty() ? OrderedJson(nullptr) : name.write(value);
              },
          .schema =
              [name] {
                return OrderedJson{{"anyOf", {name.schema(), OrderedJson{{"type", "null"}}}}};
              }};
}

}  // namespace parapet::experiment
