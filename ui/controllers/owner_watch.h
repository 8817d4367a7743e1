// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"

namespace parapet::ui {

/// Finds runs whose process is gone while the window is open, whichever page is shown: every two
/// seconds, off the GUI thread, runs of other programs whose process is gone become Crashed; see
/// RunStore::markCrashed. What hinders it is told once, until it works again.
class OwnerWatch : public QObject {
  Q_OBJECT

 public:
  static constexpr int kPollMs = 2000;

  explicit OwnerWatch(workspace::Workspace& workspace, QObject* parent = nullptr);
  void poll();

 signals:
  void crashed(const QStringList& runIds);
  void failed(const QString& reason);

 private:
  workspace::Workspace& workspace_;
  QTimer timer_;
  Background background_;
  bool inTrouble_ = false;
};

}  // namespace parapet::ui
