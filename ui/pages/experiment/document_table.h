// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>
#include <QToolButton>
#include <QWidget>

#include "ui/models/document_rows_model.h"

namespace parapet::ui {

/// A list of the document as an editable table: delegates by type of column, buttons and keys to
/// add, duplicate (Ctrl+D) and remove (Del) rows, copy and export in the context menu.
///
/// The table is as high as its rows, up to a limit, so that a section reads as one page.
class DocumentTable : public QWidget {
  Q_OBJECT

 public:
  /// `emptyText`: what to do when there is no row. Takes the model as its child.
  DocumentTable(DocumentRowsModel* model, const QString& title, const QString& emptyText,
                QWidget* parent = nullptr);

  [[nodiscard]] QTableView& view() const { return *view_; }
  [[nodiscard]] DocumentRowsModel& model() const { return *model_; }
  /// Selects the cell of a pointer; false if it is not here.
  bool reveal(const QString& pointer);

 private:
  void makeButtons(class QHBoxLayout& line);
  void makeView();
  void follow();
  void fitHeight();
  [[nodiscard]] int currentRow() const;

  DocumentRowsModel* model_;
  QTableView* view_;
  class QLabel* empty_;
  QToolButton* duplicate_ = nullptr;
  QToolButton* remove_ = nullptr;
};

}  // namespace parapet::ui
