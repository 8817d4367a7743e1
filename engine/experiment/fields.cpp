// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/text.h"

namespace parapet::experiment {

using namespace record;

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
using Size = VocabularySize::Kind;

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
  const Codec<std::int64_t> asNumber = integer({.min = 2, .max = kMaxRows});
  return {
      .read =
          [asWord, asNumber](const Json& json, VocabularySize& value, const Location& location) {
            if (json.is_number()) {
              value.kind = Size::kFixed;
              asNumber.read(json, value.fixed, location);
            } else if (json.is_string()) {
              value.fixed = 0;
              asWord.read(json, value.kind, location);
            } else {
              location.problem("found " + shown(json),
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

Codec<std::int64_t> decaySteps() {
  static constexpr const char* kOfRun = "run";
  const Codec<std::int64_t> count = integer({.min = 1});
  return {.read =
              [count](const Json& json, std::int64_t& value, const Location& location) {
                if (json == kOfRun)
                  value = kStepsOfRun;
                else if (json.is_number())
                  count.read(json, value, location);
                else
                  location.problem("found " + shown(json), "a number of steps, or \"run\"");
              },
          .write =
              [count](const std::int64_t& value) {
                return value == kStepsOfRun ? OrderedJson(kOfRun) : count.write(value);
              },
          .schema =
              [count] {
                return OrderedJson{{"anyOf", {{{"const", kOfRun}}, count.schema()}}};
              }};
}

// JSON distinguishes 1.0, all rows, from 1, one row. A larger fraction such as 80000.0 can only be a
// count.
Codec<EventOrder> eventOrder() {
  return choice<EventOrder>({{"time", EventOrder::kTime}, {"data", EventOrder::kData}});
}

Codec<SplitAmount> splitAmount() {
  static constexpr const char* kAccepted =
      "a share above 0 and up to 1.0, or a whole number of rows (1 is one row, 1.0 all rows)";
  const Codec<std::int64_t> count = integer({.min = 0});
  return {
      .read =
          [count](const Json& json, SplitAmount& value, const Location& location) {
            const double found = json.is_number() ? json.get<double>() : -1.0;
            if (!json.is_number()) {
              location.problem("found " + shown(json), kAccepted);
            } else if (json.is_number_float() && found > 0.0 && found <= 1.0) {
              value = {.value = found, .isRatio = true};
            } else {
              std::int64_t rows = -1;
              count.read(json, rows, location);
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
            const OrderedJson share{{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", 1}};
            return OrderedJson{{"anyOf", {share, count.schema()}}};
          }};
}

Codec<Temperature> temperature() {
  const Codec<double> constant = number({.min = 0.0, .minExcluded = true});
  const Codec<Temperature> whole = object<Temperature>();
  return {.read =
              [constant, whole](const Json& json, Temperature& value, const Location& location) {
                if (json.is_object()) {
                  whole.read(json, value, location);
                  return;
                }
                value.trainable = false;
                if (json.is_number())
                  constant.read(json, value.initial, location);
                else
                  location.problem("found " + shown(json),
                                   "a number above 0, or {\"initial\": 0.1, \"trainable\": true}");
              },
          .write =
              [constant, whole](const Temperature& value) {
                return value.trainable ? whole.write(value) : constant.write(value.initial);
              },
          .schema =
              [constant, whole] {
                return OrderedJson{{"anyOf", {constant.schema(), whole.schema()}}};
              }};
}

// One list of alternatives: who walks down the schema sees that of the list beside that of null.
Codec<std::optional<DeviceCapacity>> deviceCapacity() {
  const Codec<std::int64_t> each = integer({.min = 1});
  const Codec<std::vector<std::int64_t>> ofRanks = list(each, 1);
  return {.read =
              [each, ofRanks](const Json& json, std::optional<DeviceCapacity>& value,
                              const Location& location) {
                if (json.is_null()) {
                  value.reset();
                } else if (json.is_array()) {
                  std::vector<std::int64_t> bytes;
                  ofRanks.read(json, bytes, location);
                  value = DeviceCapacity(std::move(bytes));
                } else if (json.is_number()) {
                  std::int64_t bytes = 0;
                  each.read(json, bytes, location);
                  value = DeviceCapacity(bytes);
                } else {
                  location.problem("found " + shown(json),
                                   "a number of bytes for every device, a list with a number for "
                                   "each, or null");
                }
              },
          .write =
              [each, ofRanks](const std::optional<DeviceCapacity>& value) {
                if (!value) return OrderedJson(nullptr);
                return value->perDevice ? ofRanks.write(value->bytes) : each.write(value->of(0));
              },
          .schema =
              [each, ofRanks] {
                return OrderedJson{
                    {"anyOf", {each.schema(), ofRanks.schema(), OrderedJson{{"type", "null"}}}}};
              }};
}

Codec<std::map<std::string, std::vector<std::string>>> layoutAxes() {
  using Layout = std::map<std::string, std::vector<std::string>>;
  static constexpr const char* kAccepted =
      "a list of two: the axis of the rows and that of the columns, \"\" for none";
  return {.read =
              [](const Json& json, Layout& layout, const Location& location) {
                if (!json.is_object()) {
                  location.problem("found " + shown(json), "an object of patterns");
                  return;
                }
                layout.clear();
                for (const auto& [pattern, axes] : json.items()) {
                  const bool two = axes.is_array() && axes.size() == 2;
                  if (two && axes[0].is_string() && axes[1].is_string())
                    layout[pattern] = axes.get<std::vector<std::string>>();
                  else if (two)
                    (location / pattern / (axes[0].is_string() ? 1U : 0U))
                        .problem("found " + shown(axes[axes[0].is_string() ? 1 : 0]),
                                 "the name of an axis, or \"\" for none");
                  else
                    (location / pattern).problem("found " + shown(axes), kAccepted);
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

}  // namespace parapet::experiment
