// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <functional>

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

/// What is the same for all columns, for the lines over them.
struct ListNames {
  std::function<QString(const QString& run)> runName;
  retrieval::SeenItems seen = retrieval::SeenItems::kKeep;
};

/// One list: whose it is, in which context and by which model, how it differs from that of the first
/// column, and what the user did.
class UserColumn : public QFrame {
  Q_OBJECT

 public:
  explicit UserColumn(QWidget* parent = nullptr);

  /// The answer of one of all columns.
  void setAnswer(const std::vector<ColumnAnswer>& answers, std::size_t index,
                 const ListNames& names);
  [[nodiscard]] const QString& user() const { return user_; }
  [[nodiscard]] RecommendationModel& list() { return *list_; }
  [[nodiscard]] HistoryModel& history() { return *history_; }
  /// Whether the history is there by its title alone, to leave its room to the recommendations.
  [[nodiscard]] bool isHistoryFolded() const;
  /// Which context, run, step and data the list is of.
  [[nodiscard]] QString caption() const;
  /// How the list differs from the first column's, or from that of the model before; "" if neither.
  [[nodiscard]] QString changes() const;
  /// What the list does not rest on; "" if there is nothing to say.
  [[nodiscard]] QString warnings() const;
  /// The engine's message instead of the lists; "" if they are there.
  [[nodiscard]] QString errorText() const;
  void focusList();
  /// Selects an item of the recommendations, or the first if it is not there.
  void selectItem(const QString& item);
  /// Marks the column that searches, controls and details speak of.
  void setCurrent(bool current);
  /// The table that has the focus, else the recommendations.
  [[nodiscard]] ItemTable* activeTable() const;
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

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  struct Section {
    QWidget* box = nullptr;
    ElidedLabel* caption = nullptr;
    ItemTable* table = nullptr;
  };
  QWidget* buildHeader();
  Section buildSection(QAbstractItemModel* model, const QString& name, int idRole, int titleColumn);
  void showList(const std::vector<ColumnAnswer>& answers, std::size_t index);
  void showHistory(const std::vector<ColumnAnswer>& answers, std::size_t index);
  void showNothing(const ColumnAnswer& answer);
  void addHistoryFold();
  void arrange();
  void foldHistory(bool folded);

  QString user_;
  std::pair<QString, std::string> historyOf_;  ///< user and data of the history that is shown
  RecommendationModel* list_;
  HistoryModel* history_;
  QLabel *name_, *warnings_;
  ElidedLabel *about_, *changes_;
  QToolButton *duplicate_, *remove_;
  QSplitter* lists_;
  Section shownSection_, historySection_;
  QToolButton* historyFold_;  ///< where the lists stand one below the other in little height
  bool low_ = false;
  MessagePanel* error_;
};

}  // namespace parapet::ui
