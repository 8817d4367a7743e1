// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QGraphicsScene>
#include <QGraphicsView>
#include <QPainterPath>
#include <utility>
#include <vector>

#include "ui/models/model_graph.h"
#include "ui/plots/spoken_drawing.h"

namespace parapet::ui {

/// Where the arrows of a graph lead.
enum class GraphFlow {
  kRight,
  kDown,
};

/// Where the boxes of a graph stand when it is drawn one way: a column is as wide as its longest
/// text, within limits.
class GraphGrid {
 public:
  GraphGrid(const ModelGraph& graph, GraphFlow flow);
  [[nodiscard]] QRectF boxAt(const GraphBox& box) const;
  /// Begin and end of a column along the arrows.
  [[nodiscard]] std::pair<double, double> column(int column) const;
  /// The middle, across the arrows, of what is `height` rows high.
  [[nodiscard]] double middleOf(double row, double height) const;
  [[nodiscard]] QSizeF size() const { return size_; }
  [[nodiscard]] GraphFlow flow() const { return flow_; }

 private:
  GraphFlow flow_;
  std::vector<std::pair<double, double>> columns_;
  double across_ = 0.0, pitch_ = 0.0;  ///< of a box and from box to box, across the arrows
  QSizeF size_;
};

/// A box of the graph: title, settings, shape and parameters. Its colours are those of the palette
/// at the moment of painting.
class BoxItem final : public QGraphicsItem {
 public:
  BoxItem(const ModelGraph& graph, int index, const GraphGrid& grid);
  [[nodiscard]] QRectF frame() const { return {pos(), size_}; }
  [[nodiscard]] const GraphBox& box() const { return box_; }
  [[nodiscard]] int index() const { return index_; }
  /// Everything that the box says, in one sentence.
  [[nodiscard]] QString description() const;

  [[nodiscard]] QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  void paintTexts(QPainter& painter, const QRectF& inside) const;

  GraphBox box_;
  int index_;
  QSizeF size_;
  QString shape_, parameters_;  ///< parameters as a number
};

/// An arrow from the end of a box to the beginning of another one, through the passages that the
/// layout keeps free for it.
class ArrowItem final : public QGraphicsItem {
 public:
  ArrowItem(const BoxItem& from, const BoxItem& to, const GraphEdge& edge, const GraphGrid& grid);

  [[nodiscard]] const QPainterPath& path() const { return path_; }

  [[nodiscard]] QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  QPainterPath path_;
  QPointF tip_, ahead_;  ///< the point of the arrow, and where it points
};

/// The ground and the title of a tower.
class LaneItem final : public QGraphicsItem {
 public:
  /// `boxes`: what the boxes of the tower cover.
  LaneItem(const QString& title, const QRectF& boxes);
  [[nodiscard]] const QString& title() const { return title_; }
  [[nodiscard]] QRectF boundingRect() const override { return ground_; }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  QString title_;
  QRectF ground_;
};

/// The graph of a model. Wheel, + and − zoom, 0 fits, the arrow keys go from box to box, Enter
/// opens what is selected, dragging moves the picture.
class GraphView : public QGraphicsView, public SpokenDrawing {
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
  [[nodiscard]] const std::vector<LaneItem*>& lanes() const { return lanes_; }
  /// A part for each box.
  [[nodiscard]] int spokenParts() const override;
  [[nodiscard]] SpokenPart spokenPart(int index) const override;
  [[nodiscard]] QString spokenValue() const override;
  [[nodiscard]] int chosenPart() const override;
  [[nodiscard]] QAccessible::Role spokenRole() const override { return QAccessible::Graphic; }
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
  void addLanes();
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
  std::vector<LaneItem*> lanes_;
  bool fitted_ = true;
};

}  // namespace parapet::ui
