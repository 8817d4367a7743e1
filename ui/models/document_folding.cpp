// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_folding.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ui/models/document_edits.h"

namespace parapet::ui {
namespace {

using FoldedJson = nlohmann::ordered_json;

bool isSelector(const std::string& key) {
  return key == "kind" || key == "source";
}

/// Objects and lists of objects with nothing in them but what selects their kind.
FoldedJson skeleton(const FoldedJson& value) {
  if (value.is_object()) {
    FoldedJson bare = FoldedJson::object();
    for (const auto& [key, child] : value.items())
      if (isSelector(key) || child.is_object() || (child.is_array() && !child.empty()))
        bare[key] = skeleton(child);
    return bare;
  }
  if (!value.is_array()) return value;
  FoldedJson bare = FoldedJson::array();
  for (const FoldedJson& child : value) bare.push_back(skeleton(child));
  return bare;
}

/// What `value` says beyond `defaults`, which the program fills in by itself.
FoldedJson beyond(const FoldedJson& value, const FoldedJson& defaults, const QString& pointer,
                  const QStringList& kept) {
  if (value.is_array()) {
    FoldedJson left = FoldedJson::array();
    for (std::size_t index = 0; index < value.size(); ++index) {
      const bool known = defaults.is_array() && index < defaults.size();
      left.push_back(known ? beyond(value[index], defaults[index],
                                    elementPointer(pointer, static_cast<int>(index)), kept)
                           : value[index]);
    }
    return left;
  }
  if (!value.is_object() || !defaults.is_object()) return value;
  FoldedJson left = FoldedJson::object();
  for (const auto& [key, child] : value.items()) {
    const QString at = pointer + '/' + QString::fromStdString(key);
    const auto given = defaults.find(key);
    const bool isKept = std::ranges::any_of(
        kept, [&at](const QString& each) { return each == at || each.startsWith(at + '/'); });
    if (given == defaults.end() || isKept || isSelector(key) || child.is_structured() ||
        child != *given)
      left[key] = given == defaults.end() ? child : beyond(child, *given, at, kept);
  }
  return left;
}

/// Drops objects of which nothing is left, inside out. Those that may be null stay: an empty one
/// means something else than none.
void dropEmpty(FoldedJson& value, const FoldedJson& defaults) {
  if (!value.is_object() || !defaults.is_object()) return;
  std::vector<std::string> gone;
  for (auto& [key, child] : value.items()) {
    const auto given = defaults.find(key);
    if (given == defaults.end()) continue;
    dropEmpty(child, *given);
    if (given->is_object() && child.is_object() && child.empty()) gone.push_back(key);
  }
  for (const std::string& key : gone) value.erase(key);
}

}  // namespace

nlohmann::ordered_json withoutDefaults(const nlohmann::ordered_json& document,
                                       const QStringList& kept) {
  if (!document.is_object()) return document;
  FoldedJson folded = beyond(document, completed(skeleton(document)), {}, kept);
  if (completed(folded) != document) return document;
  FoldedJson shorter = folded;
  dropEmpty(shorter, completed(FoldedJson{{"name", ""}}));
  return completed(shorter) == document ? shorter : folded;
}

}  // namespace parapet::ui
