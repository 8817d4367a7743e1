// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/field.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QSignalBlocker>
#include <QWheelEvent>
#include <algorithm>
#include <utility>

#include "ui/bridge/pause.h"
#include "ui/forms/card.h"
#include "ui/models/document_edits.h"
#include "ui/models/document_names.h"
#include "ui/models/document_text.h"
#include "ui/models/document_words.h"
#include "ui/models/problems_model.h"
#include "ui/models/setting_names.h"
#include "ui/style/layouts.h"

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

/// A line whose arrow keys step whole numbers. Digits of a count stand in groups until somebody
/// edits them.
class ValueLine : public QLineEdit {
 public:
  ValueLine(FieldInfo info, QWidget* parent) : QLineEdit(parent), info_(std::move(info)) {}

  void showValue(const QString& value) {
    const QString shown = groups() && !hasFocus() ? groupedDigits(value) : value;
    if (text() != shown) setText(shown);
  }

 protected:
  void focusInEvent(QFocusEvent* event) override {
    if (groups()) setText(plainDigits(text()));
    QLineEdit::focusInEvent(event);
  }
  void focusOutEvent(QFocusEvent* event) override {
    QLineEdit::focusOutEvent(event);
    if (groups()) setText(groupedDigits(text()));
  }
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
  [[nodiscard]] bool groups() const { return info_.isCount && info_.type == Type::kInteger; }

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
            line->showValue(shownValue(value));
          }};
}

FieldBinding bindWord(const FieldInfo& info, const ValueChanged& changed, QWidget* parent) {
  auto* combo = new QComboBox(parent);
  combo->setEditable(info.type == Type::kWordOrNumber);
  // Words that can be typed stand as they are typed.
  for (const QString& word : info.words) {
    combo->addItem(combo->isEditable() ? word : valueName(word), word);
    if (!combo->isEditable())
      combo->setItemData(combo->count() - 1, QObject::tr("%1 in the document").arg(word),
                         Qt::ToolTipRole);
  }
  // A language may have longer words.
  combo->setFixedWidth(std::max(kWordWidth, combo->sizeHint().width()));
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

using OrderedJson = nlohmann::ordered_json;

constexpr int kChoiceWidth = 320;
constexpr int kBoxColumns = 3;

bool isSame(const OrderedJson& shown, const nlohmann::json& choice) {
  return shown == OrderedJson(choice);
}

/// A combo box that the wheel changes only while it has the focus: a form is scrolled over it.
class ChoiceBox : public QComboBox {
 public:
  explicit ChoiceBox(QWidget* parent) : QComboBox(parent) { setFocusPolicy(Qt::StrongFocus); }

 protected:
  void wheelEvent(QWheelEvent* event) override {
    if (hasFocus())
      QComboBox::wheelEvent(event);
    else
      event->ignore();
  }
};

/// Check boxes as one widget: the focus goes to the first.
class BoxGrid : public QWidget {
 public:
  BoxGrid(const std::vector<Choice>& choices, QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    for (const Choice& choice : choices) {
      auto* box = new QCheckBox(choice.name, this);
      box->setAccessibleName(choice.name);
      box->setObjectName(QString::fromStdString(choice.value.get<std::string>()));
      const int at = static_cast<int>(boxes.size());
      grid->addWidget(box, at / kBoxColumns, at % kBoxColumns);
      boxes.push_back(box);
    }
    grid->setColumnStretch(kBoxColumns, 1);
    if (!boxes.empty()) setFocusProxy(boxes.front());
  }
  std::vector<QCheckBox*> boxes;
};

constexpr int kMinWidth = 144, kMaxWidth = 416;  // as lines of numbers and of texts

constexpr int kIconSize = 16;

constexpr double kLineWidth = 2.0, kOutlineRadius = 4.0;

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

BindingMaker choiceOf(std::vector<Choice> choices) {
  return [choices = std::move(choices)](const ValueChanged& changed, QWidget* parent) {
    auto* combo = new ChoiceBox(parent);
    for (const Choice& choice : choices) combo->addItem(choice.name);
    combo->setMaximumWidth(std::max(kChoiceWidth, combo->sizeHint().width()));
    const auto count = static_cast<int>(choices.size());
    QObject::connect(combo, &QComboBox::activated, combo, [changed, choices, count](int index) {
      if (index < count) changed(choices[static_cast<std::size_t>(index)].value);
    });
    const auto show = [combo, choices, count](const OrderedJson& value) {
      const QSignalBlocker quiet(combo);
      while (combo->count() > count) combo->removeItem(combo->count() - 1);
      const auto found = std::ranges::find_if(
          choices, [&](const Choice& choice) { return isSame(value, choice.value); });
      if (found == choices.end()) combo->addItem(shownValue(value));
      combo->setCurrentIndex(static_cast<int>(found - choices.begin()));
    };
    return FieldBinding{combo, show};
  };
}

BindingMaker choicesOf(std::vector<Choice> choices) {
  return [choices = std::move(choices)](const ValueChanged& changed, QWidget* parent) {
    auto* grid = new BoxGrid(choices, parent);
    for (QCheckBox* box : grid->boxes)
      QObject::connect(box, &QCheckBox::clicked, grid, [changed, choices, grid] {
        nlohmann::json list = nlohmann::json::array();
        for (std::size_t i = 0; i < choices.size(); ++i)
          if (grid->boxes[i]->isChecked()) list.push_back(choices[i].value);
        changed(list);
      });
    const auto show = [grid, choices](const OrderedJson& value) {
      for (std::size_t i = 0; i < choices.size(); ++i)
        grid->boxes[i]->setChecked(value.is_array() &&
                                   std::ranges::any_of(value, [&](const OrderedJson& entry) {
                                     return isSame(entry, choices[i].value);
                                   }));
    };
    return FieldBinding{grid, show};
  };
}

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

/// A coloured frame on top of a widget. Not a style sheet: a widget that had one keeps the colours
/// of the theme it had then.
class FieldOutline final : public QWidget {
 public:
  explicit FieldOutline(QWidget& around) : QWidget(around.parentWidget()), around_(around) {
    setObjectName(QStringLiteral("outline"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    around_.installEventFilter(this);
    hide();
  }
  void setSeverity(Severity severity) {
    severity_ = severity;
    setVisible(severity != Severity::kNone);
    follow();
    update();
  }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move) follow();
    return false;
  }
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(severityColor(palette(), severity_), kLineWidth));
    const double half = kLineWidth / 2.0;
    painter.drawRoundedRect(QRectF(rect()).adjusted(half, half, -half, -half), kOutlineRadius,
                            kOutlineRadius);
  }

 private:
  void follow() {
    setGeometry(around_.geometry());
    raise();
  }

  QWidget& around_;
  Severity severity_ = Severity::kNone;
};

