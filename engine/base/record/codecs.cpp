// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "engine/base/record/codec.h"
#include "engine/base/text.h"

namespace parapet::record {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::int64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMinInteger = std::numeric_limits<std::int64_t>::min();
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr std::size_t kMaxTextBytes = 1000;

std::string describe(const IntegerRange& range) {
  if (range.min == kMinInteger && range.max == kMaxInteger) return "an integer";
  if (range.max == kMaxInteger) return fmt::format("an integer of at least {}", range.min);
  return fmt::format("an integer from {} to {}", range.min, range.max);
}

std::string describe(const NumberRange& range) {
  std::string words = "a finite number";
  if (range.min)
    words += fmt::format(" {} {}", range.minExcluded ? "above" : "of at least", *range.min);
  if (range.max)
    words += fmt::format("{} {} {}", range.min ? " and" : "",
                         range.maxExcluded ? "below" : "at most", *range.max);
  return words;
}

/// The integer that a JSON number denotes, or what is wrong with it.
std::variant<std::int64_t, std::string> toInteger(const Json& json) {
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{kMaxInteger})
    return shown(json) + " is larger than 2^63 - 1";
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (!json.is_number()) return "found " + shown(json);
  const double value = json.get<double>();
  if (!std::isfinite(value)) return shown(json) + " is not finite";
  if (value != std::floor(value)) return shown(json) + " is not an integer";
  if (value >= kTwoTo63 || value < -kTwoTo63) return shown(json) + " does not fit 64 bits";
  return static_cast<std::int64_t>(value);
}

bool within(double value, const NumberRange& range) {
  if (range.min && (range.minExcluded ? value <= *range.min : value < *range.min)) return false;
  return !range.max || (range.maxExcluded ? value < *range.max : value <= *range.max);
}

/// The fault of a text; "" if it has none.
std::string faultOfText(const std::string& value) {
  if (trim(value).empty()) return "the text is empty";
  if (value.size() > kMaxTextBytes)
    return fmt::format("the text has {} bytes, more than {}", value.size(), kMaxTextBytes);
  if (!isValidUtf8(value)) return "the text is not UTF-8";
  const bool control = std::ranges::any_of(value, [](char character) {
    return static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
  });
  return control ? "the text has control characters: \"" + printable(value) + "\"" : std::string{};
}

std::string faultOfSeparator(const std::string& value, std::size_t maxBytes) {
  if (value.empty()) return "the text is empty";
  if (value.size() > maxBytes) return fmt::format("the text has {} bytes", value.size());
  if (!isValidUtf8(value)) return "the text is not UTF-8";
  return value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos
             ? std::string{}
             : "the text has a line end or a NUL byte: \"" + printable(value) + "\"";
}

std::string faultOfPath(const std::string& value) {
  for (const std::string_view part : splitFields(value, '/'))
    if (part.empty() || part == "." || part == "..")
      return fmt::format("\"{}\" has the part \"{}\"", printable(value), part);
  return {};
}

Codec<std::string> checkedText(std::function<std::string(const std::string&)> fault,
                               std::string accepted) {
  return {
      .read =
          [fault, accepted](const Json& json, std::string& value, const Location& location) {
            if (!json.is_string()) {
              location.problem("found " + shown(json), accepted);
              return;
            }
            const auto& found = json.get_ref<const std::string&>();
            if (const std::string wrong = fault(found); !wrong.empty()) {
              location.problem(wrong, accepted);
              return;
            }
            value = found;
          },
      .write = [](const std::string& value) { return OrderedJson(value); },
      .schema =
          [] {
            return OrderedJson{{"type", "string"}, {"minLength", 1}, {"maxLength", kMaxTextBytes}};
          }};
}

}  // namespace

Codec<bool> boolean() {
  return {.read =
              [](const Json& json, bool& value, const Location& location) {
                if (json.is_boolean()) {
                  value = json.get<bool>();
                } else {
                  location.problem("found " + shown(json), "true or false");
                }
              },
          .write = [](const bool& value) { return OrderedJson(value); },
          .schema =
              [] {
                return OrderedJson{{"type", "boolean"}};
              }};
}

