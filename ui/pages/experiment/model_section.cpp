// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/model_section.h"

#include "ui/models/document_edits.h"
#include "ui/models/layers_model.h"

namespace parapet::ui {

QString optimizerExplanation(const nlohmann::ordered_json& optimizer) {
  if (!optimizer.is_object()) return {};
  const auto is = [&optimizer](const char* key, const nlohmann::ordered_json& value) {
    return optimizer.contains(key) && optimizer[key] == value;
  };
  QStringList sentences;
  if (is("kind", "adagrad") || is("kind", "rowwise_adagrad"))
    sentences << (is("epsilon_inside_root", true)
                      ? ModelSection::tr("Step = rate · gradient / √(accumulator + ε), as Keras.")
                      : ModelSection::tr(
                            "Step = rate · gradient / (√accumulator + ε), as PyTorch."));
  if (is("kind", "rowwise_adagrad"))
    sentences << ModelSection::tr("One accumulator a row: the mean of its squared gradients.");
  if (is("kind", "adam") || is("kind", "adamw"))
    sentences << (is("epsilon_mode", "corrected")
                      ? ModelSection::tr(
                            "ε is added to the root of the corrected second moment, as "
                            "the paper and PyTorch do.")
                      : ModelSection::tr("ε is added to the root of the uncorrected second moment, "
                                         "as Keras does."));
  if (is("kind", "sgd"))
    sentences << (is("momentum", 0) ? ModelSection::tr("Step = rate · gradient.")
                                    : ModelSection::tr("Step = rate · gradient + momentum."));
  if (is("kind", "ftrl"))
    sentences << ModelSection::tr("Rows without a gradient stay where they are.");
  const bool moves = is("kind", "adam") || is("kind", "adamw") ||
                     (is("kind", "sgd") && !is("momentum", 0)) ||
                     (optimizer.contains("weight_decay") && !is("weight_decay", 0));
  if (moves && !is("kind", "ftrl"))
    sentences << (is("sparse_update", "lazy")
                      ? ModelSection::tr("Lazy: only the rows of the batch move.")
                      : ModelSection::tr("Dense: rows that a batch did not touch move, too."));
  return sentences.join(' ');
}

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
