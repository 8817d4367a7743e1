// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QScrollArea>
#include <QWidget>
#include <functional>
#include <vector>

#include "ui/controllers/browse_session.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/user_models.h"

class QHBoxLayout;
class QPushButton;
class QToolButton;
class QVBoxLayout;

namespace parapet::ui {

/// Stands where a list would be: what is the matter and what to do next, with the button for it.
class MessagePanel : public QWidget {
  Q_OBJECT

 public:
  explicit MessagePanel(QWidget* parent = nullptr);
  void setMessage(const QString& title, const QString& text);
  [[nodiscard]] QString text() const;
  /// The first button is the default one.
  QPushButton* addButton(const QString& text, const QString& toolTip);

 private:
  QLabel* title_;
  QLabel* text_;
  QVBoxLayout* buttons_;
};

class ElidedLabel;
class ItemTable;

/// Names that are the same for all columns, for the lines over them.
struct ListNames {
  std::function<QString(const QString& run)> runName;
  retrieval::SeenItems seen = retrieval::SeenItems::kKeep;
};

/// One list, under a title of what it differs in from the others: whose it is, in which context and by
/// which model, and how it differs from that of the first column.
class UserColumn : public QFrame {
  Q_OBJECT

 public:
  explicit UserColumn(QWidget* parent = nullptr);

  /// The answer of one of all columns.
  void setAnswer(const std::vector<ColumnAnswer>& answers, std::size_t index,
                 const ListNames& names);
  [[nodiscard]] const QString& user() const { return user_; }
  [[nodiscard]] RecommendationModel& list() { return *list_; }
  /// Settings in which it differs from the other columns, else whose it is.
  [[nodiscard]] QString title() const { return name_->text(); }
  [[nodiscard]] ItemTable& table() const { return *table_; }
  /// Pixels that stand above the list.
  [[nodiscard]] int headHeight() const;
  void setHeadHeight(int height);
  /// The context, run, step and data of the list.
  [[nodiscard]] QString caption() const;
  /// How the list differs from the first column's, or from that of the model before; "" if neither.
  [[nodiscard]] QString changes() const;
  /// Warnings of inputs that the list does not rest on; "" if there are none.
  [[nodiscard]] QString warnings() const;
  /// The engine's message instead of the lists; "" if they are there.
  [[nodiscard]] QString errorText() const;
  void focusList();
  /// Selects an item of the recommendations, or the first if it is not there.
  void selectItem(const QString& item);
  /// Marks the column that searches, controls and details speak of.
  void setCurrent(bool current);
  void setRemovable(bool removable);

 signals:
  void itemChosen(const QString& item, const QString& title);
  void itemOpened(const QString& item, const QString& title);
  void duplicateRequested();
  void removeRequested();
  void firstRequested();
  void sideways(int by);
  void columnwise(int by);
  void entered();
  /// Another height may stand above the list.
  void widthChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  QWidget* buildHeader();
  void showList(const std::vector<ColumnAnswer>& answers, std::size_t index);
  void showNothing(const ColumnAnswer& answer);

  QString user_;
  RecommendationModel* list_;
  QWidget* head_;
  QLabel *name_, *warnings_;
  ElidedLabel *about_, *changes_, *caption_;
  QToolButton *duplicate_, *remove_;
  ItemTable* table_;
  MessagePanel* error_;
};

/// The history of the user of the current column.
class HistoryPanel : public QWidget {
  Q_OBJECT

 public:
  explicit HistoryPanel(QWidget* parent = nullptr);
  /// Null: there is no column.
  void setAnswer(const ColumnAnswer* answer);
  [[nodiscard]] HistoryModel& model() { return *model_; }
  [[nodiscard]] ItemTable& table() { return *table_; }

 signals:
  void itemChosen(const QString& item, const QString& title);
  void itemOpened(const QString& item, const QString& title);

 private:
  std::pair<QString, std::string> of_;  ///< user and data of what is shown
  ElidedLabel* caption_;
  HistoryModel* model_;
  ItemTable* table_;
};

/// The lists side by side, and which of them is the current one. The first is the one that the
/// others are compared with.
class UserBoard : public QScrollArea {
  Q_OBJECT

 public:
  explicit UserBoard(QWidget* parent = nullptr);

  void setAnswers(const std::vector<ColumnAnswer>& answers, const ListNames& names);
  [[nodiscard]] const std::vector<UserColumn*>& columns() const { return columns_; }
  /// −1 if there is none.
  [[nodiscard]] int current() const { return current_; }
  [[nodiscard]] UserColumn* currentColumn() const;
  /// Makes a column the current one and gives it the focus; outside the range nothing happens.
  void focusColumn(int index);
  void setCurrent(int index);

 signals:
  void currentChanged();
  void itemChosen(int column, const QString& item, const QString& title);
  void itemOpened(int column, const QString& item, const QString& title);
  void duplicateRequested(int column);
  void removeRequested(int column);
  /// ← or → in a list of the current column.
  void stepRequested(int by);
  /// Space in a list of the column.
  void firstRequested(int column);

 private:
  UserColumn* addColumn();
  void alignLists();
  [[nodiscard]] int indexOf(const UserColumn* column) const;

  QHBoxLayout* row_;
  std::vector<UserColumn*> columns_;
  int current_ = -1;
};

}  // namespace parapet::ui
