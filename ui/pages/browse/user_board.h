// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <vector>

#include "ui/pages/browse/user_column.h"

class QHBoxLayout;

namespace parapet::ui {

/// The users side by side, and which of them is the current one.
class UserBoard : public QScrollArea {
  Q_OBJECT

 public:
  explicit UserBoard(QWidget* parent = nullptr);

  void setAnswers(const std::vector<ColumnAnswer>& answers, const ModelNames& names);
  [[nodiscard]] const std::vector<UserColumn*>& columns() const { return columns_; }
  /// −1 if there is none.
  [[nodiscard]] int current() const { return current_; }
  [[nodiscard]] UserColumn* currentColumn() const;
  /// Makes a column the current one and gives it the focus; outside the range nothing happens.
  void focusColumn(int index);
  void setCurrent(int index);

 signals:
  void currentChanged();
  void itemChosen(const QString& user, const QString& item, const QString& title);
  void itemOpened(const QString& user, const QString& item, const QString& title);
  void removeRequested(const QString& user);

 private:
  UserColumn* addColumn();
  [[nodiscard]] int indexOf(const UserColumn* column) const;

  QHBoxLayout* row_;
  std::vector<UserColumn*> columns_;
  int current_ = -1;
};

}  // namespace parapet::ui
