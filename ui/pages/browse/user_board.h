// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <vector>

#include "ui/pages/browse/user_column.h"

class QHBoxLayout;

namespace parapet::ui {

/// The lists side by side, and which of them is the current one. The first is the one that the
/// others are compared with.
class UserBoard : public QScrollArea {
  Q_OBJECT

 public:
  explicit UserBoard(QWidget* parent = nullptr);

  void setAnswers(const std::vector<ColumnAnswer>& answers, const ListNames& names);
  [[nodiscard]] const std::vector<UserColumn*>& columns() const { return columns_; }
  /// −1 if there is none.
  [[nodiscard]] int current() const { return current_; }
  [[nodiscard]] UserColumn* currentColumn() const;
  /// Makes a column the current one and gives it the focus; outside the range nothing happens.
  void focusColumn(int index);
  void setCurrent(int index);

 signals:
  void currentChanged();
  void itemChosen(int column, const QString& item, const QString& title);
  void itemOpened(int column, const QString& item, const QString& title);
  void duplicateRequested(int column);
  void removeRequested(int column);
  /// ← or → in a list of the current column.
  void stepRequested(int by);
  /// Space in a list of the column.
  void firstRequested(int column);

 private:
  UserColumn* addColumn();
  [[nodiscard]] int indexOf(const UserColumn* column) const;

  QHBoxLayout* row_;
  std::vector<UserColumn*> columns_;
  int current_ = -1;
};

}  // namespace parapet::ui
