// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/feature_shares_model.h"

#include "ui/models/recommendation_model.h"

namespace parapet::ui {

using retrieval::FeatureShare;

FeatureSharesModel::FeatureSharesModel(QObject* parent) : RowsModel(parent) {
  setColumns({
      {.title = tr("Feature"),
       .fileKey = "feature",
       .tip = tr("Feature of the query"),
       .text = [](const FeatureShare& of, int) { return QString::fromStdString(of.feature); }},
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

}  // namespace parapet::ui
