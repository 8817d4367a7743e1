// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/tables_section.h"

#include <algorithm>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "ui/models/features_model.h"

namespace parapet::ui {

QString memoryText(const workspace::Preflight& preflight) {
  if (preflight.ranks.empty())
    return TablesSection::tr("Sizes are known once the problems are fixed.");
  const auto bytes = [](std::uint64_t count) { return QString::fromStdString(formatBytes(count)); };
  const bool unknown =
      std::ranges::any_of(preflight.tables, [](const auto& table) { return table.rows < 0; });
  QString text = TablesSection::tr("Parameters with optimizer state %1, step buffers %2, total %3")
                     .arg(bytes(preflight.parameterBytes), bytes(preflight.activationBytes),
                          bytes(preflight.totalBytes));
  if (const std::uint64_t memory = physicalMemoryBytes(); memory > 0)
    text += TablesSection::tr(" of %1 memory").arg(bytes(memory));
  return unknown ? text + TablesSection::tr(", and tables whose rows are known after the import")
                 : text;
}

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
