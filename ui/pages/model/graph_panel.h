// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>

#include "engine/base/result.h"
#include "ui/models/rows_model.h"
#include "ui/pages/model/graph_view.h"

namespace parapet::ui {

/// The graph with its zoom, and the same as a table.
class GraphPanel : public QWidget {
  Q_OBJECT

 public:
  explicit GraphPanel(QWidget* parent = nullptr);
  void setGraph(ModelGraph graph);
  [[nodiscard]] const ModelGraph& graph() const { return graph_; }
  [[nodiscard]] GraphView& view() const { return *view_; }
  [[nodiscard]] ReportTableModel& rows() const { return *rows_; }
  /// Writes what the ending of `path` asks for: .svg or .png. Errors  kIo.
  Status exportPicture(const QString& path);
  void copyPicture();

 signals:
  void chosen(const QString& pointer);
  void failed(const QString& message);

 private:
  void makeTools(QLayout& line);
  void chooseExport();
  [[nodiscard]] QImage picture();

  ModelGraph graph_;
  QTabBar* tabs_;
  QStackedWidget* stack_;
  GraphView* view_;
  ReportTableModel* rows_;
  QTableView* table_;
  QLabel* zoom_;
};

}  // namespace parapet::ui
