// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/differing_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/record/location.h"
#include "engine/experiment/experiment.h"

namespace parapet::experiment {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// A value that has parts; null stands for a missing one.
bool isBranch(const OrderedJson* value) {
  return value != nullptr && value->is_structured() && !value->empty();
}
bool isNothing(const OrderedJson* value) {
  return value == nullptr || value->is_null();
}

const OrderedJson* member(const OrderedJson* value, const std::string& key) {
  if (isNothing(value)) return nullptr;
  const auto entry = value->find(key);
  return entry == value->end() ? nullptr : &*entry;
}

const OrderedJson* element(const OrderedJson* value, std::size_t index) {
  return !isNothing(value) && index < value->size() ? &(*value)[index] : nullptr;
}

nlohmann::json plain(const OrderedJson* value) {
  return value == nullptr ? nlohmann::json() : nlohmann::json::parse(value->dump());
}

/// Walks both sides together and collects the leaves that differ. A part that one side lacks is
/// listed leaf by leaf.
void compare(const OrderedJson* left, const OrderedJson* right, const std::string& pointer,
             std::vector<Difference>& found) {
  if ((isNothing(left) && isNothing(right)) || (left && right && *left == *right)) return;
  const bool alike = left && right && left->type() == right->type();
  const bool oneSided = isNothing(left) || isNothing(right);
  const OrderedJson* branch = isBranch(left) ? left : right;
  if (!isBranch(branch) || !(alike || oneSided)) {
    found.push_back({pointer, plain(left), plain(right)});
    return;
  }
  if (branch->is_array()) {
    const std::size_t size =
        std::max(isNothing(left) ? 0 : left->size(), isNothing(right) ? 0 : right->size());
    for (std::size_t index = 0; index < size; ++index)
      compare(element(left, index), element(right, index), fmt::format("{}/{}", pointer, index),
              found);
    return;
  }
  for (const auto& [key, value] : branch->items())
    compare(member(left, key), member(right, key), pointer + "/" + record::escapeToken(key), found);
  if (branch == right || isNothing(right)) return;
  for (const auto& [key, value] : right->items())
    if (member(left, key) == nullptr)
      compare(nullptr, &value, pointer + "/" + record::escapeToken(key), found);
}

using SettingJson = nlohmann::ordered_json;
/// One place in each of the documents; null where a document lacks it.
using Places = std::vector<const SettingJson*>;

bool isAbsent(const SettingJson* value) {
  return value == nullptr || value->is_null();
}

std::string nameOf(const SettingJson& entry) {
  const auto name = entry.is_object() ? entry.find("name") : entry.end();
  return name != entry.end() && name->is_string() ? name->get<std::string>() : std::string();
}

std::vector<std::string> namesOf(const SettingJson& list) {
  std::vector<std::string> names;
  for (const SettingJson& entry : list) names.push_back(nameOf(entry));
  return names;
}

/// Whether every entry has a name of its own.
bool hasNames(const SettingJson& list) {
  if (!list.is_array()) return false;
  std::vector<std::string> names = namesOf(list);
  std::ranges::sort(names);
  return std::ranges::find(names, std::string()) == names.end() &&
         std::ranges::adjacent_find(names) == names.end();
}

const SettingJson* entryCalled(const SettingJson& list, std::string_view name) {
  const auto found =
      std::ranges::find_if(list, [&](const SettingJson& entry) { return nameOf(entry) == name; });
  return found == list.end() ? nullptr : &*found;
}

class SettingWalk {
 public:
  explicit SettingWalk(std::map<std::string, std::vector<nlohmann::json>>& found) : found_(found) {}

  void compare(const Places& at, const std::string& pointer) {
    if (areEqual(at)) return;
    const auto isKind = [&](const auto& holds) {
      return std::ranges::all_of(at,
                                 [&](const SettingJson* v) { return isAbsent(v) || holds(*v); });
    };
    const bool hasParts = std::ranges::any_of(at, [](const SettingJson* value) {
      return !isAbsent(value) && value->is_structured() && !value->empty();
    });
    if (!hasParts) return keep(at, pointer);
    if (isKind(hasNames)) return compareNamed(at, pointer);
    if (isKind([](const SettingJson& v) { return v.is_object(); })) return compareKeys(at, pointer);
    if (isKind([](const SettingJson& v) { return v.is_array(); }))
      return compareElements(at, pointer);
    keep(at, pointer);
  }

