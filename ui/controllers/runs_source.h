// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include "ui/bridge/background.h"
#include "ui/bridge/run_bridge.h"
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

 signals:
  /// After every reading, the first included.
  void refreshed();
  void failed(const QString& message);

 private:
  void finish(Result<std::vector<RunRow>> rows);

  store::RunStore& store_;
  RunsModel& model_;
  bool active_ = false, again_ = false;
  QString lastError_;  ///< told once, not every two seconds
  QTimer timer_;
  Background reader_;
};

}  // namespace parapet::ui
