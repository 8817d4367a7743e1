// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/training_section.h"

#include <QCheckBox>

namespace parapet::ui {

TrainingSection::TrainingSection(ExperimentEditor& editor, QWidget* parent)
    : Section(editor, tr("Training"), {"/training", "/evaluation", "/reference"}, parent) {
  Form* form = addForm();
  form->addHeading(tr("Schedule of the run"));
  form->addField("/training/epochs", tr("Epochs"));
  form->addField("/training/validate_every", tr("Validate every"));
  form->addNote(tr("Epochs between validations; 0: never."));
  form->addField("/training/seed", tr("Seed"));
  form->addField("/training/precision", tr("Precision"));
  form->addHeading(tr("Early stopping"));
  addEarlyStopping(*form);
  form->addField("/training/early_stopping/metric", tr("Metric"));
  form->addField("/training/early_stopping/patience", tr("Patience"));
  form->addField("/training/early_stopping/min_delta", tr("Min. change"));
  form->addHeading(tr("Checkpoints"));
  form->addField("/training/checkpoints/every", tr("Every"));
  form->addNote(tr("Epochs between checkpoints; empty: at the end and at the best."));
  form->addField("/training/checkpoints/keep", tr("Keep the last"));
  form->addField("/training/checkpoints/best", tr("Keep the best by"));
  form->addHeading(tr("Evaluation"));
  form->addField("/evaluation/k", tr("List lengths"));
  form->addField("/evaluation/exclude_seen", tr("Exclude seen"));
  form->addField("/evaluation/relevance_threshold", tr("Relevance threshold"));
  form->addHeading(tr("Reference"));
  form->addField("/reference/curve", tr("Published curve"));
}

void TrainingSection::addEarlyStopping(Form& form) {
  auto* box = new QCheckBox(widget());
  box->setAccessibleName(tr("Stop early"));
  box->setToolTip(tr("End the run when a metric stops improving."));
  form.addRow(tr("Stop early"), box);
  const auto follow = [this, box] {
    box->setChecked(!editor().value("/training/early_stopping").is_null());
  };
  connect(&editor(), &ExperimentEditor::documentChanged, box, follow);
  connect(box, &QCheckBox::clicked, this, [this](bool on) {
    editor().setValue("/training/early_stopping",
                      on ? nlohmann::json::object() : nlohmann::json(nullptr),
                      on ? tr("Stop early") : tr("Do not stop early"));
  });
  follow();
}

}  // namespace parapet::ui