Codec<std::int64_t> integer(IntegerRange range) {
  return {.read =
              [range](const Json& json, std::int64_t& value, const Location& location) {
                const auto found = toInteger(json);
                if (const auto* wrong = std::get_if<std::string>(&found)) {
                  location.problem(*wrong, describe(range));
                  return;
                }
                const std::int64_t whole = std::get<std::int64_t>(found);
                if (whole < range.min || whole > range.max) {
                  location.problem(fmt::format("{} is out of range", whole), describe(range));
                  return;
                }
                value = whole;
              },
          .write = [](const std::int64_t& value) { return OrderedJson(value); },
          .schema =
              [range] {
                OrderedJson schema{{"type", "integer"}};
                if (range.min != kMinInteger) schema["minimum"] = range.min;
                if (range.max != kMaxInteger) schema["maximum"] = range.max;
                return schema;
              }};
}

Codec<std::uint64_t> seed() {
  const Codec<std::int64_t> whole = integer({.min = 0});
  return {.read =
              [whole](const Json& json, std::uint64_t& value, const Location& location) {
                std::int64_t read = -1;
                whole.read(json, read, location);
                if (read >= 0) value = static_cast<std::uint64_t>(read);
              },
          .write = [](const std::uint64_t& value) { return OrderedJson(value); },
          .schema = whole.schema};
}

Codec<double> number(NumberRange range) {
  return {.read =
              [range](const Json& json, double& value, const Location& location) {
                if (!json.is_number()) {
                  location.problem("found " + shown(json), describe(range));
                } else if (const double found = json.get<double>(); !std::isfinite(found)) {
                  location.problem(shown(json) + " is not finite", describe(range));
                } else if (!within(found, range)) {
                  location.problem(fmt::format("{} is out of range", found), describe(range));
                } else {
                  value = found;
                }
              },
          .write =
              [](const double& value) {
                // An integral value is written as people write it: 5, not 5.0.
                const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
                return whole ? OrderedJson(static_cast<std::int64_t>(value)) : OrderedJson(value);
              },
          .schema =
              [range] {
                OrderedJson schema{{"type", "number"}};
                if (range.min)
                  schema[range.minExcluded ? "exclusiveMinimum" : "minimum"] = *range.min;
                if (range.max)
                  schema[range.maxExcluded ? "exclusiveMaximum" : "maximum"] = *range.max;
                return schema;
              }};
}

Codec<std::string> text() {
  return checkedText(faultOfText, "a text that is not empty and has no control characters");
}

Codec<std::string> separator(std::size_t maxBytes) {
  return checkedText(
      [maxBytes](const std::string& value) { return faultOfSeparator(value, maxBytes); },
      maxBytes == 1 ? "one byte, no line end"
                    : fmt::format("1 to {} bytes, no line ends", maxBytes));
}

Codec<std::string> pathName() {
  return checkedText(
      [](const std::string& value) {
        const std::string fault = faultOfText(value);
        return fault.empty() ? faultOfPath(value) : fault;
      },
      "a name such as \"user\" or \"user/id\"");
}

Codec<std::string> word(std::vector<std::string> accepted) {
  std::vector<std::string> quoted;
  for (const std::string& name : accepted) quoted.push_back("\"" + name + "\"");
  return {.read =
              [accepted, words = join(quoted)](const Json& json, std::string& value,
                                               const Location& location) {
                const bool isText = json.is_string();
                const std::string found = isText ? json.get<std::string>() : std::string{};
                if (isText && std::ranges::find(accepted, found) != accepted.end()) {
                  value = found;
                } else {
                  location.problem(
                      "found " + shown(json) + (isText ? didYouMean(found, accepted) : ""), words);
                }
              },
          .write = [](const std::string& value) { return OrderedJson(value); },
          .schema =
              [accepted] {
                return OrderedJson{{"type", "string"}, {"enum", accepted}};
              }};
}

Codec<std::array<double, 2>> interval() {
  const Codec<double> end = number();
  return {
      .read =
          [end](const Json& json, std::array<double, 2>& value, const Location& location) {
            if (!json.is_array() || json.size() != 2) {
              location.problem("found " + shown(json), "a list of two numbers [lo, hi], or null");
              return;
            }
            const std::size_t before = location.problemCount();
            std::array<double, 2> read{};
            for (std::size_t index = 0; index < 2; ++index)
              end.read(json[index], read[index], location / index);
            if (location.problemCount() != before) return;
            if (read[0] < read[1]) {
              value = read;
            } else {
              location.problem(
                  fmt::format("the lower end {} is not below the upper end {}", read[0], read[1]),
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

Codec<std::string> nameOrNull() {
  const Codec<std::string> name = pathName();
  return {.read =
              [name](const Json& json, std::string& value, const Location& location) {
                value.clear();
                if (!json.is_null()) name.read(json, value, location);
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

}  // namespace parapet::record
