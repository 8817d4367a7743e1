// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/recipe_summary.h"

#include <QCoreApplication>
#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("RecipeSummary", text);
}

QString count(std::int64_t number) {
  return QString::fromStdString(formatCount(number));
}

QString modelText(const experiment::Experiment& experiment) {
  const bool towers = experiment.model.kind == experiment::ModelKind::kRetrieval;
  std::int64_t widest = 0;
  for (const experiment::Table& table : experiment.tables)
    widest = std::max(widest, table.embeddingDim);
  return tr(towers ? "Two towers · %1 dimensions · %2 · %3 epochs"
                   : "Ranking · %1 dimensions · %2 · %3 epochs")
      .arg(widest)
      .arg(QString::fromStdString(
          experiment::toJson(experiment)["optimizer"]["kind"].get<std::string>()))
      .arg(experiment.training.epochs);
}

const char* rowsOf(experiment::GeneratorKind kind) {
  switch (kind) {
    case experiment::GeneratorKind::kMovies:
      return "ratings";
    case experiment::GeneratorKind::kClicks:
      return "impressions";
    case experiment::GeneratorKind::kEvents:
      return "listening events";
  }
  return "rows";
}

QString needsText(const experiment::Experiment& experiment, bool needsData) {
  if (needsData)
    return tr("Needs MovieLens 100K: the folder ml-100k, free for research from grouplens.org");
  if (!experiment.dataset.generator) return tr("Needs no data");
  const auto& made = *experiment.dataset.generator;
  return tr("Needs no data: %1 %2 of %3 users and %4 items are generated on this machine")
      .arg(count(made.events), tr(rowsOf(made.kind)), count(made.users), count(made.items));
}

QString referenceText(const experiment::Experiment& experiment) {
  if (!experiment.reference.curve) return {};
  const auto curve = experiment::findReferenceCurve(*experiment.reference.curve);
  if (!curve) return {};
  return tr("Published: %1").arg(shownText(curve->title));
}

}  // namespace

QVector<RecipeSummary> recipeSummaries() {
  QVector<RecipeSummary> out;
  for (const experiment::Recipe& recipe : experiment::recipes()) {
    RecipeSummary summary{
        QString::fromStdString(recipe.name), shownText(recipe.title), {}, {}, {}, recipe.needsData};
    if (const auto document = experiment::parseJson(recipe.text, recipe.name)) {
      const experiment::Experiment experiment = experiment::parse(*document).experiment;
      summary.model = modelText(experiment);
      summary.needs = needsText(experiment, recipe.needsData);
      summary.reference = referenceText(experiment);
    }
    out.append(std::move(summary));
  }
  return out;
}

}  // namespace parapet::ui
