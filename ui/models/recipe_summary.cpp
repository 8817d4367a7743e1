// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/recipe_summary.h"

#include <QFileInfo>
#include <QObject>
#include <algorithm>
#include <map>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/workspace/downloads.h"
#include "engine/workspace/source_questions.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {
namespace {

QString count(std::int64_t number) {
  return QString::fromStdString(formatCount(number));
}

QString kindText(experiment::ModelKind kind) {
  switch (kind) {
    case experiment::ModelKind::kRetrieval:
      return QObject::tr("Two towers");
    case experiment::ModelKind::kRanking:
      return QObject::tr("Ranking");
    case experiment::ModelKind::kMaskedLm:
      return QObject::tr("Masked language model");
  }
  return {};
}

QString pictureOf(experiment::ModelKind kind) {
  switch (kind) {
    case experiment::ModelKind::kRetrieval:
      return QStringLiteral("model-towers");
    case experiment::ModelKind::kRanking:
      return QStringLiteral("model-ranking");
    case experiment::ModelKind::kMaskedLm:
      return QStringLiteral("model-text");
  }
  return {};
}

QString modelText(const experiment::Experiment& experiment) {
  std::int64_t widest = 0;
  for (const experiment::Table& table : experiment.tables)
    widest = std::max(widest, table.embeddingDim);
  return QObject::tr("%1 · %2 dimensions · %3 · %4 epochs")
      .arg(kindText(experiment.model.kind))
      .arg(widest)
      .arg(QString::fromStdString(
          experiment::toJson(experiment)["optimizer"]["kind"].get<std::string>()))
      .arg(experiment.training.epochs);
}

const char* rowsOf(experiment::GeneratorKind kind) {
  switch (kind) {
    case experiment::GeneratorKind::kMovies:
      return QT_TRANSLATE_NOOP("QObject", "ratings");
    case experiment::GeneratorKind::kClicks:
      return QT_TRANSLATE_NOOP("QObject", "impressions");
    case experiment::GeneratorKind::kEvents:
      return QT_TRANSLATE_NOOP("QObject", "listening events");
  }
  return QT_TRANSLATE_NOOP("QObject", "rows");
}

/// "user, item, daytime and 6 more"
QString columnsText(const experiment::Dataset& dataset) {
  constexpr std::size_t kShown = 3;
  QStringList names;
  for (const experiment::Column& column : dataset.columns)
    if (static_cast<std::size_t>(names.size()) < kShown) names << shownText(column.originName());
  const auto more = static_cast<int>(dataset.columns.size()) - static_cast<int>(names.size());
  const QString list = names.join(QStringLiteral(", "));
  return more > 0 ? QObject::tr("%1 and %2 more").arg(list).arg(more) : list;
}

QString ownDataText(const experiment::Dataset& dataset) {
  if (dataset.source == experiment::SourceKind::kMovielens)
    return QObject::tr(
        "Needs MovieLens 100K: the folder ml-100k, free for research from grouplens.org");
  if (dataset.isText())
    return QObject::tr(
               "Needs texts: a file of lines or a folder such as wikitext-2, and a vocabulary of "
               "tokens (%1) beside them")
        .arg(dataset.text ? shownText(dataset.text->vocabulary) : QString());
  return (dataset.source == experiment::SourceKind::kParquet
              ? QObject::tr("Needs a Parquet file with the columns %1")
          : dataset.source == experiment::SourceKind::kJson
              ? QObject::tr("Needs a file of JSON lines with the keys %1")
              : QObject::tr("Needs a text file of rows with the columns %1"))
      .arg(columnsText(dataset));
}

/// How its data are asked for, and which of the known ones they could be.
void addData(RecipeSummary& summary, const experiment::Dataset& dataset) {
  using Chosen = RecipeSummary::Chosen;
  const QString all = QObject::tr("All files (*)");
  if (dataset.source == experiment::SourceKind::kMovielens) {
    summary.chosen = Chosen::kFolder;
    summary.folderTip =
        QObject::tr("The folder ml-100k (with u.data in it), or the folder above it");
  } else if (dataset.isText()) {
    summary.chosen = Chosen::kFileOrFolder;
    summary.folderTip =
        QObject::tr("A folder with wiki.{train,valid,test}.tokens or {train,valid,test}.txt");
    summary.fileTip = QObject::tr("A file of lines of text, or the zip archive of a corpus");
    summary.fileFilter = QObject::tr("Texts (*.txt *.tokens *.raw *.gz *.zst *.zip)") + ";;" + all;
  } else {
    using experiment::SourceKind;
    summary.chosen = Chosen::kFile;
    summary.fileTip = QObject::tr("A file with the columns %1").arg(columnsText(dataset));
    summary.fileFilter =
        (dataset.source == SourceKind::kParquet ? QObject::tr("Parquet (*.parquet)")
         : dataset.source == SourceKind::kJson
             ? QObject::tr("JSON lines (*.jsonl *.ndjson *.json *.gz *.zst *.zip)")
             : QObject::tr("Tables (*.csv *.tsv *.txt *.gz *.zst *.zip)")) +
        ";;" + all;
  }
  for (const workspace::KnownDataset& known : workspace::knownDatasets()) {
    if (known.source != dataset.source) continue;
    summary.download = shownText(known.title).section(QLatin1Char(':'), 0, 0);
    return;
  }
}

QString needsText(const experiment::Experiment& experiment, bool needsData) {
  if (needsData) return ownDataText(experiment.dataset);
  if (!experiment.dataset.generator) return QObject::tr("Needs no data");
  const auto& made = *experiment.dataset.generator;
  return QObject::tr("Needs no data: generates %1 %2 of %3 users and %4 items")
      .arg(count(made.events), QObject::tr(rowsOf(made.kind)), count(made.users),
           count(made.items));
}

QString referenceText(const experiment::Experiment& experiment) {
  if (!experiment.reference.curve) return {};
  const auto curve = experiment::findReferenceCurve(*experiment.reference.curve);
  if (!curve) return {};
  return QObject::tr("Published: %1").arg(shownText(curve->title));
}

}  // namespace

