// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/bytes_field.h"

#include <QLineEdit>

#include "ui/models/byte_text.h"

namespace parapet::ui {
namespace {

constexpr int kMinWidth = 144, kMaxWidth = 416;  // as lines of numbers and of texts

}  // namespace

BindingMaker bytesField(const QString& placeholder) {
  return [placeholder](const ValueChanged& changed, QWidget* parent) {
    auto* line = new QLineEdit(parent);
    line->setMinimumWidth(kMinWidth);
    line->setMaximumWidth(kMaxWidth);
    line->setPlaceholderText(placeholder);
    QObject::connect(line, &QLineEdit::textEdited, line,
                     [changed](const QString& text) { changed(typedBytes(text)); });
    leaveUndoToPage(line);
    const auto show = [line](const nlohmann::ordered_json& value) {
      if (line->hasFocus() && nlohmann::ordered_json(typedBytes(line->text())) == value) return;
      const QString text = shownBytes(value);
      if (line->text() != text) line->setText(text);
    };
    return FieldBinding{line, show};
  };
}

}  // namespace parapet::ui
