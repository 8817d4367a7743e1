// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/document_rows_model.h"

namespace parapet::ui {

/// Further outputs of the model with losses of their own: /model/heads.
class HeadsModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  enum Column { kName, kInputs, kLayers, kLoss, kLabel };
  explicit HeadsModel(ExperimentEditor& editor, QObject* parent = nullptr);

 protected:
  [[nodiscard]] nlohmann::json newEntry(int addition) const override;
  [[nodiscard]] QString entryName() const override;
  [[nodiscard]] QVariant computed(int row, int column, int role) const override;
};

}  // namespace parapet::ui
