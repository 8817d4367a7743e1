// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <nlohmann/json.hpp>

namespace parapet::ui {

/// What an optimizer does with its settings as they are, in the user's words.
QString optimizerExplanation(const nlohmann::ordered_json& optimizer);

}  // namespace parapet::ui
