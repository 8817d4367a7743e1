// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/record/location.h"

namespace parapet::record {

/// One type of value of a document: how it is read, written and described. Codecs are composed of
/// smaller ones (`list(integer({.min = 1}))`), so reader and schema accept the same values.
template <class T>
struct Codec {
  /// Sets the value, or leaves it unchanged and adds a problem at the location.
  std::function<void(const nlohmann::json&, T&, const Location&)> read;
  std::function<nlohmann::ordered_json(const T&)> write;
  /// JSON Schema of the value.
  std::function<nlohmann::ordered_json()> schema;
};

/// A value that is known by its address alone.
template <>
struct Codec<void> {
  std::function<void(const nlohmann::json&, void*, const Location&)> read;
  std::function<nlohmann::ordered_json(const void*)> write;
  std::function<nlohmann::ordered_json()> schema;
};

template <class T>
Codec<void> ofAddress(Codec<T> codec) {
  return {.read = [read = std::move(codec.read)](
                      const nlohmann::json& json, void* value,
                      const Location& location) { read(json, *static_cast<T*>(value), location); },
          .write = [write = std::move(codec.write)](
                       const void* value) { return write(*static_cast<const T*>(value)); },
          .schema = std::move(codec.schema)};
}

/// Integers from min to max. 3.0 is read as the integer 3.
struct IntegerRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

/// Finite numbers from min to max; a bound that is left out does not apply.
struct NumberRange {
  std::optional<double> min{};
  std::optional<double> max{};
  bool minExcluded = false;
  bool maxExcluded = false;
};

Codec<bool> boolean();
Codec<std::int64_t> integer(IntegerRange range);
/// Seed of a random generator: 0 to 2^63 − 1.
Codec<std::uint64_t> seed();
Codec<double> number(NumberRange range = {});
/// Text without control characters, 1 to 1000 bytes.
Codec<std::string> text();
/// The separator between parts of a line: 1 to maxBytes bytes, of which blanks and tabs are ordinary
/// ones. Line ends and NUL bytes are refused.
Codec<std::string> separator(std::size_t maxBytes);
/// A name that may become a path of files or tensors ("user/id"): none of its parts may be empty,
/// "." or "..".
Codec<std::string> pathName();
/// A path name; null is the empty name.
Codec<std::string> nameOrNull();
/// One of the given words.
Codec<std::string> word(std::vector<std::string> accepted);
/// [lo, hi] with lo < hi.
Codec<std::array<double, 2>> interval();

/// One word per enumerator; the first of several words is the one that is written.
template <class E>
Codec<E> choice(std::vector<std::pair<std::string, E>> words) {
  std::vector<std::string> names;
  for (const auto& [name, value] : words) names.push_back(name);
  const Codec<std::string> asText = word(std::move(names));
  return {.read =
              [words, asText](const nlohmann::json& json, E& value, const Location& location) {
                std::string found;
                asText.read(json, found, location);
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
  return {
      .read =
          [inner](const nlohmann::json& json, std::optional<T>& value, const Location& location) {
            if (json.is_null()) {
              value.reset();
              return;
            }
            T read{};
            inner.read(json, read, location);
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

/// Accepts the values of `inner`; null gives its defaults. The value is always set.
template <class T>
Codec<std::optional<T>> orDefault(Codec<T> inner) {
  Codec<std::optional<T>> codec = optional(inner);
  codec.read = [inner](const nlohmann::json& json, std::optional<T>& value,
                       const Location& location) {
    value = T{};
    if (!json.is_null()) inner.read(json, *value, location);
  };
  return codec;
}

/// A list whose entries `inner` accepts.
template <class T>
Codec<std::vector<T>> list(Codec<T> inner, std::size_t minimumSize = 0) {
  return {.read =
              [inner, minimumSize](const nlohmann::json& json, std::vector<T>& values,
                                   const Location& location) {
                if (!json.is_array()) {
                  location.problem("found " + shown(json), "a list");
                  return;
                }
                if (json.size() < minimumSize)
                  location.problem("the list is empty", "at least one entry");
                values.clear();
                for (std::size_t index = 0; index < json.size(); ++index) {
                  T value{};
                  inner.read(json[index], value, location / index);
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

}  // namespace parapet::record
