// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/side_files_panel.h"

#include <QApplication>
#include <QFileInfo>
#include <QLabel>

#include "ui/bridge/shown_text.h"
#include "ui/forms/drop_area.h"
#include "ui/models/document_text.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

/// A folder of many tables would push the rows out of the window.
constexpr int kMaxOffers = 3;

}  // namespace

CatalogueOffers::CatalogueOffers(SideFiles& files, QWidget* parent)
    : QWidget(parent), files_(files), lines_(new QVBoxLayout(this)) {
  setObjectName(QStringLiteral("catalogueOffers"));
  lines_->setContentsMargins(0, 0, 0, 0);
  lines_->setSpacing(8);
  connect(&files, &SideFiles::offersChanged, this, &CatalogueOffers::follow);
  follow();
}

void CatalogueOffers::follow() {
  // The press of a button may be what takes it away, and the focus with it.
  if (parentWidget() != nullptr && isAncestorOf(QApplication::focusWidget()))
    parentWidget()->setFocus(Qt::OtherFocusReason);
  for (QWidget* line : shown_) {
    line->hide();
    line->deleteLater();
  }
  shown_.clear();
  buttons_.clear();
  const int count = std::min(kMaxOffers, static_cast<int>(files_.offers().size()));
  for (int offer = 0; offer < count; ++offer) addLine(offer);
  setVisible(count > 0);
}

void CatalogueOffers::addLine(int offer) {
  const workspace::CatalogueProposal& proposal = files_.offers()[static_cast<std::size_t>(offer)];
  const experiment::Catalogue& catalogue = proposal.catalogue;
  const bool ofItems = catalogue.of == "item";
  const QString file = shownText(catalogue.path);
  QString text;
  if (proposal.isOfRows)
    text = ofItems ? tr("%1 itself has titles of the items (%2).")
                   : tr("%1 itself has names of the users (%2).");
  else if (catalogue.title)
    text = ofItems ? tr("%1 is beside the data and has titles of the items (%2).")
                   : tr("%1 is beside the data and has names of the users (%2).");
  else
    text = ofItems ? tr("%1 is beside the data and has more about the items.")
                   : tr("%1 is beside the data and has more about the users.");
  text = catalogue.title ? text.arg(file, shownText(*catalogue.title)) : text.arg(file);
  auto* line = new QWidget(this);
  auto* layout = horizontalBox(line, 8);
  auto* label = new QLabel(text, line);
  label->setWordWrap(true);
  label->setToolTip(shownText(proposal.reason));
  auto* button = new QPushButton(
      catalogue.title ? (ofItems ? tr("Add titles") : tr("Add names")) : tr("Add attributes"),
      line);
  button->setObjectName(QStringLiteral("addCatalogue.%1").arg(file));
  button->setAccessibleName(tr("Add %1").arg(file));
  button->setToolTip(tr("Adds %1 as a catalogue: %2").arg(file, shownText(proposal.reason)));
  connect(button, &QPushButton::clicked, this, [this, offer] { files_.accept(offer); });
  layout->addWidget(button);
  layout->addWidget(label, 1);
  lines_->addWidget(line);
  shown_ << line;
  buttons_ << button;
}

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
