// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>
#include <QToolButton>
#include <QWidget>
#include <functional>

#include "ui/models/document_rows_model.h"

class QHBoxLayout;
class QLabel;
class QMenu;

namespace parapet::ui {

/// A list of the document as an editable table: delegates by type of column, buttons and keys to
/// add, duplicate (Ctrl+D) and remove (Del) rows and, where their order means something, to move
/// them (Alt+↑, Alt+↓), copy and export in the context menu. Where the model knows what may be
/// added, the button offers it.
///
/// The table is as high as its rows, up to a limit, so that a section reads as one page; or it
/// takes the space there is.
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
  /// Takes the height there is.
  void fillRoom();
  /// A sign beside the title that opens `target` (card.h).
  void setHelp(const QString& target);
  /// Has the button ask for what is to be added, a file above all.
  void setAdd(std::function<void()> ask, const QString& text, const QString& toolTip);
  [[nodiscard]] QToolButton& addButton() const { return *add_; }
  /// High enough for what folds at the width that it has.
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QToolButton* makeButton(QLayout& line, const QString& text, const QString& toolTip);
  void makeButtons(QLayout& line);
  void makeMoves(QLayout& line);
  void connectKeys();
  void offerAdditions();
  void add(int addition);
  void move(int by);
  void makeView();
  void follow();
  void fitHeight();
  [[nodiscard]] int currentRow() const;

  DocumentRowsModel* model_;
  QTableView* view_;
  QLabel* empty_;
  QHBoxLayout* headLine_ = nullptr;
  bool fillsRoom_ = false;
  std::function<void()> ask_;
  QMenu* additions_ = nullptr;
  QToolButton* add_ = nullptr;
  QToolButton* duplicate_ = nullptr;
  QToolButton* remove_ = nullptr;
  QToolButton *up_ = nullptr, *down_ = nullptr;  ///< null where the order means nothing
};

}  // namespace parapet::ui
