// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "ui/forms/field_binding.h"

namespace parapet::ui {

/// A value of the document, and what it is called.
struct Choice {
  nlohmann::json value;
  QString name;
};

/// Makes the widget of a field; the field names it and gives it its tooltip.
using BindingMaker = std::function<FieldBinding(const ValueChanged&, QWidget* parent)>;

/// A combo box of values with names of their own, null among them where it is accepted. A value
/// that is not accepted is shown as it stands.
BindingMaker choiceOf(std::vector<Choice> choices);

/// A check box for each value that a list may have; the list keeps the order of the choices.
BindingMaker choicesOf(std::vector<Choice> choices);

}  // namespace parapet::ui
