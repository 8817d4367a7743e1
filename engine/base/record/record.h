// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/record/codec.h"
#include "engine/base/text.h"

namespace parapet::record {

/// Former keys of an object, with their current names.
using Renames = std::map<std::string, std::string>;

/// The description of one struct of a document: its members in the order in which they are written.
///
///   Record<Optimizer>()
///       .selector("kind", &Optimizer::kind, choice<OptimizerKind>({…}), "Which optimizer.")
///       .field("beta1", &Optimizer::beta1, number({…}), "Decay of m.").of({"adam"})
///
/// A selector ("kind", "source") decides which of the later fields a value has: a field of another
/// kind is a problem when it is given, and is not written.
template <class S>
class Record {
 public:
  template <class M>
  Record& field(std::string key, M S::*member, Codec<M> codec, std::string meaning) {
    Field field;
    field.key = std::move(key);
    field.meaning = std::move(meaning);
    field.read = [member, codec](const nlohmann::json& json, S& value, const Location& location) {
      codec.read(json, value.*member, location);
    };
    field.write = [member, codec](const S& value) { return codec.write(value.*member); };
    field.schema = codec.schema;
    fields_.push_back(std::move(field));
    return *this;
  }
  /// A field whose value decides which other fields there are.
  template <class M>
  Record& selector(std::string key, M S::*member, Codec<M> codec, std::string meaning) {
    selector_ = key;
    return field(std::move(key), member, std::move(codec), std::move(meaning));
  }
  /// The last field must be given.
  Record& required() {
    fields_.back().required = true;
    return *this;
  }
  /// The last field belongs to these values of the selector only. Fields of different kinds may
  /// share a key.
  Record& of(std::vector<std::string> kinds) {
    fields_.back().kinds = std::move(kinds);
    return *this;
  }
  /// Keys that documents used to have: they are refused with their current names.
  Record& renamed(Renames renames) {
    renames_ = std::move(renames);
    return *this;
  }
  /// Called when the selector has been read, to set defaults that depend on it.
  Record& defaults(std::function<void(S&)> set) {
    defaults_ = std::move(set);
    return *this;
  }

  void read(const nlohmann::json& json, S& value, const Location& location) const;
  [[nodiscard]] nlohmann::ordered_json write(const S& value) const;
  [[nodiscard]] nlohmann::ordered_json schema() const;

 private:
  struct Field {
    std::string key;
    std::string meaning;
    bool required = false;
    std::vector<std::string> kinds;  ///< empty: all
    std::function<void(const nlohmann::json&, S&, const Location&)> read;
    std::function<nlohmann::ordered_json(const S&)> write;
    std::function<nlohmann::ordered_json()> schema;

    [[nodiscard]] bool belongsTo(const std::string& kind) const {
      return kinds.empty() || std::ranges::find(kinds, kind) != kinds.end();
    }
  };

  [[nodiscard]] const Field* find(const std::string& key) const {
    const auto found = std::ranges::find(fields_, key, &Field::key);
    return found == fields_.end() ? nullptr : &*found;
  }
  /// The field of that key that this kind has, else the first of the key.
  [[nodiscard]] const Field* find(const std::string& key, const std::string& kind) const {
    const auto found = std::ranges::find_if(
        fields_, [&](const Field& field) { return field.key == key && field.belongsTo(kind); });
    return found == fields_.end() ? find(key) : &*found;
  }
  /// The selector's value as it stands in a document; "" if there is no selector.
  [[nodiscard]] std::string kindOf(const S& value) const {
    const Field* field = selector_.empty() ? nullptr : find(selector_);
    if (field == nullptr) return {};
    const nlohmann::ordered_json kind = field->write(value);
    return kind.is_string() ? kind.template get<std::string>() : std::string{};
  }
  [[nodiscard]] std::vector<std::string> keysOf(const std::string& kind) const {
    std::vector<std::string> keys;
    for (const Field& field : fields_)
      if (field.belongsTo(kind)) keys.push_back(field.key);
    return keys;
  }
  enum class Kind {
    kKnown,
    kUnknown,  ///< the selector could not be read: a key of any kind is accepted
  };
  Kind readSelector(const nlohmann::json& json, S& value, const Location& location) const;
  void readKey(const std::string& key, const nlohmann::json& json, S& value, Kind kind,
               const Location& location) const;
  static void addAlternative(nlohmann::ordered_json& property, const nlohmann::ordered_json& other);
  void describeKinds(nlohmann::ordered_json& schema) const;

