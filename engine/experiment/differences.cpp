// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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

}  // namespace

std::vector<Difference> differences(const Experiment& left, const Experiment& right) {
  const OrderedJson leftDocument = toJson(left);
  const OrderedJson rightDocument = toJson(right);
  std::vector<Difference> found;
  compare(&leftDocument, &rightDocument, "", found);
  return found;
}

}  // namespace parapet::experiment
