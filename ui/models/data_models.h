// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

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

/// A list of files beside the data. Which columns a file has is asked for by its path and format.
class SideFilesModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  using ColumnsOf = std::function<QStringList(const QString& path, const nlohmann::json& format)>;
  using DocumentRowsModel::DocumentRowsModel;

  void setColumnsOf(ColumnsOf columnsOf) { columnsOf_ = std::move(columnsOf); }
  [[nodiscard]] QStringList choicesAt(const QModelIndex& index) const override;

 protected:
  [[nodiscard]] QString shownCell(int row, int column,
                                  const nlohmann::ordered_json& value) const override;

 private:
  ColumnsOf columnsOf_;
};

/// Files that tell of items and users: /dataset/catalogues.
class CataloguesModel : public SideFilesModel {
  Q_OBJECT

 public:
  enum Column { kPath, kOf, kId, kTitle, kColumns, kCold, kFormat };
  explicit CataloguesModel(ExperimentEditor& editor, QObject* parent = nullptr);

 protected:
  [[nodiscard]] nlohmann::json newEntry(int addition) const override;
  [[nodiscard]] QString entryName() const override;
};

/// Pretrained embeddings: /dataset/vectors.
class VectorsModel : public SideFilesModel {
  Q_OBJECT

 public:
  enum Column { kName, kPath, kOf, kId, kColumn, kIds };
  explicit VectorsModel(ExperimentEditor& editor, QObject* parent = nullptr);

 protected:
  [[nodiscard]] nlohmann::json newEntry(int addition) const override;
  [[nodiscard]] QString entryName() const override;
};

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
