// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/document_rows_model.h"

namespace parapet::ui {

/// The dense layers of a tower: /model/query or /model/candidate, input first.
class LayersModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  enum Column { kUnits, kActivation, kBias, kInitializer };
  LayersModel(ExperimentEditor& editor, QString arrayPointer, QObject* parent = nullptr);

 protected:
  [[nodiscard]] nlohmann::json newEntry() const override;
  [[nodiscard]] QString entryName() const override;
};

}  // namespace parapet::ui
