// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTableView>

namespace parapet::ui {

/// How much of a stretched last column its numbers need: they are right-aligned, and would stand at
/// the far end of the window, away from their title.
class LastColumn : public QObject {
  Q_OBJECT

 public:
  /// Measures the last column of a table before each picture of it; once for a table.
  static void watch(QTableView& table);
  /// Whether a column was told to take the rest of the width.
  [[nodiscard]] static bool anotherStretches(const QTableView& table);
  /// The width that texts of a column may use, of `width`. `widget`: the table or its header.
  [[nodiscard]] static int widthOf(const QWidget* widget, int column, int width);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  explicit LastColumn(QTableView& table);
  void measure();

  QTableView& table_;
  int column_ = -1;  ///< the stretched column; −1: none
  int needed_ = 0;   ///< pixels
};

}  // namespace parapet::ui
