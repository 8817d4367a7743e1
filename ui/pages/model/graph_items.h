// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QPainterPath>

#include "ui/models/model_graph.h"

namespace parapet::ui {

/// Where the arrows of a graph lead.
enum class GraphFlow {
  kRight,
  kDown,
};
/// Size of a graph when it is drawn that way.
QSizeF graphSize(const ModelGraph& graph, GraphFlow flow);

/// A box of the graph: title, settings, shape and parameters. Its colours are those of the palette
/// at the moment of painting.
class BoxItem final : public QGraphicsItem {
 public:
  static constexpr QSizeF kSize{144.0, 58.0};

  BoxItem(const ModelGraph& graph, int index, GraphFlow flow);
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
  QString shape_, parameters_;  ///< parameters as a number
};

/// An arrow from the end of a box to the beginning of another one, through the passages that the
/// layout keeps free for it.
class ArrowItem final : public QGraphicsItem {
 public:
  ArrowItem(const BoxItem& from, const BoxItem& to, const GraphEdge& edge, GraphFlow flow);

  [[nodiscard]] const QPainterPath& path() const { return path_; }

  [[nodiscard]] QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  QPainterPath path_;
  QPointF tip_, ahead_;  ///< the point of the arrow, and where it points
};

}  // namespace parapet::ui