DataSources::DataSources(workspace::Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {}

void DataSources::refresh() {
  background_.start(
      [&store = workspace_.store()](const WorkContext&) -> Result<QVector<Entry>> {
        PARAPET_ASSIGN(const auto sources, store.dataSources(2 * kMaxSources));
        QVector<Entry> found;
        for (const store::DataSource& source : sources) {
          const QFileInfo info(QString::fromStdString(source.path));
          if (info.exists() && found.size() < kMaxSources)
            found.append({info.filePath(), info.fileName(), recipesFor(info.filePath())});
        }
        return found;
      },
      [this](Result<QVector<Entry>> found) {
        if (!found || *found == entries_) return;
        entries_ = std::move(found).value();
        emit changed();
      });
}

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
      summary.picture = pictureOf(experiment.model.kind);
      summary.needs = needsText(experiment, recipe.needsData);
      summary.reference = referenceText(experiment);
      if (recipe.needsData) addData(summary, experiment.dataset);
    }
    out.append(std::move(summary));
  }
  return out;
}

QStringList recipesFor(const QString& path) {
  constexpr const char* kNamed = "MovieLens 100K";
  QStringList names;
  std::map<std::string, bool> named;
  const auto found = workspace::detectSource(path.toStdString());
  for (const experiment::Recipe& recipe : experiment::recipes()) {
    if (!recipe.needsData) continue;
    const auto document = experiment::parseJson(recipe.text, recipe.name);
    if (!document) continue;
    const experiment::Dataset wanted = experiment::parse(*document).experiment.dataset;
    // Any file has lines; those that are sentences are offered.
    if (wanted.isText() != (found && found->isText())) continue;
    if (!workspace::requireDataOf(wanted, path.toStdString())) continue;
    // Recipes of one data set ask the same.
    const std::string of = recipe.title.find(kNamed) == std::string::npos ? "" : kNamed;
    const auto asked = named.find(of);
    const bool isNamed = asked != named.end()
                             ? asked->second
                             : workspace::requireNamedData(recipe, path.toStdString()).ok();
    named.emplace(of, isNamed);
    if (isNamed) names << QString::fromStdString(recipe.name);
  }
  return names;
}

}  // namespace parapet::ui
