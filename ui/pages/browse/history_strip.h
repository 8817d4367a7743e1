// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QListWidget>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "ui/controllers/browse_session.h"

class QCompleter;
class QLineEdit;
class QStandardItemModel;
class QToolButton;

namespace parapet::ui {

/// The items that a list rests on, oldest first, which can be added, removed and moved: the list is
/// ranked anew for what somebody with this history would get. Drag, Alt+← and Alt+→ move an item,
/// Del removes it. Hidden while the model reads no history.
class HistoryStrip : public QWidget {
  Q_OBJECT

 public:
  explicit HistoryStrip(BrowseSession& session, QWidget* parent = nullptr);

  /// Shows the history that the list of a column rests on, as asked and as answered. Hides the strip if
  /// the model reads no history.
  void setColumn(const ColumnQuery& query, const ColumnAnswer& answer);
  [[nodiscard]] QListWidget& items() const { return *items_; }
  [[nodiscard]] QStringList ids() const;
  /// Adds an item at the end, or behind the selected one.
  void addItem(const QString& id, const QString& title);

 signals:
  /// nullopt: the user's own history.
  void changed(const std::optional<QStringList>& items);
  /// Enter was pressed on a text that no item has.
  void notFound(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildList();
  void buildSearch();
  void search();
  void offer();
  void enter();
  void takeFirst();
  void takeFound(const QModelIndex& index);
  void showItems(const QStringList& ids);
  void move(int by);
  void removeSelected();
  void tell();
  void followSelection();

  BrowseSession& session_;
  QListWidget* items_;
  QLineEdit* text_;
  QCompleter* completer_;
  QStandardItemModel* found_;
  QToolButton *earlier_, *later_, *remove_, *own_;
  QTimer typing_;
  bool takesFirst_ = false;         ///< Enter waits for what is being searched
  QHash<QString, QString> titles_;  ///< by id
};

}  // namespace parapet::ui
