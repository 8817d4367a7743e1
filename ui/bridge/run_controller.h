// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "engine/workspace/workspace.h"
#include "ui/bridge/run_bridge.h"

namespace parapet::ui {

class RunQueue;

/// Whether the folder of a workspace is where it was: a run of one that was moved would begin another in
/// its place.
///
/// Errors   kIo: it is gone; says what can be done.
Status folderIsThere(const workspace::Workspace& workspace);

/// How far a run is, and when it will probably end.
struct RunProgress {
  QString stage;  ///< "reading", "training", "validating", …: stageText() says it
  std::int64_t done = 0, total = 0;  ///< steps (training) or lines (import); total 0: unknown
  std::int64_t epoch = 0, epochs = 0;
  double etaLowSeconds = -1.0, etaHighSeconds = -1.0;  ///< −1: not known yet
};

/// The run of this window: starts it, passes on the toolbar's commands, reports its progress. One
/// run at a time. Owns the handle; destroyed before the bridge.
///
/// Thread   GUI. Nothing here blocks: stopping is asked for, the end arrives as a signal.
class RunController : public QObject {
  Q_OBJECT

 public:
  RunController(workspace::Workspace& workspace, RunBridge& bridge, QObject* parent = nullptr);
  ~RunController() override;

  /// Starts a run of an experiment; a problem found at once arrives as failed(). `experimentId`: of
  /// the workspace's experiment that it is made from, "" if there is none.
  void start(const experiment::Experiment& experiment, const QString& origin,
             const QString& experimentId = {});
  /// Starts a run of the queue that was claimed for this process; what keeps it from training ends it as
  /// Failed.
  void startQueued(const QString& runId);
  /// The runs of the workspace that are not this window's.
  [[nodiscard]] RunQueue& queue() const;
  /// Goes on with an ended run from its newest checkpoint.
  void resumeRun(const QString& runId);
  void pause();
  void resume();
  void step();
  /// At the next step boundary, with a checkpoint.
  void stop();

  [[nodiscard]] bool active() const;
  /// Id of the active run, else of the last one; "" if there was none.
  [[nodiscard]] QString runId() const;
  [[nodiscard]] experiment::RunState state() const;
  [[nodiscard]] const RunProgress& progress() const;
  /// The experiment of the active or last run.
  [[nodiscard]] const experiment::Experiment& experiment() const;
  /// Null before the import is done or when nothing runs.
  [[nodiscard]] workspace::RunHandle* handle() const;
  /// Asks the active run for a model to browse; arrives as recommenderReady(). False if one is
  /// under way or nothing runs.
  bool requestRecommender();

 signals:
  void started(const QString& runId);
  void stateChanged(parapet::experiment::RunState state);
  void progressChanged();
  /// The run is over and its handle gone; its checkpoint can be opened.
  void ended(const QString& runId, parapet::experiment::RunState state, const QString& error);
  /// Nothing was started; `error` says where and what is accepted.
  void failed(const parapet::Error& error);
  /// A single step was trained; what was in its batch and what it did.
  void batchStepped(const QString& runId,
                    std::shared_ptr<const parapet::experiment::BatchReport> report);
  void recommenderReady(const QString& runId,
                        std::shared_ptr<const parapet::retrieval::Recommender> recommender);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parapet::ui
