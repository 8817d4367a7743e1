// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/item_ranks_model.h"

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

using retrieval::ItemRank;
using RankColumn = RowsColumn<ItemRanksRow>;

/// A number of a rank, which a user that cannot be answered has not.
RankColumn scoreColumn(const QString& title, const char* fileKey, float ItemRank::*score) {
  return {.title = title,
          .fileKey = fileKey,
          .alignment = Qt::AlignRight,
          .text =
              [score](const ItemRanksRow& of, int) {
                return of.rank.ok() ? scoreText(static_cast<double>((*of.rank).*score)) : QString();
              },
          .value =
              [score](const ItemRanksRow& of, int) {
                return of.rank.ok() ? QVariant((*of.rank).*score) : QVariant(QString());
              }};
}

QString rankText(const ItemRanksRow& of) {
  if (!of.rank.ok()) return {};
  return ItemRanksModel::tr("%1 of %2")
      .arg(QString::fromStdString(formatCount(of.rank->rank)),
           QString::fromStdString(formatCount(of.rank->candidates)));
}

QString statusText(const ItemRanksRow& of, std::int64_t k) {
  if (!of.rank.ok()) return QString::fromStdString(of.rank.error().text());
  if (of.rank->excluded)
    return ItemRanksModel::tr("excluded: already seen (rank without the exclusion)");
  return of.rank->rank <= k ? ItemRanksModel::tr("in the list")
                            : ItemRanksModel::tr("outside the list");
}

/// As files have it.
QString statusKey(const ItemRanksRow& of, std::int64_t k) {
  if (!of.rank.ok()) return statusText(of, k);
  if (of.rank->excluded) return QStringLiteral("excluded");
  return of.rank->rank <= k ? QStringLiteral("inside") : QStringLiteral("outside");
}

/// For lists of k items.
std::vector<RankColumn> columnsFor(std::int64_t k) {
  using Row = ItemRanksRow;
  RankColumn gap =
      scoreColumn(ItemRanksModel::tr("Gap to #%1").arg(k), "gap_to_kth", &ItemRank::gapToKth);
  gap.tip = ItemRanksModel::tr(
      "Score minus the score of the last item of the list; negative when outside");
  gap.text = [score = gap.text](const Row& of, int index) {
    const bool above = of.rank.ok() && of.rank->gapToKth > 0.0f;
    return (above ? QStringLiteral("+") : QString()) + score(of, index);
  };
  std::vector<RankColumn> columns{
      {.title = ItemRanksModel::tr("User"),
       .fileKey = "user",
       .text = [](const Row& of, int) { return of.user; }},
      {.title = ItemRanksModel::tr("Context"),
       .fileKey = "context",
       .text = [](const Row& of, int) { return of.context; }},
      {.title = ItemRanksModel::tr("Model"),
       .fileKey = "model",
       .text =
           [](const Row& of, int) {
             return of.run.isEmpty()
                        ? QString()
                        : ItemRanksModel::tr("%1 · step %2")
                              .arg(of.run, QString::fromStdString(formatCount(of.step)));
           }},
      {.title = ItemRanksModel::tr("Rank"),
       .fileKey = "rank",
       .alignment = Qt::AlignRight,
       .text = [](const Row& of, int) { return rankText(of); },
       .value =
           [](const Row& of, int) {
             return of.rank.ok() ? QVariant(qlonglong(of.rank->rank)) : QVariant(QString());
           }},
      scoreColumn(ItemRanksModel::tr("Score"), "score", &ItemRank::score),
      scoreColumn(ItemRanksModel::tr("Score of #%1").arg(k), "kth_score", &ItemRank::kthScore),
      std::move(gap),
      {.title = ItemRanksModel::tr("Status"),
       .fileKey = "status",
       .text = [k](const Row& of, int) { return statusText(of, k); },
       .value = [k](const Row& of, int) { return QVariant(statusKey(of, k)); }}};
  for (RankColumn& column : columns) column.toolTip = column.text;
  return columns;
}

}  // namespace

ItemRanksModel::ItemRanksModel(QObject* parent) : RowsModel(parent) {
  constexpr std::int64_t kUsualLength = 10;
  setColumns(columnsFor(kUsualLength));
}

void ItemRanksModel::setRows(std::vector<Row> rows, std::int64_t k) {
  replaceAll(columnsFor(k), std::move(rows));
}

}  // namespace parapet::ui
