// SPDX-License-Identifier: Apache-2.0
#include "engine/base/record/record.h"

#include <algorithm>

#include "engine/base/text.h"

namespace parapet::record {

bool RecordFields::Field::belongsTo(const std::string& kind) const {
  return kinds.empty() || std::ranges::find(kinds, kind) != kinds.end();
}

nlohmann::ordered_json RecordFields::Field::write(const void* record) const {
  return codec.write(static_cast<const std::byte*>(record) + offset);
}

void RecordFields::Field::read(const nlohmann::json& json, void* record,
                               const Location& location) const {
  codec.read(json, static_cast<std::byte*>(record) + offset, location);
}

auto RecordFields::find(const std::string& key) const -> const Field* {
  const auto found = std::ranges::find(fields_, key, &Field::key);
  return found == fields_.end() ? nullptr : &*found;
}

auto RecordFields::find(const std::string& key, const std::string& kind) const -> const Field* {
  const auto found = std::ranges::find_if(
      fields_, [&](const Field& field) { return field.key == key && field.belongsTo(kind); });
  return found == fields_.end() ? find(key) : &*found;
}

std::string RecordFields::kindOf(const void* record) const {
  const Field* field = selector_.empty() ? nullptr : find(selector_);
  if (field == nullptr) return {};
  const nlohmann::ordered_json kind = field->write(record);
  return kind.is_string() ? kind.get<std::string>() : std::string{};
}

std::vector<std::string> RecordFields::keysOf(const std::string& kind) const {
  std::vector<std::string> keys;
  for (const Field& field : fields_)
    if (field.belongsTo(kind)) keys.push_back(field.key);
  return keys;
}

void RecordFields::readFields(const nlohmann::json& json, void* record,
                              const Location& location) const {
  if (!json.is_object()) {
    location.problem("found " + shown(json),
                     "an object with the keys " + join(keysOf(kindOf(record))));
    return;
  }
  const Kind kind = readSelector(json, record, location);
  for (const auto& [key, member] : json.items())
    if (key != selector_) readKey(key, member, record, kind, location);
  for (const Field& field : fields_)
    if (field.required && !json.contains(field.key))
      (location / field.key).problem("\"" + field.key + "\" is missing", field.meaning);
}

auto RecordFields::readSelector(const nlohmann::json& json, void* record,
                                const Location& location) const -> Kind {
  if (selector_.empty()) return Kind::kKnown;
  const std::size_t before = location.problemCount();
  if (const auto member = json.find(selector_); member != json.end())
    find(selector_)->read(*member, record, location / selector_);
  if (defaults_) defaults_(record);
  return location.problemCount() == before ? Kind::kKnown : Kind::kUnknown;
}

void RecordFields::readKey(const std::string& key, const nlohmann::json& json, void* record,
                           Kind kind, const Location& location) const {
  const std::string name = kindOf(record);
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
    field->read(json, record, location / key);
  }
}

nlohmann::ordered_json RecordFields::writeFields(const void* record) const {
  const std::string kind = kindOf(record);
  auto json = nlohmann::ordered_json::object();
  for (const Field& field : fields_)
    if (field.belongsTo(kind)) json[field.key] = field.write(record);
  return json;
}

namespace {

// A key that kinds share accepts what any of them does; describeKinds() says which.
void addAlternative(nlohmann::ordered_json& property, const nlohmann::ordered_json& other) {
  const auto alternatives = [](const nlohmann::ordered_json& of) {
    if (of.contains("anyOf")) return of["anyOf"];
    nlohmann::ordered_json only = of;
    only.erase("description");
    only.erase("default");
    return nlohmann::ordered_json::array({only});
  };
  nlohmann::ordered_json merged{{"description", property["description"].get<std::string>() + " " +
                                                    other["description"].get<std::string>()},
                                {"anyOf", alternatives(property)}};
  for (const auto& alternative : alternatives(other)) merged["anyOf"].push_back(alternative);
  if (property.contains("default")) merged["default"] = property["default"];
  property = std::move(merged);
}

}  // namespace

nlohmann::ordered_json RecordFields::schema() const {
  auto properties = nlohmann::ordered_json::object();
  auto required = nlohmann::ordered_json::array();
  for (const Field& field : fields_) {
    nlohmann::ordered_json property{{"description", field.meaning}};
    property.update(field.codec.schema());
    if (field.required) {
      required.push_back(field.key);
    } else {
      property["default"] = field.write(standard_);
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

// For every kind: if the selector says so, the keys of other kinds are not allowed.
void RecordFields::describeKinds(nlohmann::ordered_json& schema) const {
  if (selector_.empty()) return;
  auto rules = nlohmann::ordered_json::array();
  for (const auto& kind : schema["properties"][selector_]["enum"]) {
    auto forbidden = nlohmann::ordered_json::object();
    const auto word = kind.get<std::string>();
    for (const Field& field : fields_) {
      const Field* own = find(field.key, word);
      if (!own->belongsTo(word))
        forbidden[field.key] = false;
      else if (std::ranges::count(fields_, field.key, &Field::key) > 1)
        forbidden[field.key] = own->codec.schema();
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
