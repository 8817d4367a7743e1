// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace parapet::experiment {

/// Finds the entries of a list by their names, each in constant time. The list must outlive the
/// index and stay unchanged. Of entries with one name the first is found.
template <class T>
class NameIndex {
 public:
  explicit NameIndex(const std::vector<T>& entries) {
    byName_.reserve(entries.size());
    for (const T& entry : entries) {
      if (entry.name.empty()) continue;
      byName_.emplace(entry.name, &entry);
      names_.push_back(entry.name);
    }
  }

  /// nullptr if no entry has the name, and for the empty name.
  [[nodiscard]] const T* find(std::string_view name) const {
    const auto found = byName_.find(name);
    return found == byName_.end() ? nullptr : found->second;
  }

  /// The names in the order of the list.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, const T*> byName_;
};

}  // namespace parapet::experiment
