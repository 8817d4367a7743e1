// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/base/result.h"

namespace parapet::experiment {

/// What a setting of a document holds.
enum class SettingKind {
  kInteger,  ///< whole numbers, null perhaps
  kReal,     ///< numbers, null perhaps
  kOther,
};

/// Of what a pointer names. Errors as those of setPointer().
Result<SettingKind> settingKind(const nlohmann::json& document, std::string_view pointer);

}  // namespace parapet::experiment