FindingsLabel::FindingsLabel(QWidget* parent)
    : QWidget(parent), icon_(new QLabel(this)), text_(new QLabel(this)) {
  auto* layout = horizontalBox(this, 6);
  icon_->setFixedSize(kIconSize, kIconSize);
  layout->addWidget(icon_, 0, Qt::AlignTop);
  layout->addWidget(text_, 1);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text_->setTextFormat(Qt::PlainText);
  hide();
}

void FindingsLabel::setFindings(const experiment::Findings& findings) {
  const Severity severity = severityOf(findings);
  text_->setText(findingsText(findings));
  setVisible(severity != Severity::kNone);
  if (severity == Severity::kNone) return;
  icon_->setPixmap(severityIcon(palette(), severity).pixmap(kIconSize, kIconSize));
  icon_->setAccessibleName(severityName(severity));
  QPalette colors = palette();
  colors.setColor(QPalette::WindowText, severityColor(colors, severity));
  text_->setPalette(colors);
}

Field::Field(ExperimentEditor& editor, QString pointer, const QString& label, QWidget* parent,
             const BindingMaker& make)
    : QWidget(parent), editor_(editor), pointer_(std::move(pointer)) {
  const FieldInfo info = fieldInfo(pointer_);
  const auto changed = [this, label](const nlohmann::json& value) {
    editor_.setValues(
        QStringList{pointer_} + alongside_ + (value.is_null() ? clearedAlongside_ : QStringList()),
        value, tr("Change %1").arg(insideSentence(label)));
  };
  binding_ = make                         ? make(changed, this)
             : namesAt(editor_, pointer_) ? bindName(absentWord(pointer_), changed, this)
                                          : bindField(info, changed, this);
  binding_.widget->setAccessibleName(label);
  binding_.widget->setToolTip(info.toolTip());
  binding_.widget->setObjectName(pointer_);
  findings_ = new FindingsLabel(this);
  auto* layout = verticalBox(this, 4);
  line_ = horizontalBox(nullptr, 8);
  line_->addWidget(binding_.widget, 1);
  if (!info.unit.isEmpty() && qobject_cast<QLineEdit*>(binding_.widget))
    line_->addWidget(new QuietLabel(info.unit, this));
  // The greater share: the widget keeps its own width, what is left stays empty.
  line_->addStretch(0);
  layout->addLayout(line_);
  layout->addWidget(findings_);
  outline_ = new FieldOutline(*binding_.widget);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &Field::follow);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &Field::followFindings);
  callAfterPause(typing_, kTypingMs, this, &Field::showFindings);
  follow();
  showFindings();
}

void Field::addBeside(QWidget* widget) {
  line_->insertWidget(line_->count() - 1, widget);
}

bool Field::isNeeded(const nlohmann::ordered_json& differing) const {
  const nlohmann::ordered_json* other = parapet::ui::find(differing, pointer_);
  return (other != nullptr && *other != nlohmann::ordered_json::array()) ||
         severityOf(editor_.findingsAt(pointer_)) != Severity::kNone;
}

bool Field::isInDocument() const {
  return parapet::ui::find(editor_.document(), pointer_) != nullptr;
}

void Field::follow() {
  if (binding_.offer) binding_.offer(namesAt(editor_, pointer_).value_or(QStringList()));
  binding_.show(editor_.value(pointer_));
  followPresence();
}

void Field::setApplies(bool applies) {
  applies_ = applies;
  followPresence();
}

void Field::followPresence() {
  if ((applies_ && isInDocument()) == present_) return;
  present_ = !present_;
  setVisible(present_);
  emit presenceChanged(present_);
}

/// A text that is being typed is wrong until it is whole: that is said after a pause.
void Field::followFindings() {
  const bool types = qobject_cast<QLineEdit*>(binding_.widget) && binding_.widget->hasFocus();
  if (types && severityOf(editor_.findingsAt(pointer_)) != Severity::kNone) return typing_.start();
  showFindings();
}

void Field::showFindings() {
  typing_.stop();
  const experiment::Findings findings = editor_.findingsAt(pointer_);
  findings_->setFindings(saysFindings_ ? findings : experiment::Findings());
  outline_->setSeverity(severityOf(findings));
  binding_.widget->setAccessibleDescription(parapet::ui::findingsText(findings));
}

}  // namespace parapet::ui
