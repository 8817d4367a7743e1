// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>

#include "ui/models/model_graph.h"

namespace parapet::ui {

/// A box of the graph: title, settings, shape and parameters. Its colours are those of the palette
/// at the moment of painting.
class BoxItem final : public QGraphicsItem {
 public:
  static constexpr QSizeF kSize{184.0, 68.0};

  BoxItem(const ModelGraph& graph, int index);
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
  QString shape_, parameters_;
};

/// An arrow from the right side of a box to the left side of another one. Arrows over several
/// columns bow above what lies between.
class ArrowItem final : public QGraphicsItem {
 public:
  ArrowItem(const BoxItem& from, const BoxItem& to);

  [[nodiscard]] QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  QPainterPath path_;
  QPointF tip_;
};

}  // namespace parapet::ui
