// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/palette_model.h"

#include <QKeySequence>
#include <algorithm>
#include <vector>

namespace parapet::ui {
namespace {

constexpr int kNoMatch = -1'000'000;
constexpr int kLetter = 1, kWordStart = 8, kNeighbour = 5;

}  // namespace

// best[j]: the best score of the letters so far with the last of them at text[j]. Each letter takes
// the best position before it, or the neighbour, which counts extra.
std::optional<int> fuzzyScore(const QString& typed, const QString& text) {
  QString letters;
  for (const QChar letter : typed)
    if (!letter.isSpace()) letters.append(letter.toCaseFolded());
  if (letters.isEmpty()) return 0;
  const auto size = static_cast<std::size_t>(text.size());
  std::vector<int> best(size, kNoMatch);
  bool first = true;
  for (const QChar letter : letters) {
    std::vector<int> next(size, kNoMatch);
    int reachable = first ? 0 : kNoMatch;
    for (std::size_t at = 0; at < size; ++at) {
      const QChar here = text.at(static_cast<qsizetype>(at));
      if (here.toCaseFolded() == letter) {
        const bool starts = at == 0 || !text.at(static_cast<qsizetype>(at) - 1).isLetterOrNumber();
        int score = reachable;
        if (!first && at > 0) score = std::max(score, best[at - 1] + kNeighbour);
        if (score > kNoMatch / 2) next[at] = score + kLetter + (starts ? kWordStart : 0);
      }
      if (!first) reachable = std::max(reachable, best[at]);
    }
    best = std::move(next);
    first = false;
  }
  const int score = size == 0 ? kNoMatch : *std::ranges::max_element(best);
  return score > 0 ? std::optional(score) : std::nullopt;
}

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
