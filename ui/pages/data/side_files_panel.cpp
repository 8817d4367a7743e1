// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/side_files_panel.h"

#include <QFileInfo>

#include "ui/forms/choose_file.h"
#include "ui/models/document_text.h"
#include "ui/pages/data/catalogue_offers.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

SideFilesPanel::SideFilesPanel(ExperimentEditor& editor, SideFiles& files, QWidget* parent)
    : QWidget(parent), editor_(editor), files_(files), refusal_(new FindingsLabel(this)) {
  auto* layout = verticalBox(this, 16);
  layout->addWidget(new CatalogueOffers(files, this));
  layout->addWidget(refusal_);
  const auto columnsOf = [&files](const QString& path, const nlohmann::json& format) {
    return files.columnsOf(path, format);
  };
  auto* catalogues = new CataloguesModel(editor);
  catalogues->setColumnsOf(columnsOf);
  catalogues_ = new DocumentTable(
      catalogues, tr("Catalogues"),
      tr("None: lists show ids. Add a file with an entry per item, or per user: titles stand in "
         "every list, attributes are columns that features can read."));
  catalogues_->setObjectName(QStringLiteral("catalogues"));
  catalogues_->setHelp(QStringLiteral("docs/data.md#titles-attributes-and-cold-items"));
  catalogues_->setAdd(
      [this] {
        ask(tr("Choose a file of titles or attributes"), tableFilter(), &SideFiles::addCatalogue);
      },
      tr("Add…"), tr("Chooses a text or Parquet file with an entry per item, or per user"));
  layout->addWidget(catalogues_);
  auto* vectors = new VectorsModel(editor);
  vectors->setColumnsOf(columnsOf);
  vectors_ = new DocumentTable(vectors, tr("Pretrained embeddings"),
                               tr("None: tables begin at random. Add a file of vectors by id; a "
                                  "table whose initializer names it begins with them."));
  vectors_->setObjectName(QStringLiteral("vectors"));
  vectors_->setHelp(QStringLiteral("docs/data.md#titles-attributes-and-cold-items"));
  vectors_->setAdd(
      [this] { ask(tr("Choose a file of vectors"), vectorFilter(), &SideFiles::addVectors); },
      tr("Add…"), tr("Chooses a Parquet, NumPy or text file with a vector per id"));
  layout->addWidget(vectors_);
  connect(&files, &SideFiles::refused, this, [this](const Error& error) { showRefusal(&error); });
  connect(&files, &SideFiles::added, this, [this](const QString& pointer) {
    showRefusal(nullptr);
    if (isVisible() && !catalogues_->reveal(pointer)) vectors_->reveal(pointer);
  });
  connect(&editor, &ExperimentEditor::loaded, this, [this] { showRefusal(nullptr); });
}

void SideFilesPanel::ask(const QString& title, const QString& filter,
                         void (SideFiles::*add)(const QString&)) {
  const QString path = shownValue(editor_.value(QStringLiteral("/dataset/path")));
  const QFileInfo info(path);
  chooseFile(this,
             {.title = title,
              .filter = filter,
              .folder = path.isEmpty() ? QString()
                        : info.isDir() ? info.absoluteFilePath()
                                       : info.absolutePath()},
             &files_, [this, add](const QString& file) { (files_.*add)(file); });
}

void SideFilesPanel::showRefusal(const Error* error) {
  experiment::Findings findings;
  if (error != nullptr) findings.problems.push_back({error->pointer, error->text(), {}});
  refusal_->setFindings(findings);
}

}  // namespace parapet::ui
