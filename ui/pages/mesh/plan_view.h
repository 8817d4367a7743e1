// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/mesh_report.h"
#include "ui/plots/spoken_drawing.h"

namespace parapet::ui {

/// A plan as a picture: devices as columns, tables and shards as blocks whose height follows their
/// bytes. A table is dragged to a device, or placed by the menu (right click, menu key); the arrow
/// keys go from block to block.
class PlanView : public QWidget, public SpokenDrawing {
  Q_OBJECT

 public:
  /// The measure that colours the blocks of tables.
  enum class ColorBy { kTraffic, kRowsRead, kBytes };

  explicit PlanView(QWidget* parent = nullptr);
  void setPicture(PlanPicture picture);
  [[nodiscard]] const PlanPicture& picture() const { return picture_; }
  void setColorBy(ColorBy colorBy);
  [[nodiscard]] ColorBy colorBy() const { return colorBy_; }
  /// Marks the blocks of a table; −1: none.
  void selectTable(int table);
  [[nodiscard]] int selectedTable() const { return selected_; }
  /// Index of a column and of a block in it.
  [[nodiscard]] QRect columnRect(int column) const;
  [[nodiscard]] QRect blockRect(int column, int block) const;
  [[nodiscard]] int spokenParts() const override;
  [[nodiscard]] SpokenPart spokenPart(int index) const override;
  [[nodiscard]] QString spokenValue() const override;
  [[nodiscard]] int chosenPart() const override;

 signals:
  void tableChosen(int table);
  /// A table was dropped on a device.
  void moved(int table, int device);
  void menuRequested(int table, const QPoint& at);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool event(QEvent* event) override;

 private:
  static constexpr int kLegend = 32, kHeader = 24, kFooter = 24;
  /// A block has at least the height of its name; what remains is shared out by bytes.
  static constexpr int kLine = 20;
  struct BlockIndex {
    int column = -1, block = -1;
  };
  [[nodiscard]] const PlanBlock& blockAt(BlockIndex block) const;
  [[nodiscard]] BlockIndex find(const QPoint& at) const;
  /// The block of a part: device by device, from the bottom.
  [[nodiscard]] BlockIndex blockOfPart(int index) const;
  [[nodiscard]] int columnAt(const QPoint& at) const;
  [[nodiscard]] QRect area() const;
  /// The height of one line, or of two where one is too wide.
  [[nodiscard]] int legendHeight() const;
  [[nodiscard]] QStringList legendWords() const;
  /// The height of so many blocks with so many bytes, one above the other.
  [[nodiscard]] int heightOf(int blocks, double bytes) const;
  [[nodiscard]] QColor colorOf(const PlanBlock& block) const;
  [[nodiscard]] double shareOfRamp(const PlanBlock& block) const;
  void choose(BlockIndex block);
  void stopDragging();
  void paintLegend(QPainter& painter) const;
  void paintColumn(QPainter& painter, int column) const;
  void paintBlock(QPainter& painter, BlockIndex block) const;

  PlanPicture picture_;
  ColorBy colorBy_ = ColorBy::kTraffic;
  double tallest_ = 1.0;  ///< bytes of the whole height
  int maxBlocks_ = 0;     ///< in a column
  int selected_ = -1;
  BlockIndex current_;
  QPoint pressedAt_;
  BlockIndex pressed_;
  int target_ = -1;  ///< column under a block that is dragged
  bool dragging_ = false;
};

}  // namespace parapet::ui
