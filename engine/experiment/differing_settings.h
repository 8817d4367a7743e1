// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// A setting that is not the same in all documents, with its value in each; null where absent.
struct DifferingSetting {
  std::string pointer;
  std::vector<nlohmann::json> values;
};

/// The settings in which documents differ, by pointer. As differences(), but entries of lists that
/// have names (tables, features, columns, vocabularies) are matched by them: "/features/item/table".
/// An entry that a document lacks is one setting, and so is a list whose common entries stand in
/// another order, with its names as values.
std::vector<DifferingSetting> differingSettings(const std::vector<Experiment>& experiments);

/// The setting as a JSON pointer of one document: "/features/1/table". "" if it has none there.
std::string indexPointer(std::string_view pointer, const nlohmann::ordered_json& document);

}  // namespace parapet::experiment
