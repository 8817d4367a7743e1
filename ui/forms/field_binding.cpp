// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/field_binding.h"

#include <QCheckBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSignalBlocker>
#include <algorithm>

#include "ui/models/document_text.h"
#include "ui/models/value_names.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;
using Type = FieldInfo::Type;

// Widths on the 8 px grid: room for "0.000001", "truncated_normal", a path.
constexpr int kNumberWidth = 144;
constexpr int kWordWidth = 208;
constexpr int kTextWidth = 416;

class UndoLeaver : public QObject {
 public:
  using QObject::QObject;
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() != QEvent::ShortcutOverride) return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool ours = key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo);
    if (ours) event->ignore();
    return ours;
  }
};

/// A line whose arrow keys step whole numbers.
class ValueLine : public QLineEdit {
 public:
  ValueLine(FieldInfo info, QWidget* parent) : QLineEdit(parent), info_(std::move(info)) {}

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    const int step = event->key() == Qt::Key_Up ? 1 : event->key() == Qt::Key_Down ? -1 : 0;
    bool isNumber = false;
    const qlonglong number = QLocale::c().toLongLong(text(), &isNumber);
    if (step == 0 || !isNumber || info_.type != Type::kInteger) {
      QLineEdit::keyPressEvent(event);
      return;
    }
    const auto limit = [this](double value) {
      return std::clamp(value, info_.min.value_or(value), info_.max.value_or(value));
    };
    const double next = limit(static_cast<double>(number + step));
    setText(QString::number(static_cast<qlonglong>(next)));
    emit textEdited(text());
  }

 private:
  FieldInfo info_;
};

int widthOf(Type type) {
  if (type == Type::kInteger || type == Type::kNumber) return kNumberWidth;
  return type == Type::kText ? kTextWidth : kWordWidth;
}

FieldBinding bindLine(const FieldInfo& info, const ValueChanged& changed, QWidget* parent) {
  auto* line = new ValueLine(info, parent);
  line->setMaximumWidth(widthOf(info.type));
  line->setMinimumWidth(kNumberWidth);
  if (info.nullable) line->setPlaceholderText(QObject::tr("not set"));
  QObject::connect(line, &QLineEdit::textEdited, line,
                   [changed, info](const QString& text) { changed(typedValue(text, info)); });
  leaveUndoToPage(line);
  return {line, [line, info](const Json& value) {
            if (line->hasFocus() && Json(typedValue(line->text(), info)) == value) return;
            const QString text = shownValue(value);
            if (line->text() != text) line->setText(text);
          }};
}

FieldBinding bindWord(const FieldInfo& info, const ValueChanged& changed, QWidget* parent) {
  auto* combo = new QComboBox(parent);
  combo->setEditable(info.type == Type::kWordOrNumber);
  // What can be typed stands as it is typed.
  for (const QString& word : info.words) {
    combo->addItem(combo->isEditable() ? word : valueName(word), word);
    if (!combo->isEditable())
      combo->setItemData(combo->count() - 1, QObject::tr("%1 in the document").arg(word),
                         Qt::ToolTipRole);
  }
  combo->setFixedWidth(kWordWidth);
  if (combo->isEditable()) {
    leaveUndoToPage(combo->lineEdit());
    QObject::connect(combo, &QComboBox::editTextChanged, combo,
                     [changed, info](const QString& text) { changed(typedValue(text, info)); });
  } else {
    QObject::connect(combo, &QComboBox::activated, combo, [changed, combo](int at) {
      changed(combo->itemData(at).toString().toStdString());
    });
  }
  return {combo, [combo, info](const Json& value) {
            const QSignalBlocker quiet(combo);
            const QString text = shownValue(value);
            if (combo->isEditable()) {
              if (combo->currentText() != text) combo->setEditText(text);
              return;
            }
            // A word that is not accepted is shown as it stands; its problem is told beside it.
            while (combo->count() > info.words.size()) combo->removeItem(combo->count() - 1);
            if (combo->findData(text) < 0) combo->addItem(text, text);
            combo->setCurrentIndex(combo->findData(text));
          }};
}

FieldBinding bindFlag(const ValueChanged& changed, QWidget* parent) {
  auto* box = new QCheckBox(parent);
  QObject::connect(box, &QCheckBox::clicked, box, [changed](bool on) { changed(on); });
  return {box, [box](const Json& value) {
            box->setChecked(value.is_boolean() && value.get<bool>());
            box->setText(value.is_boolean() ? QString() : shownValue(value));
          }};
}

}  // namespace

FieldBinding bindField(const FieldInfo& info, const ValueChanged& changed, QWidget* parent) {
  switch (info.type) {
    case Type::kFlag:
      return bindFlag(changed, parent);
    case Type::kWord:
    case Type::kWordOrNumber:
      return bindWord(info, changed, parent);
    default:
      return bindLine(info, changed, parent);
  }
}

FieldBinding bindName(const QString& absent, const ValueChanged& changed, QWidget* parent) {
  auto* combo = new QComboBox(parent);
  combo->setFixedWidth(kWordWidth);
  QObject::connect(combo, &QComboBox::textActivated, combo, [changed, absent](const QString& text) {
    const bool nothing = !absent.isEmpty() && text == absent;
    changed(nothing ? nlohmann::json() : nlohmann::json(text.toStdString()));
  });
  const auto show = [combo, absent](const Json& value) {
    const QSignalBlocker quiet(combo);
    const QString text = value.is_null() ? absent : shownValue(value);
    // A name of nothing is shown as it stands; its problem is told beside it.
    if (combo->findText(text) < 0) combo->addItem(text);
    combo->setCurrentIndex(combo->findText(text));
  };
  const auto offer = [combo, absent](const QStringList& names) {
    const QSignalBlocker quiet(combo);
    combo->clear();
    if (!absent.isEmpty()) combo->addItem(absent);
    combo->addItems(names);
  };
  return {combo, show, offer};
}

void leaveUndoToPage(QWidget* widget) {
  widget->installEventFilter(new UndoLeaver(widget));
}

}  // namespace parapet::ui
