// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QTableView>

namespace parapet::ui {

/// The table that every list of this page is shown in: whole rows, long titles elided, copy as
/// tab-separated text, export as CSV or JSON.
class ItemTable : public QTableView {
  Q_OBJECT

 public:
  /// `name` is what a screen reader calls the list.
  ItemTable(QAbstractItemModel* model, const QString& name, QWidget* parent = nullptr);

  /// `stretched` takes the space that is left; other columns get the width given in characters.
  void setColumns(int stretched, const QList<std::pair<int, int>>& characters);
  /// Columns that are hidden, the first of them first, while the stretched one is too narrow for a
  /// title.
  void setGivingWay(const QList<int>& columns);
  /// Selected rows, or all if none is.
  void copy() const;
  /// Asks for a file name and writes the whole list; format "csv" or "json".
  void exportAs(const QString& format);

 signals:
  /// ← (−1) or → (+1): what the list is about.
  void sideways(int step);
  /// An arrow key with Ctrl asks for the list beside this one.
  void columnwise(int step);
  /// Space: this list and the one it is compared with.
  void flipped();
  /// Enter or double click on a row.
  void opened(int row);
  void rowChosen(int row);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  void makeRoom();

  QHash<int, int> widths_;  ///< of columns that do not stretch
  QList<int> givingWay_;
};

}  // namespace parapet::ui
