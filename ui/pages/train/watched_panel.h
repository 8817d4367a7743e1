// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QObject>
#include <QPushButton>
#include <QTimer>
#include <QTreeView>
#include <QWidget>
#include <memory>

#include "ui/bridge/background.h"
#include "ui/bridge/run_controller.h"
#include "ui/models/watched_users_model.h"

namespace parapet::ui {

/// Fills the lists of the watched users: from snapshots of a run that trains in this window, from
/// the newest checkpoint of any other. Opening a model and ranking happen in a worker.
class WatchedSource : public QObject {
  Q_OBJECT

 public:
  /// Between two snapshots while a run trains.
  static constexpr int kRefreshMs = 1500;

  WatchedSource(workspace::Workspace& workspace, RunController& controller,
                WatchedUsersModel& model, QObject* parent = nullptr);

  /// Another run, or none. What has been shown of it goes.
  void setRun(const QString& runId, retrieval::SeenItems seen);
  /// Off while nobody looks.
  void setActive(bool active);
  /// Asks for a newer model: at the end of an epoch, of a run, or when the user wants it.
  void refresh();
  /// Lists of the model at hand, for users that were added.
  void rank();
  /// Whether the model at hand has a user of that id.
  [[nodiscard]] bool knows(const QString& user) const;
  /// A user of the data set, another at each call; "" before there is a model.
  QString drawUser();
  [[nodiscard]] bool ready() const { return recommender_ != nullptr; }
  /// Content hash of the data whose users can be watched; "" before there is a model.
  [[nodiscard]] QString dataHash() const;

 signals:
  /// A model is there or gone.
  void readyChanged();
  void failed(const QString& message);

 private:
  using Model = std::shared_ptr<const retrieval::Recommender>;
  [[nodiscard]] bool isOwn() const;
  void take(const QString& runId, Model recommender);
  void openCheckpoint();

  workspace::Workspace& workspace_;
  RunController& controller_;
  WatchedUsersModel& model_;
  QString runId_;
  bool active_ = false, stale_ = true;
  retrieval::SeenItems seen_ = retrieval::SeenItems::kKeep;
  std::uint64_t draws_ = 0;
  Model recommender_;
  QTimer timer_;
  Background opening_{"watch"}, ranking_{"watch"};
};

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
  bool restored_ = false;                ///< the users are those of an earlier session
  bool touched_ = false;  ///< the user has chosen; nobody is added any more by itself
};

}  // namespace parapet::ui
