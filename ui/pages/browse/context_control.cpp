// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/context_control.h"

#include <fmt/format.h>

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/setting_names.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

// Ticks of a scale without a step of its own; each is wide enough to be hit.
constexpr int kTicks = 200;
constexpr int kMaxTicks = 10'000;
constexpr int kSliderWidth = 130;

QString optionText(const retrieval::ContextOption& option) {
  QString text = shownText(option.value);
  if (!option.title.empty() && option.title != option.value)
    text += QStringLiteral(" · ") + shownText(option.title);
  return text;
}

}  // namespace

ContextControl::ContextControl(retrieval::ContextDomain domain, QWidget* parent)
    : QWidget(parent), domain_(std::move(domain)) {
  label_ = new QLabel(leafName(domain_.name), this);
  label_->setToolTip(shownText(name()));
  label_->setTextFormat(Qt::PlainText);
  auto* layout = horizontalBox(this, 4);
  layout->addWidget(label_);
  layout->addWidget(domain_.isScale && !hasWords() ? buildScale() : buildList());
  for (QWidget* each : std::initializer_list<QWidget*>{list_, slider_, number_})
    if (each) each->installEventFilter(this);
  if (list_) list_->lineEdit()->installEventFilter(this);
}

QWidget* ContextControl::buildList() {
  list_ = new QComboBox(this);
  list_->setEditable(true);
  list_->setInsertPolicy(QComboBox::NoInsert);
  list_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  list_->setMinimumContentsLength(22);
  list_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  list_->completer()->setFilterMode(Qt::MatchContains);
  list_->addItem(tr("As in the last row"));
  for (const retrieval::ContextOption& option : domain_.values) {
    list_->addItem(optionText(option), QString::fromStdString(option.value));
    list_->setItemData(
        list_->count() - 1,
        tr("%1 · %2 rows", nullptr, static_cast<int>(option.rows))
            .arg(optionText(option), QString::fromStdString(formatCount(option.rows))),
        Qt::ToolTipRole);
  }
  const auto distinct = QString::fromStdString(formatCount(domain_.distinct));
  const QString called = tr("Context %1").arg(shownText(name()));
  list_->setAccessibleName(called);
  list_->lineEdit()->setAccessibleName(called);
  list_->setToolTip(
      static_cast<std::int64_t>(domain_.values.size()) < domain_.distinct
          ? tr("%1: the %2 most frequent of %3 values; others can be typed. ← and → "
               "in a list step it")
                .arg(shownText(name()))
                .arg(domain_.values.size())
                .arg(distinct)
          : tr("%1: %2 values, %3; a value can be typed, too. ← and → in a list step it")
                .arg(shownText(name()), distinct,
                     domain_.isScale ? tr("in their order") : tr("the most frequent first")));
  list_->lineEdit()->setToolTip(list_->toolTip());
  connect(list_, &QComboBox::activated, this, [this](int row) {
    choose(row == 0 ? std::nullopt : std::optional(list_->itemData(row).toString()));
  });
  connect(list_->lineEdit(), &QLineEdit::editingFinished, this,
          [this] { takeTyped(list_->currentText()); });
  return list_;
}

QWidget* ContextControl::buildScale() {
  auto* box = new QWidget(this);
  slider_ = new QSlider(Qt::Horizontal, box);
  slider_->setRange(0, ticks());
  slider_->setFixedWidth(kSliderWidth);
  slider_->setPageStep(std::max(1, ticks() / 8));
  slider_->setAccessibleName(tr("Context %1").arg(shownText(name())));
  slider_->setToolTip(
      tr("%1, %2 … %3; ← and → in a list step it")
          .arg(shownText(name()), shownText(textAt(0)), shownText(textAt(ticks()))));
  number_ = new QLineEdit(box);
  number_->setAccessibleName(tr("Value of context %1").arg(shownText(name())));
  number_->setToolTip(
      tr("%1 as a number, outside the range of the slider, too").arg(shownText(name())));
  number_->setFixedWidth(number_->fontMetrics().horizontalAdvance(QStringLiteral("00000000")));
  last_ = textButton(tr("Last row"), tr("%1 as in the last row of the user").arg(shownText(name())),
                     box);
  auto* layout = horizontalBox(box, 4);
  layout->addWidget(slider_);
  layout->addWidget(number_);
  layout->addWidget(last_);
  connect(slider_, &QSlider::valueChanged, this, [this](int tick) { choose(textAt(tick)); });
  connect(number_, &QLineEdit::editingFinished, this, [this] { takeTyped(number_->text()); });
  connect(last_, &QToolButton::clicked, this, [this] { choose(std::nullopt); });
  return box;
}

