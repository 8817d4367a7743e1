// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/candidate_bar.h"

#include <QComboBox>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/setting_names.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

// Values that are offered; others can be typed.
constexpr std::size_t kMaxOffered = 1000;

QString countText(std::int64_t count) {
  return QString::fromStdString(formatCount(count));
}

}  // namespace

CandidateBar::CandidateBar(QWidget* parent) : QWidget(parent) {
  label_ = new QLabel(tr("Only where"), this);
  attribute_ = new QComboBox(this);
  attribute_->setObjectName(QStringLiteral("candidateAttribute"));
  attribute_->setAccessibleName(tr("Attribute of the items"));
  attribute_->setToolTip(
      tr("Lists only items that have a value of an attribute of the catalogue, in all columns"));
  label_->setBuddy(attribute_);
  equals_ = new QLabel(QStringLiteral("="), this);
  value_ = new QComboBox(this);
  value_->setObjectName(QStringLiteral("candidateValue"));
  value_->setEditable(true);
  value_->setInsertPolicy(QComboBox::NoInsert);
  value_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  value_->setMinimumContentsLength(18);
  value_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  value_->completer()->setFilterMode(Qt::MatchContains);
  value_->setAccessibleName(tr("Value of the attribute"));
  value_->lineEdit()->setAccessibleName(value_->accessibleName());
  value_->lineEdit()->setPlaceholderText(tr("Choose a value"));
  count_ = new QLabel(this);
  count_->setObjectName(QStringLiteral("candidateCount"));
  count_->setTextFormat(Qt::PlainText);
  auto* layout = horizontalBox(this, 4);
  for (QWidget* each : std::initializer_list<QWidget*>{label_, attribute_, equals_, value_, count_})
    layout->addWidget(each);
  connect(attribute_, &QComboBox::activated, this, &CandidateBar::chooseAttribute);
  connect(value_, &QComboBox::activated, this,
          [this](int row) { choose(value_->itemData(row).toString()); });
  connect(value_->lineEdit(), &QLineEdit::editingFinished, this, &CandidateBar::takeTyped);
  setAttributes({}, 0);
}

void CandidateBar::setAttributes(const std::vector<std::string>& names, std::int64_t candidates) {
  const QString before = attribute_->currentData().toString();
  const bool wasChosen = condition().has_value();
  candidates_ = candidates;
  attribute_->clear();
  attribute_->addItem(tr("All items"));
  for (const std::string& name : names)
    attribute_->addItem(leafName(name), QString::fromStdString(name));
  setVisible(!names.empty());
  const int row = before.isEmpty() ? 0 : std::max(0, attribute_->findData(before));
  attribute_->setCurrentIndex(row);
  if (row == 0) chosen_.clear();
  setValues({});
  if (row > 0) emit valuesWanted(before);
  if (wasChosen && row == 0) emit changed();
}

void CandidateBar::setValues(const std::vector<retrieval::AttributeValue>& values) {
  values_ = values;
  value_->clear();
  for (const retrieval::AttributeValue& each : values) {
    if (value_->count() == static_cast<int>(kMaxOffered)) break;
    value_->addItem(QStringLiteral("%1 · %2").arg(shownText(each.value), countText(each.items)),
                    QString::fromStdString(each.value));
  }
  const auto distinct = static_cast<std::int64_t>(values.size());
  value_->setToolTip(value_->count() < distinct
                         ? tr("The %1 most frequent of %2 values; others can be typed")
                               .arg(value_->count())
                               .arg(countText(distinct))
                         : tr("%1 values, the most frequent first, each with the number of its "
                              "items; a value can be typed, too")
                               .arg(countText(distinct)));
  value_->lineEdit()->setToolTip(value_->toolTip());
  const int row = chosen_.isEmpty() ? -1 : value_->findData(chosen_);
  value_->setCurrentIndex(row);
  value_->setEditText(shownText(chosen_));
  showCount();
}

void CandidateBar::setCondition(const std::optional<retrieval::AttributeCondition>& condition) {
  const QString name = condition ? QString::fromStdString(condition->name) : QString();
  int row = name.isEmpty() ? 0 : attribute_->findData(name);
  // A state may be restored before the catalogue is known.
  if (row < 0) {
    attribute_->addItem(leafName(condition->name), name);
    row = attribute_->count() - 1;
  }
  attribute_->setCurrentIndex(row);
  chosen_ = condition && !condition->values.empty()
                ? QString::fromStdString(condition->values.front())
                : QString();
  setValues({});
  if (row > 0) emit valuesWanted(name);
}

std::optional<retrieval::AttributeCondition> CandidateBar::condition() const {
  const QString name = attribute_->currentData().toString();
  if (name.isEmpty() || chosen_.isEmpty()) return std::nullopt;
  return retrieval::AttributeCondition{name.toStdString(), {chosen_.toStdString()}};
}

void CandidateBar::focusAttribute() {
  attribute_->setFocus(Qt::ShortcutFocusReason);
}

void CandidateBar::chooseAttribute(int row) {
  // condition() is that of the new attribute already.
  const bool wasChosen = !chosen_.isEmpty();
  chosen_.clear();
  setValues({});
  if (row > 0) emit valuesWanted(attribute_->itemData(row).toString());
  if (wasChosen) emit changed();
}

void CandidateBar::choose(const QString& value) {
  value_->setEditText(shownText(value));  // without the count beside it in the list
  if (value == chosen_) return;
  chosen_ = value;
  showCount();
  emit changed();
}

void CandidateBar::takeTyped() {
  const QString text = value_->currentText().trimmed();
  // A value that the list offers is taken by its row.
  if (const int row = value_->findText(text); row >= 0)
    return choose(value_->itemData(row).toString());
  choose(text);
}

void CandidateBar::showCount() {
  const bool isAll = attribute_->currentIndex() <= 0;
  for (QWidget* each : std::initializer_list<QWidget*>{equals_, value_}) each->setVisible(!isAll);
  const std::string chosen = chosen_.toStdString();
  const auto found = std::ranges::find(values_, chosen, &retrieval::AttributeValue::value);
  count_->setVisible(!isAll && found != values_.end());
  if (found != values_.end())
    count_->setText(tr("%1 of %2 items").arg(countText(found->items), countText(candidates_)));
}

}  // namespace parapet::ui