  std::vector<Field> fields_;
  std::string selector_;
  Renames renames_;
  std::function<void(S&)> defaults_;
};

/// Names a struct, so that its `describe` is found in its own namespace.
template <class S>
struct Type {};

/// The record of a struct S: what `const Record<S>& describe(Type<S>)`, declared beside S, gives.
template <class S>
const Record<S>& recordOf() {
  return describe(Type<S>{});
}

/// An object that `recordOf<S>()` describes.
template <class S>
Codec<S> object() {
  return {.read = [](const nlohmann::json& json, S& value,
                     const Location& location) { recordOf<S>().read(json, value, location); },
          .write = [](const S& value) { return recordOf<S>().write(value); },
          .schema = [] { return recordOf<S>().schema(); }};
}

template <class S>
void Record<S>::read(const nlohmann::json& json, S& value, const Location& location) const {
  if (!json.is_object()) {
    location.problem("found " + shown(json),
                     "an object with the keys " + join(keysOf(kindOf(value))));
    return;
  }
  const Kind kind = readSelector(json, value, location);
  for (const auto& [key, member] : json.items())
    if (key != selector_) readKey(key, member, value, kind, location);
  for (const Field& field : fields_)
    if (field.required && !json.contains(field.key))
      (location / field.key).problem("\"" + field.key + "\" is missing", field.meaning);
}

template <class S>
auto Record<S>::readSelector(const nlohmann::json& json, S& value, const Location& location) const
    -> Kind {
  if (selector_.empty()) return Kind::kKnown;
  const std::size_t before = location.problemCount();
  if (const auto member = json.find(selector_); member != json.end())
    find(selector_)->read(*member, value, location / selector_);
  if (defaults_) defaults_(value);
  return location.problemCount() == before ? Kind::kKnown : Kind::kUnknown;
}

template <class S>
void Record<S>::readKey(const std::string& key, const nlohmann::json& json, S& value, Kind kind,
                        const Location& location) const {
  const std::string name = kindOf(value);
  const Field* field = find(key, name);
  if (const auto renamed = renames_.find(key); renamed != renames_.end()) {
    (location / key)
        .problem("\"" + key + "\" is now called \"" + renamed->second + "\"",
                 "the key \"" + renamed->second + "\": " + find(renamed->second)->meaning);
  } else if (field == nullptr) {
    const std::vector<std::string> keys = keysOf(name);
    (location / key)
        .problem("unknown key \"" + printable(key) + "\"" + didYouMean(key, keys),
                 "the keys " + join(keys));
  } else if (kind == Kind::kKnown && !field->belongsTo(name)) {
    (location / key)
        .problem(key + " is a setting of " + join(field->kinds, " and ") + ", but " + selector_ +
                     " is \"" + name + "\"",
                 "the keys " + join(keysOf(name)));
  } else {
    field->read(json, value, location / key);
  }
}

template <class S>
nlohmann::ordered_json Record<S>::write(const S& value) const {
  const std::string kind = kindOf(value);
  auto json = nlohmann::ordered_json::object();
  for (const Field& field : fields_)
    if (field.belongsTo(kind)) json[field.key] = field.write(value);
  return json;
}

template <class S>
nlohmann::ordered_json Record<S>::schema() const {
  const S standard{};
  auto properties = nlohmann::ordered_json::object();
  auto required = nlohmann::ordered_json::array();
  for (const Field& field : fields_) {
    nlohmann::ordered_json property{{"description", field.meaning}};
    property.update(field.schema());
    if (field.required) {
      required.push_back(field.key);
    } else {
      property["default"] = field.write(standard);
    }
    if (properties.contains(field.key))
      addAlternative(properties[field.key], property);
    else
      properties[field.key] = std::move(property);
  }
  nlohmann::ordered_json schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  describeKinds(schema);
  return schema;
}

/// A key that kinds share accepts what any of them does; describeKinds() says which.
template <class S>
void Record<S>::addAlternative(nlohmann::ordered_json& property,
                               const nlohmann::ordered_json& other) {
  const auto alternatives = [](const nlohmann::ordered_json& of) {
    if (of.contains("anyOf")) return of["anyOf"];
    nlohmann::ordered_json only = of;
    only.erase("description");
    only.erase("default");
    return nlohmann::ordered_json::array({only});
  };
  nlohmann::ordered_json merged{
      {"description", property["description"].template get<std::string>() + " " +
                          other["description"].template get<std::string>()},
      {"anyOf", alternatives(property)}};
  for (const auto& alternative : alternatives(other)) merged["anyOf"].push_back(alternative);
  if (property.contains("default")) merged["default"] = property["default"];
  property = std::move(merged);
}

/// For every kind: if the selector says so, the keys of other kinds are not allowed.
template <class S>
void Record<S>::describeKinds(nlohmann::ordered_json& schema) const {
  if (selector_.empty()) return;
  auto rules = nlohmann::ordered_json::array();
  for (const auto& kind : schema["properties"][selector_]["enum"]) {
    auto forbidden = nlohmann::ordered_json::object();
    const auto word = kind.template get<std::string>();
    for (const Field& field : fields_) {
      const Field* own = find(field.key, word);
      if (!own->belongsTo(word))
        forbidden[field.key] = false;
      else if (std::ranges::count(fields_, field.key, &Field::key) > 1)
        forbidden[field.key] = own->schema();
    }
    if (forbidden.empty()) continue;
    nlohmann::ordered_json condition{{"properties", {{selector_, {{"const", kind}}}}}};
    condition["required"] = nlohmann::ordered_json::array({selector_});
    rules.push_back(
        {{"if", std::move(condition)}, {"then", {{"properties", std::move(forbidden)}}}});
  }
  if (!rules.empty()) schema["allOf"] = std::move(rules);
}

}  // namespace parapet::record
