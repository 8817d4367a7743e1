// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/palette_model.h"

#include <QKeySequence>
#include <algorithm>

#include "ui/models/fuzzy_match.h"

namespace parapet::ui {

QString PaletteModel::textOf(const QAction& action) {
  QString text = action.text();
  text.remove(QLatin1Char('&'));
  const QString menu = action.property("paletteGroup").toString();
  return menu.isEmpty() ? text : menu + QStringLiteral(": ") + text;
}

void PaletteModel::setActions(const QList<QAction*>& actions) {
  beginResetModel();
  all_.assign(actions.begin(), actions.end());
  shown_ = all_;
  endResetModel();
}

void PaletteModel::setTyped(const QString& typed) {
  struct Scored {
    QPointer<QAction> action;
    int score;
  };
  std::vector<Scored> matches;
  for (const QPointer<QAction>& action : all_)
    if (action)
      if (const auto score = fuzzyScore(typed, textOf(*action)))
        matches.push_back({action, *score});
  std::ranges::stable_sort(matches, [](const Scored& left, const Scored& right) {
    if (left.action->isEnabled() != right.action->isEnabled()) return left.action->isEnabled();
    return left.score > right.score;
  });
  beginResetModel();
  shown_.clear();
  for (Scored& match : matches) shown_.push_back(std::move(match.action));
  endResetModel();
}

QAction* PaletteModel::action(int row) const {
  return row < 0 || row >= rowCount() ? nullptr : shown_[static_cast<std::size_t>(row)].data();
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  const QAction* shown = index.isValid() ? action(index.row()) : nullptr;
  if (!shown) return {};
  switch (role) {
    case Qt::DisplayRole:
      return textOf(*shown);
    case Qt::ToolTipRole:
      return shown->toolTip();
    case Qt::DecorationRole:
      return shown->icon();
    case kShortcutRole:
      return shown->shortcut().toString(QKeySequence::NativeText);
    case kEnabledRole:
      return shown->isEnabled();
    default:
      return {};
  }
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex& index) const {
  const QAction* shown = index.isValid() ? action(index.row()) : nullptr;
  return shown && shown->isEnabled() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
}

}  // namespace parapet::ui
