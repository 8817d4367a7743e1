// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::experiment {

/// The kind of the value of a setting.
enum class SettingKind {
  kInteger,  ///< whole numbers, null perhaps
  kReal,     ///< numbers, null perhaps
  kOther,
};

/// The kind of the setting that `pointer` names. Errors as those of setPointer().
Result<SettingKind> settingKind(const nlohmann::json& document, std::string_view pointer);

/// An object with another value of its selector, and the settings that were changed from the default of
/// the old kind and that the new one does not have: they are not in it.
struct OtherKind {
  nlohmann::ordered_json object;
  std::vector<std::string> lost;
};

/// The object at a pointer of a document with another value of its selector ("kind", "source"). The
/// settings that stand at the default of the old kind go, so that those of the new kind have its own.
///
/// `document`   has an object at `at`; what is wrong in it elsewhere does not matter.
OtherKind ofOtherKind(const nlohmann::ordered_json& document,
                      const nlohmann::ordered_json::json_pointer& at, const std::string& selector,
                      const nlohmann::ordered_json& kind);

/// A document that means the same as `experiment` and is short: settings that stand at their defaults
/// are left out, except those at or above a pointer of `kept`.
///
/// Time   a parse for each setting.
nlohmann::ordered_json compactJson(const Experiment& experiment,
                                   const std::vector<std::string>& kept = {});

}  // namespace parapet::experiment