 private:
  static bool areEqual(const Places& at) {
    return std::ranges::all_of(at, [&](const SettingJson* value) {
      if (isAbsent(value) || isAbsent(at[0])) return isAbsent(value) && isAbsent(at[0]);
      return *value == *at[0];
    });
  }
  static nlohmann::json plainOf(const SettingJson* value) {
    return value == nullptr ? nlohmann::json() : nlohmann::json::parse(value->dump());
  }
  void keep(const Places& at, const std::string& pointer) {
    for (const SettingJson* value : at) found_[pointer].push_back(plainOf(value));
  }
  template <class Find>
  static Places stepped(const Places& at, const Find& find) {
    Places next;
    for (const SettingJson* value : at) next.push_back(isAbsent(value) ? nullptr : find(*value));
    return next;
  }

  void compareKeys(const Places& at, const std::string& pointer) {
    std::vector<std::string> keys;
    for (const SettingJson* value : at)
      if (!isAbsent(value))
        for (const auto& [key, child] : value->items())
          if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    for (const std::string& key : keys)
      compare(stepped(at,
                      [&](const SettingJson& value) {
                        const auto child = value.find(key);
                        return child == value.end() ? nullptr : &*child;
                      }),
              pointer + "/" + record::escapeToken(key));
  }

  void compareElements(const Places& at, const std::string& pointer) {
    std::size_t size = 0;
    for (const SettingJson* value : at)
      if (!isAbsent(value)) size = std::max(size, value->size());
    for (std::size_t index = 0; index < size; ++index)
      compare(stepped(at,
                      [&](const SettingJson& value) {
                        return index < value.size() ? &value[index] : nullptr;
                      }),
              pointer + "/" + std::to_string(index));
  }

  void compareNamed(const Places& at, const std::string& pointer) {
    std::vector<std::string> names;
    for (const SettingJson* value : at)
      if (!isAbsent(value))
        for (std::string& name : namesOf(*value))
          if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    std::vector<std::string> common;
    for (const std::string& name : names) {
      const Places entries =
          stepped(at, [&](const SettingJson& value) { return entryCalled(value, name); });
      const std::string entry = pointer + "/" + record::escapeToken(name);
      if (std::ranges::find(entries, nullptr) != entries.end()) {
        keep(entries, entry);
      } else {
        common.push_back(name);
        compare(entries, entry);
      }
    }
    compareOrder(at, pointer, common);
  }

  // Features are concatenated in their order, so that another order is another model.
  void compareOrder(const Places& at, const std::string& pointer,
                    const std::vector<std::string>& common) {
    const auto order = [&](const SettingJson& list) {
      std::vector<std::string> names = namesOf(list);
      std::erase_if(names, [&](const std::string& name) {
        return std::ranges::find(common, name) == common.end();
      });
      return names;
    };
    const bool isSame = common.empty() || std::ranges::all_of(at, [&](const SettingJson* list) {
                          return order(*list) == order(*at[0]);
                        });
    if (isSame) return;
    for (const SettingJson* list : at) found_[pointer].emplace_back(namesOf(*list));
  }

  std::map<std::string, std::vector<nlohmann::json>>& found_;
};

}  // namespace

std::vector<Difference> differences(const Experiment& left, const Experiment& right) {
  const OrderedJson leftDocument = toJson(left);
  const OrderedJson rightDocument = toJson(right);
  std::vector<Difference> found;
  compare(&leftDocument, &rightDocument, "", found);
  return found;
}

std::vector<DifferingSetting> differingSettings(const std::vector<Experiment>& experiments) {
  std::vector<SettingJson> documents;
  for (const Experiment& experiment : experiments) documents.push_back(toJson(experiment));
  Places all;
  for (const SettingJson& document : documents) all.push_back(&document);
  std::map<std::string, std::vector<nlohmann::json>> found;
  if (!all.empty()) SettingWalk(found).compare(all, "");
  std::vector<DifferingSetting> settings;
  for (auto& [pointer, values] : found) settings.push_back({pointer, std::move(values)});
  return settings;
}

std::string indexPointer(std::string_view pointer, const nlohmann::ordered_json& document) {
  const SettingJson* at = &document;
  std::string out;
  while (!pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    std::string token(pointer.substr(1, end - 1));
    pointer.remove_prefix(end);
    const SettingJson::json_pointer step("/" + token);
    if (const SettingJson* entry = at->is_array() ? entryCalled(*at, step.back()) : nullptr)
      token = std::to_string(entry - &at->front());
    const SettingJson::json_pointer next("/" + token);
    if (!at->contains(next)) return {};
    at = &at->at(next);
    out += "/" + token;
  }
  return out;
}

}  // namespace parapet::experiment
