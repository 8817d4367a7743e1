// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"

namespace parapet::ui {

/// Data that runs and experiments of the workspace have used and that are still there, used last first.
class DataSources : public QObject {
  Q_OBJECT

 public:
  static constexpr int kMaxSources = 8;
  struct Entry {
    QString path, name;   ///< name: the last part of the path
    QStringList recipes;  ///< that could be used with them
    bool operator==(const Entry&) const = default;
  };
  explicit DataSources(workspace::Workspace& workspace, QObject* parent = nullptr);
  /// Reads again, off the GUI thread.
  void refresh();
  [[nodiscard]] const QVector<Entry>& entries() const { return entries_; }

 signals:
  void changed();

 private:
  workspace::Workspace& workspace_;
  QVector<Entry> entries_;
  Background background_;
};

}  // namespace parapet::ui
