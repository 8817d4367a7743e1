// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "ui/controllers/browse_session.h"
#include "ui/models/history_model.h"
#include "ui/models/recommendation_model.h"

class QLabel;
class QSplitter;
class QToolButton;

namespace parapet::ui {

class ElidedLabel;
class ItemTable;
class MessagePanel;

/// Which models the lists of a column come from, for the lines over them.
struct ModelNames {
  RecommenderPtr shown, compared;
  QString shownName, comparedName;
  retrieval::SeenItems seen = retrieval::SeenItems::kKeep;
};

/// One user: who it is, what is recommended (by one model or two), and what the user did.
class UserColumn : public QFrame {
  Q_OBJECT

 public:
  explicit UserColumn(QWidget* parent = nullptr);

  void setAnswer(const ColumnAnswer& answer, const ModelNames& names);
  [[nodiscard]] const QString& user() const { return user_; }
  [[nodiscard]] RecommendationModel& list() { return *list_; }
  [[nodiscard]] RecommendationModel& compared() { return *compared_; }
  [[nodiscard]] HistoryModel& history() { return *history_; }
  /// The engine's message instead of the lists; "" if they are there.
  [[nodiscard]] QString errorText() const;
  void focusList();
  /// Selects an item of the recommendations, or the first if it is not there.
  void selectItem(const QString& item);
  /// Marks the column that searches and details speak of.
  void setCurrent(bool current);
  /// The table that has the focus, else the recommendations.
  [[nodiscard]] ItemTable* activeTable() const;
  void setRemovable(bool removable);

 signals:
  void itemChosen(const QString& item, const QString& title);
  void itemOpened(const QString& item, const QString& title);
  void removeRequested();
  void sideways(int step);
  void entered();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Section {
    QWidget* box = nullptr;
    ElidedLabel* caption = nullptr;
    ItemTable* table = nullptr;
  };
  QWidget* buildHeader();
  Section buildSection(QAbstractItemModel* model, const QString& name, int idRole, int titleColumn);
  void showMoves(const ColumnAnswer& answer);
  void arrange();

  QString user_;
  RecommendationModel *list_, *compared_;
  HistoryModel* history_;
  QLabel* name_;
  ElidedLabel *about_, *changes_;
  QToolButton* remove_;
  QSplitter* lists_;
  Section shownSection_, comparedSection_, historySection_;
  MessagePanel* error_;
};

}  // namespace parapet::ui
