// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <nlohmann/json.hpp>

namespace parapet::ui {

/// A completed document without the settings that stand at their default: what is left means the
/// same. Kinds and sources stay, and so does what one of `kept` points at or into.
nlohmann::ordered_json withoutDefaults(const nlohmann::ordered_json& document,
                                       const QStringList& kept);

}  // namespace parapet::ui
