// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <algorithm>
#include <functional>
#include <vector>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/bridge/run_bridge.h"
#include "ui/bridge/run_controller.h"
#include "ui/models/run_curves.h"
#include "ui/models/runs_model.h"

namespace parapet::ui {

/// Keeps a RunsModel equal to the store: reads it every two seconds while somebody looks, and when
/// a run of this window tells something. What changes nothing changes nothing on the screen.
class RunsSource : public QObject {
  Q_OBJECT

 public:
  static constexpr int kPollMs = 2000;

  RunsSource(store::RunStore& store, RunBridge& bridge, RunsModel& model,
             QObject* parent = nullptr);
  void setActive(bool active);
  void refresh();
  /// While the mouse is over the rows none is added: what it is about to press stays under it.
  void setHeld(bool held);

 signals:
  /// After every reading, the first included.
  void refreshed();
  void failed(const QString& message);

 private:
  void finish(Result<std::vector<RunRow>> rows);

  store::RunStore& store_;
  RunsModel& model_;
  bool active_ = false, again_ = false, held_ = false;
  bool entered_ = false;  ///< nobody has seen the rows that are there
  QString lastError_;     ///< told once, not every two seconds
  QTimer timer_;
  Background reader_;
};

/// Finds runs whose process is gone while the window is open, whichever page is shown: every two
/// seconds, off the GUI thread, runs of other programs whose process is gone become Crashed; see
/// RunStore::markCrashed. What hinders it is told once, until it works again; a workspace folder that
/// is gone does, although what is open of it could still be written.
class OwnerWatch : public QObject {
  Q_OBJECT

 public:
  static constexpr int kPollMs = 2000;

  explicit OwnerWatch(workspace::Workspace& workspace, QObject* parent = nullptr);
  void poll();

 signals:
  void crashed(const QStringList& runIds);
  void failed(const QString& reason);
  /// After failed(): it works again.
  void recovered();

 private:
  workspace::Workspace& workspace_;
  QTimer timer_;
  Background background_;
  bool inTrouble_ = false;
};

/// Brings a run into a RunCurves, wherever it lives: what the store holds, then what the bridge
/// tells (a run of this window) or what the store gets each second (a run of another process).
///
/// A long run is read from the store in as many buckets as a picture needs (4 per pixel), and again
/// for the part that is shown closely. All steps are read for what needs them all: smoothing, the
/// table of points, an export.
///
/// A run of this window is drawn from what the bridge tells, with or without the store; what was
/// told while the store is read is applied once more upon what the store holds. The store is flushed
/// before it is read, so a step is in one of the two or in both; RunCurves drops doubles. Its state
/// comes from the bridge's status, ahead of the points.
///
/// Thread   GUI; the store is read in a worker.
class RunFeed : public QObject {
  Q_OBJECT

 public:
  static constexpr int kPollMs = 1000;
  static constexpr int kBucketsPerPixel = 4;

  RunFeed(workspace::Workspace& workspace, RunBridge& bridge, RunController& controller,
          RunCurves& curves, QObject* parent = nullptr);

  void show(const QString& runId);
  /// Shows nothing.
  void clear();
  [[nodiscard]] const QString& runId() const { return runId_; }
  [[nodiscard]] bool loading() const { return loading_; }
  /// True while the run that is shown trains in this window.
  [[nodiscard]] bool isOwn() const;
  /// Whether runs of other processes are polled; off while the page is hidden.
  void setPolling(bool on);
  /// Pixels of a curve along x.
  void setWidth(int pixels) { width_ = std::max(pixels, kMinWidth); }
  void showDetail(std::int64_t firstStep, std::int64_t lastStep);
  void showAllSteps();
  /// Shows all steps before it returns.
  void showAllStepsNow();

 signals:
  void loaded();
  /// The run cannot be shown.
  void failed(const QString& message);
  /// The run that was shown is none: it ended before it trained, and nothing knows it. `before` was shown
  /// before it, "" if none was.
  void left(const QString& before);

 private:
  void connectBridge(RunBridge& bridge);
  void follow(const QString& runId, const RunStatus& status);
  /// Does it now, if the run is one of this window, and again when the store was read.
  void apply(const QString& runId, std::function<void()> change);
  void finishLoading(Result<StoredRun> run);
  void refresh();
  void finishRefresh(const Result<StoredTail>& tail);
  void poll();
  void replaceBy(std::vector<experiment::StepBucket> all);

  static constexpr int kMinWidth = 1200;

  workspace::Workspace& workspace_;
  RunController& controller_;
  RunCurves& curves_;
  QString runId_, before_;
  bool unrecorded_ = false;  ///< the run of this window that is shown, until the store knows it
  bool loading_ = false;
  int width_ = kMinWidth;
  /// Buckets of the whole run, for a picture while not all steps are here; else empty.
  std::vector<experiment::StepBucket> overview_;
  bool refreshAgain_ = false;  ///< something happened while a refresh was under way
  std::vector<std::function<void()>> waiting_;
  QTimer pollTimer_;
  Background loader_, refresher_, detailer_;
};

}  // namespace parapet::ui
