// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/recipe_summary.h"

#include <QCoreApplication>
#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/workspace/downloads.h"
#include "engine/workspace/source_questions.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("RecipeSummary", text);
}

QString count(std::int64_t number) {
  return QString::fromStdString(formatCount(number));
}

QString kindText(experiment::ModelKind kind) {
  switch (kind) {
    case experiment::ModelKind::kRetrieval:
      return tr("Two towers");
    case experiment::ModelKind::kRanking:
      return tr("Ranking");
    case experiment::ModelKind::kMaskedLm:
      return tr("Masked language model");
  }
  return {};
}

QString modelText(const experiment::Experiment& experiment) {
  std::int64_t widest = 0;
  for (const experiment::Table& table : experiment.tables)
    widest = std::max(widest, table.embeddingDim);
  return tr("%1 · %2 dimensions · %3 · %4 epochs")
      .arg(kindText(experiment.model.kind))
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

/// "user, item, daytime and 6 more"
QString columnsText(const experiment::Dataset& dataset) {
  constexpr std::size_t kShown = 3;
  QStringList names;
  for (const experiment::Column& column : dataset.columns)
    if (static_cast<std::size_t>(names.size()) < kShown) names << shownText(column.originName());
  const auto more = static_cast<int>(dataset.columns.size()) - static_cast<int>(names.size());
  const QString list = names.join(QStringLiteral(", "));
  return more > 0 ? tr("%1 and %2 more").arg(list).arg(more) : list;
}

QString ownDataText(const experiment::Dataset& dataset) {
  if (dataset.source == experiment::SourceKind::kMovielens)
    return tr("Needs MovieLens 100K: the folder ml-100k, free for research from grouplens.org");
  if (dataset.isText())
    return tr("Needs texts: a file of lines or a folder such as wikitext-2, and a vocabulary of "
              "pieces (%1) beside them")
        .arg(dataset.text ? shownText(dataset.text->vocabulary) : QString());
  return (dataset.source == experiment::SourceKind::kParquet
              ? tr("Needs a Parquet file with the columns %1")
              : tr("Needs a text file of rows with the columns %1"))
      .arg(columnsText(dataset));
}

/// How its data are asked for, and which of the known ones they could be.
void addData(RecipeSummary& summary, const experiment::Dataset& dataset) {
  using Chosen = RecipeSummary::Chosen;
  const QString all = tr("All files (*)");
  if (dataset.source == experiment::SourceKind::kMovielens) {
    summary.chosen = Chosen::kFolder;
    summary.folderTip = tr("The folder ml-100k (with u.data in it), or the folder above it");
  } else if (dataset.isText()) {
    summary.chosen = Chosen::kFileOrFolder;
    summary.folderTip =
        tr("A folder with wiki.{train,valid,test}.tokens or {train,valid,test}.txt");
    summary.fileTip = tr("A file of lines of text, or the zip archive of a corpus");
    summary.fileFilter = tr("Texts (*.txt *.tokens *.raw *.gz *.zip)") + ";;" + all;
  } else {
    const bool parquet = dataset.source == experiment::SourceKind::kParquet;
    summary.chosen = Chosen::kFile;
    summary.fileTip = tr("A file with the columns %1").arg(columnsText(dataset));
    summary.fileFilter =
        (parquet ? tr("Parquet (*.parquet)") : tr("Tables (*.csv *.tsv *.txt *.gz *.zip)")) + ";;" +
        all;
  }
  for (const workspace::KnownDataset& known : workspace::knownDatasets()) {
    if (known.source != dataset.source) continue;
    summary.download = shownText(known.title).section(QLatin1Char(':'), 0, 0);
    return;
  }
}

QString needsText(const experiment::Experiment& experiment, bool needsData) {
  if (needsData) return ownDataText(experiment.dataset);
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
    RecipeSummary summary;
    summary.name = QString::fromStdString(recipe.name);
    summary.title = shownText(recipe.title);
    summary.needsData = recipe.needsData;
    if (const auto document = experiment::parseJson(recipe.text, recipe.name)) {
      const experiment::Experiment experiment = experiment::parse(*document).experiment;
      summary.model = modelText(experiment);
      summary.needs = needsText(experiment, recipe.needsData);
      summary.reference = referenceText(experiment);
      if (recipe.needsData) addData(summary, experiment.dataset);
    }
    out.append(std::move(summary));
  }
  return out;
}

QStringList recipesFor(const QString& path) {
  QStringList names;
  const auto found = workspace::detectSource(path.toStdString());
  for (const experiment::Recipe& recipe : experiment::recipes()) {
    if (!recipe.needsData) continue;
    const auto document = experiment::parseJson(recipe.text, recipe.name);
    if (!document) continue;
    const experiment::Dataset wanted = experiment::parse(*document).experiment.dataset;
    // Any file has lines; those that are sentences are offered.
    if (wanted.isText() != (found && found->isText())) continue;
    if (workspace::requireDataOf(wanted, path.toStdString()))
      names << QString::fromStdString(recipe.name);
  }
  return names;
}

}  // namespace parapet::ui
