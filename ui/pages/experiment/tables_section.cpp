// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/tables_section.h"

#include "ui/models/features_model.h"
#include "ui/models/memory_text.h"

namespace parapet::ui {

TablesSection::TablesSection(ExperimentEditor& editor, QWidget* parent)
    : Section(editor, tr("Tables && features"), {"/tables", "/features"}, parent),
      model_(new TablesModel(editor, this)) {
  tables_ = addTable(model_, tr("Embedding tables"),
                     tr("No table yet. Add one: each maps the ids of a vocabulary to vectors."));
  total_ = new QLabel(widget());
  total_->setWordWrap(true);
  total_->setAccessibleName(tr("Memory of the run"));
  addWidget(total_);
  features_ = addTable(new FeaturesModel(editor, this), tr("Features"),
                       tr("No feature yet. Each tower needs at least one."));
  addForm()->addFindings("/features");
  addPageLink(tr("Open the page Tables"), QStringLiteral("tables"));
}

void TablesSection::setPreflight(const workspace::Preflight& preflight) {
  model_->setEstimates(preflight.tables);
  total_->setText(memoryText(preflight));
}

}  // namespace parapet::ui
