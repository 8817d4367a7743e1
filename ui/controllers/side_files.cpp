// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/side_files.h"

#include <QFileInfo>

#include "engine/experiment/experiment.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/document_edits.h"

namespace parapet::ui {
namespace {

/// The settings on which the offers of files beside the data depend.
std::string offersKey(const nlohmann::ordered_json& dataset) {
  std::string key;
  if (dataset.is_object())
    for (const char* name : {"source", "path", "format", "columns", "catalogues", "vectors"})
      key += dataset.value(name, nlohmann::ordered_json()).dump() + '\n';
  return key;
}

}  // namespace

SideFiles::SideFiles(ExperimentEditor& editor, SourceWatch& watch, QObject* parent)
    : QObject(parent), editor_(editor), watch_(watch) {
  connect(&watch, &SourceWatch::previewChanged, this, &SideFiles::look);
  connect(&editor, &ExperimentEditor::documentChanged, this, &SideFiles::look);
}

void SideFiles::look() {
  const std::string key = offersKey(editor_.value(QStringLiteral("/dataset")));
  if (watch_.state() != SourceWatch::State::kReady || key == looked_) return;
  looked_ = key;
  columns_.clear();
  finder_.start(
      [spec = dataset(), preview = watch_.preview()](
          const WorkContext& context) -> Result<std::vector<workspace::CatalogueProposal>> {
        return workspace::proposeCatalogues(spec, preview, context);
      },
      [this](Result<std::vector<workspace::CatalogueProposal>> found) {
        offers_ = found ? std::move(found).value() : std::vector<workspace::CatalogueProposal>();
        emit offersChanged();
      });
}

void SideFiles::accept(int offer) {
  if (offer < 0 || offer >= static_cast<int>(offers_.size())) return;
  const experiment::Catalogue catalogue = offers_[static_cast<std::size_t>(offer)].catalogue;
  offers_.erase(offers_.begin() + offer);
  emit offersChanged();
  addCatalogue(catalogue);
}

void SideFiles::addCatalogue(const experiment::Catalogue& catalogue) {
  experiment::Dataset changed = dataset();
  changed.catalogues.push_back(catalogue);
  addLast("catalogues", changed, catalogue.path);
}

void SideFiles::addCatalogue(const QString& file) {
  opener_.start(
      [spec = dataset(), preview = watch_.preview(),
       path = file.toStdString()](const WorkContext& context) {
        return workspace::proposeCatalogue(spec, preview, path, context);
      },
      [this](const Result<workspace::CatalogueProposal>& proposal) {
        if (!proposal) return emit refused(proposal.error());
        addCatalogue(proposal->catalogue);
      });
}

void SideFiles::addVectors(const QString& file) {
  opener_.start([spec = dataset(), path = file.toStdString()](
                    const WorkContext&) { return workspace::proposeVectors(spec, path); },
                [this](const Result<experiment::PretrainedEmbeddings>& vectors) {
                  if (!vectors) return emit refused(vectors.error());
                  experiment::Dataset changed = dataset();
                  changed.vectors.push_back(*vectors);
                  addLast("vectors", changed, vectors->path);
                });
}

void SideFiles::addLast(const char* list, const experiment::Dataset& dataset,
                        const std::string& file) {
  experiment::Experiment changed = editor_.experiment();
  changed.dataset = dataset;
  const nlohmann::ordered_json entries = experiment::toJson(changed)["dataset"][list];
  const QString array = QStringLiteral("/dataset/%1").arg(QLatin1String(list));
  const int last = static_cast<int>(entries.size()) - 1;
  editor_.insertElement(array, last, nlohmann::json(entries.back()),
                        tr("Add %1").arg(QFileInfo(QString::fromStdString(file)).fileName()));
  emit added(elementPointer(array, last));
}

QStringList SideFiles::columnsOf(const QString& path, const nlohmann::json& format) {
  const std::string key = path.toStdString() + '\n' + format.dump();
  if (const auto known = columns_.find(key); known != columns_.end()) return known->second;
  // The head of a file is read in a moment; who opens a list of columns waits for it.
  QStringList names;
  std::optional<experiment::TextFormat> text;
  for (const experiment::Catalogue& catalogue : dataset().catalogues)
    if (catalogue.path == path.toStdString() && !format.is_null()) text = catalogue.format;
  if (const auto columns = workspace::sideFileColumns(dataset(), path.toStdString(), text))
    for (const workspace::SourceColumn& column : *columns) names << shownText(column.name);
  columns_[key] = names;
  return names;
}

}  // namespace parapet::ui
