// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QGraphicsView>
#include <vector>

#include "ui/models/model_graph.h"
#include "ui/pages/model/graph_items.h"

namespace parapet::ui {

/// The graph of a model. Wheel, + and − zoom, 0 fits, the arrow keys go from box to box, Enter
/// opens what is selected, dragging moves the picture.
class GraphView : public QGraphicsView {
  Q_OBJECT

 public:
  explicit GraphView(QWidget* parent = nullptr);
  ~GraphView() override;

  /// Keeps zoom and selection. The graph fits the view until somebody zooms; it runs to the right
  /// or down, whichever can be read better.
  void setGraph(const ModelGraph& graph);
  void zoomBy(double factor);
  void fit();
  /// Whether everything is shown, until somebody zooms.
  [[nodiscard]] bool isFitted() const { return fitted_; }
  /// Share of the natural size, 1 for the size of text.
  [[nodiscard]] double zoom() const { return transform().m11(); }
  [[nodiscard]] GraphFlow flow() const { return flow_; }
  /// Selects the box of a pointer, or the one around it; nothing for a pointer without a box.
  void select(const QString& pointer);
  /// The selected box; null if none is.
  [[nodiscard]] const GraphBox* selected() const;
  /// Boxes and arrows as they are drawn, in the order of the graph.
  [[nodiscard]] const std::vector<BoxItem*>& boxes() const { return boxes_; }
  [[nodiscard]] const std::vector<ArrowItem*>& arrows() const { return arrows_; }
  /// The whole picture, in whatever size the painter has.
  void paintPicture(QPainter& painter);
  [[nodiscard]] QSize pictureSize() const;

 signals:
  void zoomChanged();
  /// Somebody wants to see the settings of a pointer.
  void chosen(const QString& pointer);

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void rebuild();
  /// The way in which the whole graph is largest.
  [[nodiscard]] GraphFlow bestFlow() const;
  void selectBox(const BoxItem* box);
  void step(const QPointF& direction);
  void describe();

  ModelGraph graph_;
  GraphFlow flow_ = GraphFlow::kRight;
  QGraphicsScene scene_;
  std::vector<BoxItem*> boxes_;
  std::vector<ArrowItem*> arrows_;
  bool fitted_ = true;
};

}  // namespace parapet::ui
