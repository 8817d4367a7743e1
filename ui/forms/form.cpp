// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/form.h"
#include "ui/forms/info_sign.h"

#include <algorithm>

namespace parapet::ui {
namespace {

constexpr int kLabelWidth = 152, kBetween = 16, kNarrowWidth = 240;

}  // namespace

Form::Form(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent), editor_(editor), grid_(new QGridLayout(this)) {
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setHorizontalSpacing(kBetween);
  grid_->setVerticalSpacing(8);
  grid_->setColumnMinimumWidth(0, kLabelWidth);
  grid_->setColumnStretch(1, 1);
}

QLabel* Form::addHeading(const QString& text, const QString& help) {
  auto* label = new QLabel(text, this);
  QFont font = label->font();
  font.setBold(true);
  label->setFont(font);
  const QMargins above(0, row_ == 0 ? 0 : 16, 0, 0);
  // Parts of an object have no text of their own in the documents.
  if (!help.isEmpty()) label->setObjectName(QStringLiteral("sectionTitle"));
  QWidget* shown = help.isEmpty() ? static_cast<QWidget*>(label) : titleWithSign(label, help);
  // Around both, so that the sign stays beside its title.
  if (help.isEmpty())
    label->setContentsMargins(above);
  else
    shown->layout()->setContentsMargins(above);
  grid_->addWidget(shown, row_++, 0, 1, 2);
  return label;
}

QLabel* Form::addRow(const QString& label, QWidget* widget) {
  auto* name = new QLabel(label, this);
  name->setBuddy(widget);
  // The label is as high as one line, so that it stands beside the widget and not beside its
  // findings.
  name->setMinimumHeight(
      std::max(name->sizeHint().height(),
               std::min(widget->sizeHint().height(), 2 * name->fontMetrics().height())));
  addPair(name, widget);
  return name;
}

void Form::addPair(QLabel* name, QWidget* widget) {
  pairs_.push_back({name, widget, row_});
  row_ += 2;
  place(pairs_.back());
}

void Form::place(const Pair& pair) {
  if (pair.name != nullptr)
    grid_->addWidget(pair.name, pair.row, 0, 1, narrow_ ? 2 : 1, Qt::AlignTop | Qt::AlignLeft);
  if (narrow_)
    grid_->addWidget(pair.widget, pair.row + 1, 0, 1, 2);
  else
    grid_->addWidget(pair.widget, pair.row, 1);
}

void Form::fold(bool narrow) {
  if (narrow == narrow_) return;
  narrow_ = narrow;
  grid_->setColumnMinimumWidth(0, narrow ? 0 : kLabelWidth);
  for (const Pair& pair : pairs_) {
    if (pair.name != nullptr) grid_->removeWidget(pair.name);
    grid_->removeWidget(pair.widget);
    place(pair);
  }
  updateGeometry();
}

QSize Form::minimumSizeHint() const {
  QSize size = QWidget::minimumSizeHint();
  size.setWidth(std::min(size.width(), kNarrowWidth));
  return size;
}

void Form::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // Beside each other they need as much as the widest of them.
  int label = kLabelWidth, widget = 0;
  for (const Pair& pair : pairs_) {
    if (pair.name != nullptr) label = std::max(label, pair.name->sizeHint().width());
    widget = std::max(widget, pair.widget->minimumSizeHint().width());
  }
  fold(width() < label + kBetween + widget);
}

Field* Form::addField(const QString& pointer, const QString& label, const BindingMaker& make) {
  auto* field = new Field(editor_, pointer, label, this, make);
  QLabel* name = addRow(label, field);
  name->setBuddy(field->editWidget());
  name->setToolTip(field->editWidget()->toolTip());
  name->setVisible(field->isInDocument());
  connect(field, &Field::presenceChanged, name, &QWidget::setVisible);
  fields_.push_back(field);
  return field;
}

QLabel* Form::addNote(const QString& text) {
  auto* label = new QLabel(text, this);
  label->setWordWrap(true);
  label->setForegroundRole(QPalette::PlaceholderText);
  addPair(nullptr, label);
  return label;
}

void Form::addWide(QWidget* widget) {
  grid_->addWidget(widget, row_++, 0, 1, 2);
}

void Form::addFindings(const QString& pointer) {
  auto* label = new FindingsLabel(this);
  const auto follow = [this, label, pointer] {
    experiment::Findings here = editor_.findingsAt(pointer);
    const auto isBelow = [&pointer](const experiment::Problem& problem) {
      return problem.pointer != pointer.toStdString();
    };
    std::erase_if(here.problems, isBelow);
    std::erase_if(here.warnings, isBelow);
    label->setFindings(here);
  };
  connect(&editor_, &ExperimentEditor::findingsChanged, label, follow);
  follow();
  addWide(label);
}

bool Form::reveal(const QString& pointer) {
  for (Field* field : fields_)
    if (pointer == field->pointer() || pointer.startsWith(field->pointer() + '/')) {
      field->editWidget()->setFocus(Qt::OtherFocusReason);
      return true;
    }
  return false;
}

}  // namespace parapet::ui
