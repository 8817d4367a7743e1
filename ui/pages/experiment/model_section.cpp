// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/model_section.h"

#include "ui/models/document_edits.h"
#include "ui/models/layers_model.h"
#include "ui/models/optimizer_text.h"

namespace parapet::ui {

ModelSection::ModelSection(ExperimentEditor& editor, QWidget* parent)
    : Section(editor, tr("Model"), {"/model", "/loss", "/optimizer", "/schedule"}, parent) {
  Form* model = addForm();
  model->addHeading(tr("Model"));
  model->addField("/model/kind", tr("Kind"));
  model->addField("/model/score", tr("Score"));
  model->addFindings("/model");
  addLayers(tr("Query tower"), "/model/query");
  addLayers(tr("Candidate tower"), "/model/candidate");
  addLayers(tr("Layers"), "/model/layers");
  addPageLink(tr("Open the page Model"), QStringLiteral("model"));
  addSettings(tr("Loss"), "/loss");
  addOptimizer();
}

void ModelSection::addLayers(const QString& title, const QString& pointer) {
  DocumentTable* table =
      addTable(new LayersModel(editor(), pointer, this), title,
               tr("No layer: the concatenated features are the output. Add one."));
  const auto follow = [this, table, pointer] {
    table->setVisible(parapet::ui::find(editor().document(), pointer) != nullptr);
  };
  connect(&editor(), &ExperimentEditor::documentChanged, table, follow);
  follow();
}

void ModelSection::addOptimizer() {
  addSettings(tr("Optimizer"), "/optimizer");
  QLabel* explanation = addForm()->addNote({});
  const auto follow = [this, explanation] {
    explanation->setText(optimizerExplanation(editor().value("/optimizer")));
  };
  connect(&editor(), &ExperimentEditor::documentChanged, explanation, follow);
  follow();
  addSettings(tr("Schedule"), "/schedule");
}

}  // namespace parapet::ui
