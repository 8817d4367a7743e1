// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QAction>
#include <QList>
#include <QPointer>
#include <QString>
#include <optional>
#include <vector>

namespace parapet::ui {

/// How well a text answers what was typed: every letter of `typed` must occur in `text` in order,
/// without regard to case; spaces in `typed` are skipped. Letters that begin words or follow each
/// other count more, so "expc" finds "Export the curves…" before "Expand all pictures".
///
/// Returns   higher is better; 0 for nothing typed; nullopt if it does not match.
std::optional<int> fuzzyScore(const QString& typed, const QString& text);

/// Actions that answer what was typed, best first; all, in their order, while nothing is typed.
/// Actions that cannot be triggered now come last.
class PaletteModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { kShortcutRole = Qt::UserRole, kEnabledRole };

  using QAbstractListModel::QAbstractListModel;
  void setActions(const QList<QAction*>& actions);
  void setTyped(const QString& typed);
  /// Null if it went away meanwhile.
  [[nodiscard]] QAction* action(int row) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

  /// The text of an action without mnemonics; "Menu: text" if its data() names a menu.
  static QString textOf(const QAction& action);

 private:
  std::vector<QPointer<QAction>> all_, shown_;
};

}  // namespace parapet::ui