int ContextControl::ticks() const {
  const double range = domain_.max - domain_.min;
  if (!(range > 0.0)) return 0;
  const double steps = domain_.step > 0.0 ? range / domain_.step : 0.0;
  return steps >= 1.0 && steps <= kMaxTicks ? static_cast<int>(std::lround(steps)) : kTicks;
}

bool ContextControl::hasWords() const {
  return !domain_.values.empty() && !parseDouble(domain_.values.front().value);
}

QString ContextControl::textAt(int tick) const {
  const double value = ticks() == 0 ? domain_.min
                                    : domain_.min + (domain_.max - domain_.min) * tick /
                                                        static_cast<double>(ticks());
  return QString::fromStdString(domain_.step == 1.0 ? fmt::format("{:.0f}", value)
                                                    : fmt::format("{:.4g}", value));
}

int ContextControl::tickOf(const QString& value) const {
  const auto number = parseDouble(value.toStdString());
  if (!number || !(domain_.max > domain_.min)) return 0;
  const double share = (*number - domain_.min) / (domain_.max - domain_.min);
  return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * ticks()));
}

void ContextControl::setValue(const QString& value, bool given) {
  value_ = value;
  given_ = given;
  if (list_) {
    // Text that a person types stays.
    if (list_->lineEdit()->hasFocus() && list_->lineEdit()->isModified()) return;
    const QSignalBlocker quiet(list_);
    list_->setItemText(0, value.isEmpty() || given
                              ? tr("As in the last row")
                              : tr("As in the last row: %1").arg(shownText(value)));
    const int row = given ? list_->findData(value) : 0;
    list_->setCurrentIndex(row);
    if (row < 0) list_->setEditText(value);
    list_->lineEdit()->setCursorPosition(0);
    return;
  }
  const QSignalBlocker quiet(slider_);
  slider_->setValue(tickOf(value));
  if (!number_->hasFocus() || !number_->isModified()) number_->setText(value);
  setUsable(*last_, given, tr("The value is that already"));
}

void ContextControl::choose(const std::optional<QString>& value) {
  if (value ? given_ && *value == value_ : !given_) return;
  emit chosen(value);
}

void ContextControl::takeTyped(const QString& text) {
  if (number_) {
    number_->setModified(false);
    const QString typed = text.trimmed();
    if (typed.isEmpty()) return choose(std::nullopt);
    if (typed != value_) choose(typed);
    return;
  }
  list_->lineEdit()->setModified(false);
  const int row = list_->findText(text);
  if (row == 0) return choose(std::nullopt);
  if (row > 0) return choose(list_->itemData(row).toString());
  if (text.isEmpty()) return choose(std::nullopt);
  choose(text);
}

void ContextControl::step(int by) {
  if (slider_) {
    const int tick = std::clamp(tickOf(value_) + by, 0, ticks());
    return choose(textAt(tick));
  }
  const int values = list_->count() - 1;
  if (values == 0) return;
  const int row = list_->findData(value_);
  const int next = row < 1 ? (by > 0 ? 1 : values) : 1 + (row - 1 + by + values) % values;
  choose(list_->itemData(next).toString());
}

void ContextControl::setActive(bool active) {
  QFont font = label_->font();
  font.setBold(active);
  label_->setFont(font);
}

bool ContextControl::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusIn) emit entered();
  return QWidget::eventFilter(watched, event);
}

}  // namespace parapet::ui
