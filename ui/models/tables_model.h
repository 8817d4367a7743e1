// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/workspace/workspace.h"
#include "ui/models/document_rows_model.h"

namespace parapet::ui {

/// The embedding tables with what they need in memory: /tables.
class TablesModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  enum Column {
    kName,
    kVocabulary,
    kDim,
    kRows,
    kBytes,
    kInitializer,
    kOptimizer,
    kCombiner,
    kPlacement,
    kTrainable
  };
  explicit TablesModel(ExperimentEditor& editor, QObject* parent = nullptr);
  /// What preflight says of tables, by name; rows −1 are told as "after import".
  void setEstimates(std::vector<workspace::TableEstimate> estimates);

 protected:
  [[nodiscard]] nlohmann::json newEntry() const override;
  [[nodiscard]] QString entryName() const override;
  [[nodiscard]] QVariant computed(int row, int column, int role) const override;

 private:
  std::vector<workspace::TableEstimate> estimates_;
};

}  // namespace parapet::ui
