// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/document_rows_model.h"

namespace parapet::ui {

/// What each tower sees of a row: /features.
class FeaturesModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  enum Column { kName, kColumn, kTable, kTower };
  explicit FeaturesModel(ExperimentEditor& editor, QObject* parent = nullptr);

 protected:
  [[nodiscard]] nlohmann::json newEntry() const override;
  [[nodiscard]] QString entryName() const override;
};

}  // namespace parapet::ui
