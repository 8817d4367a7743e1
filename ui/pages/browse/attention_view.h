// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "engine/workspace/masked_model.h"
#include "ui/plots/spoken_drawing.h"

namespace parapet::ui {

/// The weights of a head of an attention layer, as a square of cells: a row for each piece that reads, a
/// column for each piece that is read, coloured from no weight to the largest of the head. The arrows
/// up and down choose the row, a click does so too.
class AttentionView : public QWidget, public SpokenDrawing {
  Q_OBJECT

 public:
  explicit AttentionView(QWidget* parent = nullptr);

  void setMap(workspace::AttentionMap map);
  [[nodiscard]] const workspace::AttentionMap& map() const { return map_; }
  /// The largest weight of the head, which has the full colour.
  [[nodiscard]] double largest() const { return largest_; }
  /// "Full colour: 6.2 %, the largest weight of this head"; "" without a picture.
  [[nodiscard]] QString legend() const;
  /// The piece whose row is chosen; −1: there is none.
  [[nodiscard]] int reader() const { return reader_; }
  void setReader(int reader);
  /// The rectangle of a cell, in the widget.
  [[nodiscard]] QRect cellRect(int reader, int read) const;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] int spokenParts() const override;
  [[nodiscard]] SpokenPart spokenPart(int index) const override;
  [[nodiscard]] QString spokenValue() const override;
  [[nodiscard]] int chosenPart() const override { return reader_; }

 signals:
  void readerChanged(int reader);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  [[nodiscard]] int count() const { return static_cast<int>(map_.pieces.size()); }
  /// The width of the pieces beside the rows and above the columns.
  [[nodiscard]] int labelWidth() const;
  [[nodiscard]] int cellSize() const;
  [[nodiscard]] QString shownPiece(int piece) const;
  void measure();

  workspace::AttentionMap map_;
  double largest_ = 0.0;
  int reader_ = -1;
};

}  // namespace parapet::ui
