// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProxyStyle>
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

/// Fusion, with plain text as the format of every label and tooltip.
///
/// Qt guesses whether a text is HTML and then loads the images that it names, so the title of an
/// item could draw a file of this machine. A style sees each widget before its first picture: here
/// no text is HTML unless its label asked for Qt::RichText by name and escapes what it inserts.
///
/// Tables fill their width with the last column. Numbers in it stand below its title, not at the
/// far end of the gap.
///
/// The arrow of a sorted column points up where the smallest value is on top, as people read it; Qt
/// has it the other way round.
class PlainTextStyle : public QProxyStyle {
  Q_OBJECT

 public:
  PlainTextStyle();
  using QProxyStyle::polish;
  void polish(QWidget* widget) override;
  /// Panes of tabs have the ground of the window, as every pane has.
  /// Boxes, lines and buttons get the border of the theme, too: Fusion draws it too dark to be seen
  /// on dark grounds. What has the focus gets a ring that is seen on every ground.
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget = nullptr) const override;
  /// Tabs stand on the ground of the window, the chosen one with a line under it.
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget = nullptr) const override;
  /// Texts of a last column that is wider than it needs.
  QRect subElementRect(SubElement element, const QStyleOption* option,
                       const QWidget* widget = nullptr) const override;
  /// Buttons of dialogs have no icons, as no button here has.
  int styleHint(StyleHint hint, const QStyleOption* option = nullptr,
                const QWidget* widget = nullptr,
                QStyleHintReturn* returned = nullptr) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget = nullptr) const override;
};

}  // namespace parapet::ui
