// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/record/location.h"
#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/other_kind.h"
#include "engine/experiment/renamed_keys.h"

namespace parapet::experiment {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// Whoever prints the error names the pointer as well.
Error refuse(std::string_view pointer, std::string message) {
  return record::documentError(std::string(pointer), std::move(message));
}

/// "/a~1b/0" to {"a/b", "0"}; nullopt if it is not a pointer to a part of a document.
std::optional<std::vector<std::string>> tokensOf(std::string_view pointer) {
  if (pointer.size() < 2 || pointer[0] != '/') return std::nullopt;
  std::vector<std::string> tokens;
  for (const std::string_view part : splitFields(pointer.substr(1), '/')) {
    std::string token;
    for (std::size_t index = 0; index < part.size(); ++index) {
      if (part[index] != '~') {
        token += part[index];
        continue;
      }
      ++index;
      if (index == part.size() || (part[index] != '0' && part[index] != '1')) return std::nullopt;
      token += part[index] == '0' ? '~' : '/';
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

/// The part of a schema that describes objects or lists, past "or null".
const OrderedJson* structureOf(const OrderedJson* schema) {
  if (schema == nullptr || !schema->contains("anyOf")) return schema;
  for (const OrderedJson& alternative : (*schema)["anyOf"])
    if (alternative.contains("properties") || alternative.contains("items")) return &alternative;
  return nullptr;
}

/// All pointers below `value`.
void collectPointers(const OrderedJson& value, const std::string& pointer,
                     std::vector<std::string>& pointers) {
  if (!pointer.empty()) pointers.push_back(pointer);
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      collectPointers(member, pointer + "/" + record::escapeToken(key), pointers);
  } else if (value.is_array()) {
    for (std::size_t index = 0; index < value.size(); ++index)
      collectPointers(value[index], fmt::format("{}/{}", pointer, index), pointers);
  }
}

/// The pointer that was probably meant: a sibling spelt alike; of a pointer whose first key is unknown
/// also a key of that name elsewhere, or a pointer spelt alike. Who names an object that there is means
/// a key of it.
std::optional<std::string> nearestPointer(std::string_view pointer, const std::string& existing,
                                          const std::string& unknownToken,
                                          const std::vector<std::string>& siblings,
                                          const OrderedJson& full) {
  if (const auto sibling = nearest(unknownToken, siblings))
    return existing + "/" + record::escapeToken(*sibling);
  if (!existing.empty()) return std::nullopt;
  std::vector<std::string> pointers;
  collectPointers(full, "", pointers);
  const std::string ending(pointer.substr(pointer.rfind('/')));
  for (const std::string& candidate : pointers)
    if (candidate.ends_with(ending)) return candidate;
  return nearest(pointer, pointers);
}

/// The message about an unknown key, with the keys that the object has.
std::string unknownKey(const std::string& existing, const std::vector<std::string>& keys,
                       const std::optional<std::string>& nearest) {
  if (nearest) return "no such key; the nearest is " + *nearest;
  const std::string object = existing.empty() ? "the document" : existing;
  return keys.empty() ? fmt::format("no such key; {} has none", object)
                      : fmt::format("no such key; {} has the keys {}", object, join(keys));
}

std::vector<std::string> keysOf(const OrderedJson* schema) {
  std::vector<std::string> keys;
  if (schema != nullptr && schema->contains("properties"))
    for (const auto& [key, property] : (*schema)["properties"].items()) keys.push_back(key);
  return keys;
}

/// Walks down a document, its schema and its full form (every default filled in) together. What the
/// document leaves out is taken from the full form on the way.
class Walk {
 public:
  Walk(std::string_view pointer, Json& document)
      : pointer_(pointer), schema_(schema()), full_(toJson(parse(document).experiment)) {
    node_ = &document;
    nodeSchema_ = &schema_;
    nodeFull_ = &full_;
  }

  Status enter(const std::string& token) {
    nodeSchema_ = structureOf(nodeSchema_);
    const bool isList = nodeSchema_ != nullptr && nodeSchema_->contains("items");
    if (Status entered = isList ? enterList(token) : enterObject(token); !entered.ok())
      return entered;
    existing_ += "/" + record::escapeToken(token);
    pattern_ += isList ? "/*" : "/" + record::escapeToken(token);
    return {};
  }
  [[nodiscard]] Json& node() { return *node_; }
  /// The schema of the node that was entered; null where documents say nothing of the node.
  [[nodiscard]] const OrderedJson* nodeSchema() const { return nodeSchema_; }

 private:
  Status enterObject(const std::string& token) {
    const std::vector<std::string> keys = keysOf(nodeSchema_);
    if (const std::string name = currentName(token); !name.empty())
      return refuse(pointer_, fmt::format("\"{}\" is now called \"{}\": {}/{}", token, name,
                                          existing_, name));
    if (std::ranges::find(keys, token) == keys.end())
      return refuse(pointer_, unknownKey(existing_, keys,
                                         nearestPointer(pointer_, existing_, token, keys, full_)));
    if (node_->is_null()) *node_ = Json::object();
    if (!node_->is_object())
      return refuse(pointer_, fmt::format("{} is {}, not an object",
                                          existing_.empty() ? "the document" : existing_,
                                          record::shown(*node_)));
    nodeFull_ = nodeFull_ && nodeFull_->is_object() && nodeFull_->contains(token)
                    ? &(*nodeFull_)[token]
                    : nullptr;
    if (!node_->contains(token)) (*node_)[token] = missing(nodeFull_);
    node_ = &(*node_)[token];
    nodeSchema_ = &(*nodeSchema_)["properties"][token];
    return {};
  }
  /// The new name of a renamed key of the object that was entered; "" if it was not renamed.
  [[nodiscard]] std::string currentName(const std::string& key) const {
    for (const RenamedKey& renamed : renamedKeys())
      if (key == renamed.oldKey && pattern_ == renamed.object) return renamed.newKey;
    return {};
  }
  /// A list is filled in as a whole, so that its entries can be named; an object grows key by key.
  static Json missing(const OrderedJson* full) {
    return full != nullptr && full->is_array() ? Json::parse(full->dump()) : Json();
  }
  Status enterList(const std::string& token) {
    const auto index = parseInt(token);
    const std::size_t size = node_->is_array() ? node_->size() : 0;
    const bool canonical = index && fmt::to_string(*index) == token;
    if (!canonical || *index < 0 || static_cast<std::size_t>(*index) >= size)
      return refuse(pointer_,
                    fmt::format("\"{}\" is no entry of {}, which has {}; the nearest is {}",
                                printable(token), existing_, size,
                                size == 0 ? existing_ : fmt::format("{}/{}", existing_, size - 1)));
    const auto position = static_cast<std::size_t>(*index);
    node_ = &(*node_)[position];
    nodeSchema_ = &(*nodeSchema_)["items"];
    nodeFull_ = nodeFull_ && position < nodeFull_->size() ? &(*nodeFull_)[position] : nullptr;
    return {};
  }

  std::string pointer_;
  std::string existing_;  ///< the part of the pointer that was entered
  std::string pattern_;   ///< the same, with "*" for every index
  OrderedJson schema_;
  OrderedJson full_;
  Json* node_ = nullptr;
  const OrderedJson* nodeSchema_ = nullptr;
  const OrderedJson* nodeFull_ = nullptr;
};

/// Down to what the pointer names.
Status enterAll(Walk& walk, std::string_view pointer) {
  const auto tokens = tokensOf(pointer);
  if (!tokens)
    return refuse(pointer,
                  "not a JSON pointer to a setting; accepted: a pointer such as /training/epochs");
  for (const std::string& token : *tokens) PARAPET_TRY(walk.enter(token));
  return {};
}

/// Whether a schema, or one of its alternatives, is of a type.
bool accepts(const OrderedJson& schema, std::string_view type) {
  if (schema.value("type", std::string()) == type) return true;
  if (!schema.contains("anyOf")) return false;
  for (const OrderedJson& alternative : schema["anyOf"])
    if (accepts(alternative, type)) return true;
  return false;
}

}  // namespace

Result<SettingKind> settingKind(const Json& document, std::string_view pointer) {
  Json changed = document;
  Walk walk(pointer, changed);
  PARAPET_TRY(enterAll(walk, pointer));
  const OrderedJson* schema = walk.nodeSchema();
  if (schema == nullptr) return SettingKind::kOther;
  if (accepts(*schema, "number")) return SettingKind::kReal;
  return accepts(*schema, "integer") ? SettingKind::kInteger : SettingKind::kOther;
}

Status setPointer(Json& document, std::string_view pointer, std::string_view value) {
  Json changed = document;
  Walk walk(pointer, changed);
  PARAPET_TRY(enterAll(walk, pointer));
  Result<Json> parsed = parseJson(value);
  Json next = parsed.ok() ? std::move(parsed).value() : Json(std::string(value));
  const Json::json_pointer at{std::string(pointer)};
  const bool changesKind = at.back() == "kind" && document.contains(at) && document.at(at) != next;
  walk.node() = next;
  if (changesKind) {
    const std::string object = at.parent_pointer().to_string();
    const OtherKind other = ofOtherKind(document, OrderedJson::json_pointer(object), "kind", next);
    const auto text = [](const auto& json) {
      return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    // Nothing that was chosen is lost without a word.
    if (!other.lost.empty())
      return refuse(pointer, fmt::format("the kind {} has no {}, which the document sets for {}; "
                                         "accepted, without these: '{}={}'",
                                         text(next), join(other.lost, " and no "),
                                         text(document.at(at)), object, text(other.object)));
    changed.at(at.parent_pointer()) = other.object;
  }
  document = std::move(changed);
  return {};
}

}  // namespace parapet::experiment
