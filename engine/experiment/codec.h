// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/experiment/place.h"

namespace parapet::experiment {

/// One type of value of a document: how it is read, written and described. Codecs are put together
/// from smaller ones (`list(integer({.min = 1}))`), so what is accepted is said once for reader and
/// schema.
template <class T>
struct Codec {
  /// Sets the value, or leaves it alone and notes a problem at the place.
  std::function<void(const nlohmann::json&, T&, const Place&)> read;
  std::function<nlohmann::ordered_json(const T&)> write;
  /// JSON Schema of the value.
  std::function<nlohmann::ordered_json()> schema;
};

/// Whole numbers from min to max. 3.0 is the integer 3.
struct IntegerRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

/// Finite numbers from min to max, or above min if it is left out.
struct NumberRange {
  std::optional<double> min{};
  std::optional<double> max{};
  bool minExcluded = false;
  bool maxExcluded = false;
};

Codec<bool> boolean();
Codec<std::int64_t> integer(IntegerRange range);
/// Seeds of random numbers: 0 to 2^63 − 1.
Codec<std::uint64_t> seedNumber();
Codec<double> number(NumberRange range = {});
/// Text that is not empty and has no control characters, at most 1000 bytes.
Codec<std::string> text();
/// The name of a table, vocabulary or feature. Names become paths ("user/id"), so no part of one
/// may be empty, "." or "..".
Codec<std::string> pathName();
/// A path name; null is the empty name.
Codec<std::string> nameOrNull();
/// One of the given words.
Codec<std::string> word(std::vector<std::string> accepted);
/// A number, "auto", "max+1" or "catalogue+1".
Codec<VocabularySize> vocabularySize();
/// A count of rows, or a share in (0, 1).
Codec<SplitAmount> splitAmount();
/// [lo, hi] with lo < hi.
Codec<std::array<double, 2>> interval();
/// Patterns of parameter names to the axis of each dimension.
Codec<std::map<std::string, std::vector<std::string>>> layoutAxes();

/// One word per enumerator; the first of several words is the one that is written.
template <class E>
Codec<E> choice(std::vector<std::pair<std::string, E>> words) {
  std::vector<std::string> names;
  for (const auto& [name, value] : words) names.push_back(name);
  const Codec<std::string> asText = word(std::move(names));
  return {.read =
              [words, asText](const nlohmann::json& json, E& value, const Place& place) {
                std::string found;
                asText.read(json, found, place);
                for (const auto& [name, enumerator] : words)
                  if (name == found) value = enumerator;
              },
          .write = [words](const E& value) -> nlohmann::ordered_json {
            for (const auto& [name, enumerator] : words)
              if (enumerator == value) return name;
            // An enumerator that this version does not accept, set by a program and not by a
            // document.
            return nullptr;
          },
          .schema = asText.schema};
}

/// null, or what `inner` accepts.
template <class T>
Codec<std::optional<T>> optional(Codec<T> inner) {
  return {.read =
              [inner](const nlohmann::json& json, std::optional<T>& value, const Place& place) {
                if (json.is_null()) {
                  value.reset();
                  return;
                }
                T read{};
                inner.read(json, read, place);
                value = std::move(read);
              },
          .write =
              [inner](const std::optional<T>& value) {
                return value ? inner.write(*value) : nlohmann::ordered_json(nullptr);
              },
          .schema =
              [inner] {
                return nlohmann::ordered_json{
                    {"anyOf", {inner.schema(), nlohmann::ordered_json{{"type", "null"}}}}};
              }};
}

/// What `inner` accepts, or null for its defaults: a part that is always there for its kind.
template <class T>
Codec<std::optional<T>> orStandard(Codec<T> inner) {
  Codec<std::optional<T>> codec = optional(inner);
  codec.read = [inner](const nlohmann::json& json, std::optional<T>& value, const Place& place) {
    value = T{};
    if (!json.is_null()) inner.read(json, *value, place);
  };
  return codec;
}

/// A list whose entries `inner` accepts.
template <class T>
Codec<std::vector<T>> list(Codec<T> inner, std::size_t minimumSize = 0) {
  return {.read =
              [inner, minimumSize](const nlohmann::json& json, std::vector<T>& values,
                                   const Place& place) {
                if (!json.is_array()) {
                  place.problem("found " + shown(json), "a list");
                  return;
                }
                if (json.size() < minimumSize)
                  place.problem("the list is empty", "at least one entry");
                values.clear();
                for (std::size_t index = 0; index < json.size(); ++index) {
                  T value{};
                  inner.read(json[index], value, place / index);
                  values.push_back(std::move(value));
                }
              },
          .write =
              [inner](const std::vector<T>& values) {
                auto json = nlohmann::ordered_json::array();
                for (const T& value : values) json.push_back(inner.write(value));
                return json;
              },
          .schema =
              [inner, minimumSize] {
                nlohmann::ordered_json schema{{"type", "array"}, {"items", inner.schema()}};
                if (minimumSize > 0) schema["minItems"] = minimumSize;
                return schema;
              }};
}

}  // namespace parapet::experiment
