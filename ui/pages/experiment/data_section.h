// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/data/import_panel.h"
#include "ui/pages/experiment/section.h"

namespace parapet::ui {

/// Source, vocabularies, split and batches; checks the data when asked.
class DataSection : public Section {
  Q_OBJECT

 public:
  DataSection(workspace::Workspace& workspace, ExperimentEditor& editor, QWidget* parent = nullptr);
  [[nodiscard]] ImportPanel& importPanel() const { return *import_; }

 private:
  void addSource();
  void addSplitAndBatch();
  void browse();
  void chooseBatchBy(bool perDevice);

  ImportPanel* import_;
};

}  // namespace parapet::ui
