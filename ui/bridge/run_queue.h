// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"

namespace parapet::ui {

class RunController;

/// The runs of the workspace that this window does not train: those that wait in its queue, and those
/// of other processes, which can be asked to pause or stop.
///
/// From begin() on the store is looked at every second, off the GUI thread, and the first waiting run is
/// started when nothing in the workspace is under way; of several windows one gets it
/// (RunStore::claimQueued). A window that is opened where runs wait and nobody trains holds the queue
/// and offers to go on with it.
///
/// Thread   GUI.
class RunQueue : public QObject {
  Q_OBJECT

 public:
  static constexpr int kPollMs = 1000;

  RunQueue(workspace::Workspace& workspace, RunController& runs, QObject* parent = nullptr);
  ~RunQueue() override;

  void begin();
  /// In their order.
  [[nodiscard]] const std::vector<store::RunRecord>& waiting() const { return waiting_; }
  /// Under way in other processes, newest first.
  [[nodiscard]] const std::vector<store::RunRecord>& elsewhere() const { return elsewhere_; }
  /// Null unless `runId` is under way in another process.
  [[nodiscard]] const store::RunRecord* findElsewhere(const QString& runId) const;
  /// Runs wait and none is started until goOn().
  [[nodiscard]] bool held() const { return held_; }

  /// Puts a run of the experiment as it is now at the end; what is wrong with it arrives as refused().
  void add(const experiment::Experiment& experiment, const QString& origin,
           const QString& experimentId);
  void remove(const QStringList& runIds);
  void putBack(const QStringList& runIds);
  void move(const QString& runId, int places);
  void hold();
  void goOn();
  /// Asks the process of a run; asked() until it has answered.
  void ask(const QString& runId, store::Request what);
  [[nodiscard]] std::optional<store::Request> asked(const QString& runId) const;
  /// Asks the process of a run to pause it, or to go on with one that is paused; false if no other
  /// process trains it.
  bool askPause(const QString& runId);
  void poll();

 signals:
  /// Something of the above is different.
  void changed();
  void added(const QString& runId, const QString& name);
  void removed(const QStringList& runIds, const QStringList& names);
  /// A run of the queue was started in this window.
  void started(const QString& runId, const QString& name);
  /// Runs wait since before this window was opened, and nobody trains.
  void offered(int count, const QString& first);
  /// Why an experiment was not put into the queue; the queue stays as it is.
  void refused(const parapet::Error& error);
  void failed(const QString& message);

 private:
  struct Seen {
    std::vector<store::RunRecord> live;
    std::optional<std::string> claimed;
  };
  void finish(const Result<Seen>& seen);
  void sort(const std::vector<store::RunRecord>& live);
  void dropAnswered();
  void startClaimed(const std::string& runId);
  bool done(const Status& status);

  workspace::Workspace& workspace_;
  RunController& runs_;
  std::vector<store::RunRecord> waiting_, elsewhere_;
  std::map<QString, store::Request> asked_;
  bool begun_ = false, held_ = false, again_ = false;
  QString lastError_;  ///< told once, not every second
  QTimer timer_;
  /// The run that the worker claimed and nobody has started yet.
  std::shared_ptr<std::string> claim_ = std::make_shared<std::string>();
  std::unique_ptr<Background> worker_ = std::make_unique<Background>("queue");
};

}  // namespace parapet::ui
