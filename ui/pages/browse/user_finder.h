// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/controllers/browse_session.h"
#include "ui/models/user_models.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace parapet::ui {

class ItemTable;
class ThinProgressBar;

/// Finds users of the model that is open: by text, by activity, by chance, or the worst served.
class UserFinder : public QWidget {
  Q_OBJECT

 public:
  explicit UserFinder(BrowseSession& session, QWidget* parent = nullptr);

  /// Asks again, e.g. because another model is open, and selects the user that is shown.
  void refresh();
  void focusSearch();
  [[nodiscard]] BrowseSession::Order order() const;
  void setOrder(BrowseSession::Order order);
  [[nodiscard]] const UserListModel& found() const { return *model_; }
  /// Whether the model that is open reads a context, which users can be more or less sensitive to.
  void setReadsContext(bool reads);

 signals:
  /// Show this user in the current column.
  void showRequested(const QString& user);
  /// Show this user beside the others.
  void addRequested(const QString& user);
  void foundUsers();

 private:
  QWidget* buildSearch();
  void fitColumns();
  QWidget* buildButtons();
  QWidget* buildProgress();
  void openTyped();
  void search();
  void selectShown();
  void show(Result<BrowseSession::UserList> users);

  BrowseSession& session_;
  UserListModel* model_;
  QLineEdit* text_;
  QComboBox* order_;
  QToolButton* draw_;
  ItemTable* table_;
  QLabel* count_;
  QPushButton *open_, *add_;
  QWidget* progress_;
  ThinProgressBar* share_;
  QLabel* stage_;
  QTimer typing_;
  std::uint64_t drawn_ = 1;
  bool toShown_ = true;  ///< the search that is under way selects the user that is shown
};

}  // namespace parapet::ui
