// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/user_board.h"

#include <algorithm>

#include "ui/style/box_layout.h"

namespace parapet::ui {

UserBoard::UserBoard(QWidget* parent) : QScrollArea(parent) {
  auto* inside = new QWidget(this);
  row_ = horizontalBox(inside, 8);
  setWidget(inside);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  // A header, captions, three rows of a list and the folded history.
  setMinimumHeight(260);
  setAccessibleName(tr("Lists side by side"));
}

UserColumn* UserBoard::addColumn() {
  auto* column = new UserColumn(widget());
  row_->addWidget(column, 1);
  columns_.push_back(column);
  connect(column, &UserColumn::entered, this, [this, column] { setCurrent(indexOf(column)); });
  connect(column, &UserColumn::itemChosen, this,
          [this, column](const QString& item, const QString& title) {
            emit itemChosen(indexOf(column), item, title);
          });
  connect(column, &UserColumn::itemOpened, this,
          [this, column](const QString& item, const QString& title) {
            emit itemOpened(indexOf(column), item, title);
          });
  connect(column, &UserColumn::duplicateRequested, this,
          [this, column] { emit duplicateRequested(indexOf(column)); });
  connect(column, &UserColumn::removeRequested, this,
          [this, column] { emit removeRequested(indexOf(column)); });
  connect(column, &UserColumn::firstRequested, this,
          [this, column] { emit firstRequested(indexOf(column)); });
  connect(column, &UserColumn::columnwise, this,
          [this, column](int by) { focusColumn(indexOf(column) + by); });
  connect(column, &UserColumn::sideways, this, [this, column](int by) {
    setCurrent(indexOf(column));
    emit stepRequested(by);
  });
  column->show();
  return column;
}

int UserBoard::indexOf(const UserColumn* column) const {
  return static_cast<int>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
}

void UserBoard::setAnswers(const std::vector<ColumnAnswer>& answers, const ListNames& names) {
  while (columns_.size() > answers.size()) {
    // Later: the click that removes a column is still on its way through it.
    columns_.back()->hide();
    columns_.back()->deleteLater();
    columns_.pop_back();
  }
  while (columns_.size() < answers.size()) addColumn();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    columns_[i]->setAnswer(answers, i, names);
    columns_[i]->setRemovable(answers.size() > 1);
  }
  setCurrent(
      std::clamp(current_, columns_.empty() ? -1 : 0, static_cast<int>(columns_.size()) - 1));
}

UserColumn* UserBoard::currentColumn() const {
  return current_ < 0 || current_ >= static_cast<int>(columns_.size())
             ? nullptr
             : columns_[static_cast<std::size_t>(current_)];
}

void UserBoard::setCurrent(int index) {
  if (index >= static_cast<int>(columns_.size())) return;
  const bool changed = current_ != index;
  current_ = index;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i]->setCurrent(static_cast<int>(i) == index && columns_.size() > 1);
  if (changed) emit currentChanged();
}

void UserBoard::focusColumn(int index) {
  if (index < 0 || index >= static_cast<int>(columns_.size())) return;
  setCurrent(index);
  columns_[static_cast<std::size_t>(index)]->focusList();
  ensureWidgetVisible(columns_[static_cast<std::size_t>(index)], 0, 0);
}

}  // namespace parapet::ui
