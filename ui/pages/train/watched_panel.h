// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeView>
#include <QWidget>

#include "ui/controllers/watched_source.h"

namespace parapet::ui {

/// A few users whose lists follow the training: add one by id or by chance, see what moved.
class WatchedPanel : public QWidget {
  Q_OBJECT

 public:
  WatchedPanel(workspace::Workspace& workspace, RunController& controller,
               QWidget* parent = nullptr);

  [[nodiscard]] WatchedUsersModel& model() { return model_; }
  [[nodiscard]] WatchedSource& source() { return source_; }
  void addUser(const QString& user);
  void addRandomUser();
  void setUsers(const QStringList& users);

 signals:
  /// Double click or Enter on a user: look closer.
  void userActivated(const QString& user);

 private:
  void build();
  void buildActions();
  void removeCurrent();
  void expandAll();
  void followData();
  [[nodiscard]] QString currentUser() const;

  WatchedUsersModel model_;
  WatchedSource source_;
  QLineEdit* entry_;
  QPushButton *random_, *remove_;
  QTreeView* view_;
  QLabel* empty_;
  QString data_;                         ///< whose users are watched; "" before the first model
  QHash<QString, QStringList> usersOf_;  ///< of data that were shown before
  bool touched_ = false;  ///< the user has chosen; nobody is added any more by itself
};

}  // namespace parapet::ui
