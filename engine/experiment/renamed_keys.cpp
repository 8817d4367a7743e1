// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/renamed_keys.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/record/parse_json.h"

namespace parapet::experiment {
namespace {

using Json = nlohmann::json;

constexpr std::array kRenamedKeys{
    RenamedKey{"/dataset", "max_bad_share", "max_rejected_share"},
    RenamedKey{"/dataset/batch", "list_length", "group_size"},
    RenamedKey{"/dataset/batch", "replay", "replay_batches"},
    RenamedKey{"/features/*", "keep", "truncation_side"},
    RenamedKey{"/evaluation", "relevant_from", "relevance_threshold"},
};

struct RenamedCurve {
  const char* oldName;
  const char* newName;
};
constexpr std::array kRenamedCurves{
    RenamedCurve{"seed-000", "keras-data-parallel-retrieval"},
    RenamedCurve{"seed-002", "keras-distributed-embedding"},
    RenamedCurve{"seed-003", "keras-context-retrieval"},
    RenamedCurve{"seed-004", "keras-bert-mlm"},
};

/// The objects at a pointer in which "*" stands for any index.
void collectObjects(Json& node, std::string_view pointer, std::vector<Json*>& found) {
  if (pointer.empty()) {
    if (node.is_object()) found.push_back(&node);
    return;
  }
  pointer.remove_prefix(1);
  const std::size_t end = std::min(pointer.find('/'), pointer.size());
  const std::string token(pointer.substr(0, end));
  const std::string_view rest = pointer.substr(end);
  if (token == "*" && node.is_array())
    for (Json& entry : node) collectObjects(entry, rest, found);
  else if (node.is_object() && node.contains(token))
    collectObjects(node[token], rest, found);
}

/// "keep" named the ids that stay; "truncation_side" names the side of the others.
Json currentValue(const RenamedKey& key, Json value) {
  if (std::string_view(key.newKey) != "truncation_side") return value;
  if (value == "first") return "end";
  if (value == "last") return "start";
  return value;
}

}  // namespace

std::span<const RenamedKey> renamedKeys() {
  return kRenamedKeys;
}

std::map<std::string, std::string> renamesOf(std::string_view object) {
  std::map<std::string, std::string> renames;
  for (const RenamedKey& key : kRenamedKeys)
    if (key.object == object) renames.emplace(key.oldKey, key.newKey);
  return renames;
}

std::optional<std::string> renamedCurve(std::string_view name) {
  for (const RenamedCurve& curve : kRenamedCurves)
    if (curve.oldName == name) return curve.newName;
  return std::nullopt;
}

void useCurrentNames(Json& document) {
  if (document.is_object())
    if (const auto version = document.find("parapet");
        version != document.end() && version->is_number_integer() &&
        version->get<std::int64_t>() > kDocumentVersion)
      return;
  for (const RenamedKey& key : kRenamedKeys) {
    std::vector<Json*> objects;
    collectObjects(document, key.object, objects);
    for (Json* object : objects) {
      const auto old = object->find(key.oldKey);
      if (old == object->end()) continue;
      Json value = currentValue(key, *old);
      object->erase(old);
      // Where both are given, the current one was written later.
      if (!object->contains(key.newKey)) (*object)[key.newKey] = std::move(value);
    }
  }
  std::vector<Json*> references;
  collectObjects(document, "/reference", references);
  for (Json* reference : references)
    if (const auto curve = reference->find("curve");
        curve != reference->end() && curve->is_string())
      if (const auto name = renamedCurve(curve->get<std::string>())) *curve = *name;
}

Result<Json> parseStoredJson(std::string_view text) {
  PARAPET_ASSIGN(Json document, record::parseJson(text));
  useCurrentNames(document);
  return document;
}

}  // namespace parapet::experiment
