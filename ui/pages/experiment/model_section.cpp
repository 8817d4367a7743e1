// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/model_section.h"

#include "ui/models/document_text.h"
#include "ui/models/layers_model.h"

namespace parapet::ui {
namespace {

/// What the optimizer does with the settings as they are, in the user's words.
QString explanationOf(const nlohmann::ordered_json& optimizer) {
  if (!optimizer.is_object()) return {};
  const auto is = [&optimizer](const char* key, const nlohmann::ordered_json& value) {
    return optimizer.contains(key) && optimizer[key] == value;
  };
  if (is("kind", "adagrad"))
    return is("epsilon_inside_root", true)
               ? ModelSection::tr("Step = rate · gradient / √(accumulator + ε), as Keras does.")
               : ModelSection::tr("Step = rate · gradient / (√accumulator + ε), as PyTorch does.");
  const QString sparse =
      is("sparse_update", "lazy")
          ? ModelSection::tr("Lazy: only the rows of the batch move.")
          : ModelSection::tr("Dense: every row moves by its momentum at every step.");
  if (is("kind", "adam"))
    return (is("epsilon_mode", "corrected")
                ? ModelSection::tr("ε is added to the root of the corrected second moment, as the "
                                   "paper and PyTorch do. ")
                : ModelSection::tr("ε is added to the root of the uncorrected second moment, as "
                                   "Keras does. ")) +
           sparse;
  return is("momentum", 0) ? ModelSection::tr("Step = rate · gradient.")
                           : ModelSection::tr("Step = rate · gradient + momentum. ") + sparse;
}

}  // namespace

ModelSection::ModelSection(ExperimentEditor& editor, QWidget* parent)
    : Section(editor, tr("Model"), {"/model", "/loss", "/optimizer", "/schedule"}, parent) {
  Form* model = addForm();
  model->addHeading(tr("Model"));
  model->addField("/model/kind", tr("Kind"));
  model->addField("/model/score", tr("Score"));
  model->addFindings("/model");
  const QString empty = tr("No layer: the embeddings of the tower are its output.");
  addTable(new LayersModel(editor, "/model/query", this), tr("Query tower"), empty);
  addTable(new LayersModel(editor, "/model/candidate", this), tr("Candidate tower"), empty);
  Form* loss = addForm();
  loss->addHeading(tr("Loss"));
  loss->addField("/loss/kind", tr("Kind"));
  loss->addField("/loss/reduction", tr("Reduction"));
  addOptimizer();
}

void ModelSection::addOptimizer() {
  Form* form = addForm();
  form->addHeading(tr("Optimizer"));
  for (const QString& key : fieldKeys("/optimizer"))
    form->addField("/optimizer/" + key, labelOf(key));
  QLabel* explanation = form->addNote({});
  const auto follow = [this, explanation] {
    explanation->setText(explanationOf(editor().value("/optimizer")));
  };
  connect(&editor(), &ExperimentEditor::documentChanged, explanation, follow);
  follow();
  form->addField("/schedule/kind", tr("Schedule"));
  form->addFindings("/optimizer");
}

}  // namespace parapet::ui
