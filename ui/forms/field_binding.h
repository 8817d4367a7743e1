// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <nlohmann/json.hpp>

#include "ui/models/document_schema.h"

namespace parapet::ui {

/// A widget and how it is kept equal to a value of the document.
struct FieldBinding {
  QWidget* widget = nullptr;
  /// Shows a value. What the user types at the moment is left alone if it means the same.
  std::function<void(const nlohmann::ordered_json&)> show;
  /// Words to choose from, which may change; empty for other widgets.
  std::function<void(const QStringList&)> offer{};
};

using ValueChanged = std::function<void(const nlohmann::json&)>;

/// The widget for a type of value: check box, combo box, or line for text, numbers and lists. Any
/// number can be typed, also one that is out of range: the document reports the finding.
/// ↑ and ↓ step integers.
FieldBinding bindField(const FieldInfo& info, const ValueChanged& changed, QWidget* parent);

/// A combo box for the name of another part of the document; `absent` is what null is called, ""
/// where null is not accepted.
FieldBinding bindName(const QString& absent, const ValueChanged& changed, QWidget* parent);

/// Leaves Ctrl+Z and Ctrl+Y to the undo history of the experiment instead of the widget's own.
void leaveUndoToPage(QWidget* widget);

}  // namespace parapet::ui
