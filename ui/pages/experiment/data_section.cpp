// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/data_section.h"

#include <QComboBox>
#include <QFileDialog>
#include <QPushButton>
#include <QSignalBlocker>

#include "ui/models/document_text.h"
#include "ui/models/vocabularies_model.h"
#include "ui/pages/data/data_forms.h"

namespace parapet::ui {

DataSection::DataSection(workspace::Workspace& workspace, ExperimentEditor& editor, QWidget* parent)
    : Section(editor, tr("Data"), {"/dataset"}, parent) {
  addSource();
  import_ = new ImportPanel(workspace, editor, widget());
  addWidget(import_);
  addTable(new VocabulariesModel(editor, this), tr("Vocabularies"),
           tr("No vocabulary: raw ids have no rows. Add one for the columns user and item."));
  addSplitAndBatch();
}

void DataSection::addSource() {
  Form* form = addForm();
  form->addHeading(tr("Source"));
  Field* path = addSourceFields(*form);
  auto* browseButton = new QPushButton(tr("Browse…"), this);
  browseButton->setAccessibleName(tr("Browse for a MovieLens folder"));
  browseButton->setToolTip(tr("Choose the folder that holds u.data or ratings.csv."));
  connect(browseButton, &QPushButton::clicked, this, &DataSection::browse);
  path->addBeside(browseButton);
  addSourceSettings(*form);
  addLabelFields(*form);
  form->addFindings("/dataset");
}

void DataSection::addSplitAndBatch() {
  Form* form = addForm();
  form->addHeading(tr("Split"));
  addSplitFields(*form);
  form->addFindings("/dataset/split");
  form->addHeading(tr("Batches"));
  auto* by = new QComboBox(this);
  by->addItems({tr("over all devices"), tr("on each device")});
  by->setMaximumWidth(208);
  by->setAccessibleName(tr("Batch size counts"));
  by->setToolTip(
      tr("Whether the batch size counts the examples of all devices together or of each device."));
  form->addRow(tr("Batch size counts"), by);
  const auto follow = [this, by] {
    const QSignalBlocker quiet(by);
    by->setCurrentIndex(editor().value("/dataset/batch/per_device").is_null() ? 0 : 1);
  };
  connect(&editor(), &ExperimentEditor::documentChanged, by, follow);
  connect(by, &QComboBox::activated, this, [this](int index) { chooseBatchBy(index == 1); });
  follow();
  form->addField("/dataset/batch/size", tr("Global batch size"));
  form->addField("/dataset/batch/per_device", tr("Batch size per device"));
  form->addField("/dataset/batch/shuffle", tr("Order"));
  form->addField("/dataset/batch/drop_remainder", tr("Drop a short batch"));
  form->addField("/dataset/batch/cache", tr("Keep in memory"));
  form->addFindings("/dataset/batch");
}

void DataSection::browse() {
  const QString now = shownValue(editor().value("/dataset/path"));
  const QString folder =
      QFileDialog::getExistingDirectory(this, tr("Choose a MovieLens folder"), now);
  if (!folder.isEmpty())
    editor().setValue("/dataset/path", folder.toStdString(), tr("Choose the folder"));
}

void DataSection::chooseBatchBy(bool perDevice) {
  nlohmann::json batch = editor().value("/dataset/batch");
  if (!batch.is_object()) batch = nlohmann::json::object();
  const nlohmann::json rows = perDevice ? batch["size"] : batch["per_device"];
  if (rows.is_null()) return;
  batch["size"] = perDevice ? nlohmann::json() : rows;
  batch["per_device"] = perDevice ? rows : nlohmann::json();
  editor().setValue("/dataset/batch", batch, tr("Change what the batch size counts"));
}

}  // namespace parapet::ui
