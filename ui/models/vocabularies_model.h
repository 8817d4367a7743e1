// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/document_rows_model.h"

namespace parapet::ui {

/// How raw ids become rows: /dataset/vocabularies.
class VocabulariesModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  enum Column { kName, kKind, kSize, kMinCount, kOov, kOovBuckets };
  explicit VocabulariesModel(ExperimentEditor& editor, QObject* parent = nullptr);

 protected:
  [[nodiscard]] nlohmann::json newEntry(int addition) const override;
  [[nodiscard]] QString entryName() const override;
};

}  // namespace parapet::ui
