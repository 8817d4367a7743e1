// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/document_rows_model.h"

namespace parapet::ui {

/// The columns of the data set: a row per column of the document.
class ColumnsModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  explicit ColumnsModel(ExperimentEditor& editor, QObject* parent = nullptr);

 protected:
  [[nodiscard]] nlohmann::json newEntry(int addition) const override;
  [[nodiscard]] QString entryName() const override;
};

/// Columns that are computed from those of the source.
class DerivedModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  explicit DerivedModel(ExperimentEditor& editor, QObject* parent = nullptr);

 protected:
  [[nodiscard]] nlohmann::json newEntry(int addition) const override;
  [[nodiscard]] QString entryName() const override;
};

}  // namespace parapet::ui
