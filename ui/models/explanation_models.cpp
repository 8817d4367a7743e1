// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/explanation_models.h"

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/setting_names.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

using retrieval::FeatureShare;
using retrieval::SimilarItem;

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
  if (of.rank->filteredOut) return ItemRanksModel::tr("left out by the filter (rank without it)");
  return of.rank->rank <= k ? ItemRanksModel::tr("in the list")
                            : ItemRanksModel::tr("outside the list");
}

/// As files have it.
QString statusKey(const ItemRanksRow& of, std::int64_t k) {
  if (!of.rank.ok()) return statusText(of, k);
  if (of.rank->excluded) return QStringLiteral("excluded");
  if (of.rank->filteredOut) return QStringLiteral("filtered_out");
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

FeatureSharesModel::FeatureSharesModel(QObject* parent) : RowsModel(parent) {
  setColumns({
      {.title = tr("Feature"),
       .fileKey = "feature",
       .tip = tr("Feature of the query"),
       .text = [](const FeatureShare& of, int) { return leafName(of.feature); },
       .value = [](const FeatureShare& of,
                   int) { return QVariant(QString::fromStdString(of.feature)); },
       .toolTip = [](const FeatureShare& of, int) { return QString::fromStdString(of.feature); }},
      {.title = tr("Value"),
       .fileKey = "value",
       .tip = tr("In this query"),
       .text = [](const FeatureShare& of, int) { return QString::fromStdString(of.value); }},
      {.title = tr("Without it"),
       .fileKey = "without",
       .tip = tr("Score with the feature taken out: its embedding is a zero vector, its number the "
                 "mean of the training rows"),
       .alignment = Qt::AlignRight,
       .text = [](const FeatureShare& of,
                  int) { return scoreText(static_cast<double>(of.without)); },
       .value = [](const FeatureShare& of, int) { return QVariant(of.without); }},
      {.title = tr("Share"),
       .fileKey = "share",
       .tip = tr("Score minus the score without the feature"),
       .alignment = Qt::AlignRight,
       .text =
           [](const FeatureShare& of, int) {
             return (of.share > 0.0f ? QStringLiteral("+") : QString()) +
                    scoreText(static_cast<double>(of.share));
           },
       .value = [](const FeatureShare& of, int) { return QVariant(of.share); }},
  });
}

SimilarItemsModel::SimilarItemsModel(QObject* parent) : RowsModel(parent) {
  setColumns({
      {.title = QStringLiteral("#"),
       .fileKey = "rank",
       .alignment = Qt::AlignRight,
       .text = [](const SimilarItem&, int row) { return QString::number(row + 1); },
       .value = [](const SimilarItem&, int row) { return QVariant(row + 1); }},
      {.title = tr("Item"),
       .fileKey = "title",
       .text = [](const SimilarItem& of, int) { return titleText(of.title, of.id); }},
      {.title = tr("Cosine"),
       .fileKey = "cosine",
       .tip = tr("Cosine of the two item vectors in the model's own space, in −1 … 1"),
       .alignment = Qt::AlignRight,
       .text = [](const SimilarItem& of, int) { return scoreText(of.cosine); },
       .value = [](const SimilarItem& of, int) { return QVariant(of.cosine); }},
  });
}

QVariant SimilarItemsModel::more(const SimilarItem& item, int, int role) const {
  if (role == kItemIdRole) return QString::fromStdString(item.id);
  if (role == Qt::ToolTipRole)
    return tr("%1 (id %2)").arg(shownText(titleText(item.title, item.id)), shownText(item.id));
  return {};
}

ItemRanksModel::ItemRanksModel(QObject* parent) : RowsModel(parent) {
  constexpr std::int64_t kUsualLength = 10;
  setColumns(columnsFor(kUsualLength));
}

void ItemRanksModel::setRows(std::vector<Row> rows, std::int64_t k) {
  replaceAll(columnsFor(k), std::move(rows));
}

ExplanationModel::ExplanationModel(QObject* parent) : RowsModel(parent) {
  setColumns({
      {.title = tr("Dimension"),
       .fileKey = "dimension",
       .alignment = Qt::AlignRight,
       .text = [](const Term& of, int) { return QString::number(of.dimension); },
       .value = [](const Term& of, int) { return QVariant(of.dimension); }},
      {.title = tr("Term"),
       .fileKey = "term",
       .alignment = Qt::AlignRight,
       .text = [](const Term& of, int) { return scoreText(static_cast<double>(of.value)); },
       .value = [](const Term& of, int) { return QVariant(of.value); }},
      {.title = tr("Sum so far"),
       .fileKey = "running_sum",
       .alignment = Qt::AlignRight,
       .text = [](const Term& of, int) { return scoreText(of.runningSum); },
       .value = [](const Term& of, int) { return QVariant(of.runningSum); }},
  });
}

void ExplanationModel::setTerms(const std::vector<float>& terms) {
  std::vector<Term> sorted;
  for (std::size_t d = 0; d < terms.size(); ++d)
    sorted.push_back({static_cast<int>(d), terms[d], 0.0});
  std::stable_sort(sorted.begin(), sorted.end(), [](const Term& a, const Term& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  double sum = 0.0;
  for (Term& term : sorted) term.runningSum = sum += static_cast<double>(term.value);
  replaceRows(std::move(sorted));
}

}  // namespace parapet::ui
