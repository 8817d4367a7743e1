// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QObject>
#include <QPushButton>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <deque>
#include <functional>

#include "ui/bridge/background.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// Says what has just been done and offers to take it back; goes by itself after a while.
class UndoBar : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kShownMs = 12000;

  explicit UndoBar(QWidget* parent = nullptr);
  void offer(const QString& text, const QStringList& runIds);

 signals:
  void undoRequested(const QStringList& runIds);

 private:
  void undo();

  QLabel* text_;
  QPushButton* undo_;
  QStringList runIds_;
  QTimer timer_;
};

/// Changes of stored runs, one after another in a worker. Nothing is dropped: the next
/// begins when the one before is done.
class RunActions : public QObject {
  Q_OBJECT

 public:
  explicit RunActions(const Workbench& bench, QObject* parent = nullptr);

  void rename(const QString& runId, const QString& name);
  void setNotes(const QString& runId, const QString& notes);
  void trash(const QStringList& runIds);
  void restore(const QStringList& runIds);
  /// With checkpoints, for good; the caller has asked.
  void erase(const QStringList& runIds);
  void exportRun(const QString& runId, const workspace::ExportOptions& options);
  /// Puts the document of a run into the editor; the run stays as it is.
  void clone(const QString& runId);

  /// Looks up the checkpoints that a fork of a run can begin with.
  void askForCheckpoints(const QString& runId);
  /// Puts the document of a run into the editor, changed so that it begins with a checkpoint of the run.
  void fork(const QString& runId, qint64 step, qint64 epochs);

 signals:
  /// Something in the store is different.
  void changed();
  void trashed(const QStringList& runIds);
  void cloned(const QString& runId);
  void checkpointsFound(const QString& runId,
                        const std::vector<parapet::store::CheckpointRecord>& checkpoints);
  void forked(const QString& runId);
  void exported(const QStringList& paths);
  void failed(const QString& message);

 private:
  using Job = std::function<void()>;
  /// Runs `act` for each id and tells which went well.
  void forEach(const QStringList& runIds, Status (workspace::Workspace::*act)(const std::string&),
               std::function<void(const QStringList&)> done);
  void enqueue(Job job);
  void next();
  template <class Work, class Done>
  void run(Work work, Done done);

  Workbench bench_;
  std::deque<Job> jobs_;
  Background worker_;
};

}  // namespace parapet::ui
