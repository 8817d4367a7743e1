// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/experiment/time_use.h"
#include "engine/workspace/workspace.h"
#include "ui/models/document_rows_model.h"

namespace parapet::ui {

/// The embedding tables with what they need in memory and who reads them: /tables.
class TablesModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  enum Column {
    kName,
    kVocabulary,
    kRows,
    kDim,
    kWeights,  ///< bytes
    kState,    ///< bytes of the optimizer
    kReaders,
    kInitializer,
    kWarmStart,
    kOptimizer,
    kCombiner,
    kPlacement,
    kAxes,
    kDevice,
    kCacheRows,
    kCacheHits,
    kTrainable,
  };
  explicit TablesModel(ExperimentEditor& editor, QObject* parent = nullptr);
  /// Table estimates of preflight, by name; rows −1 are shown as "after import".
  void setEstimates(std::vector<workspace::TableEstimate> estimates);
  /// Sets the hits of the devices' caches in the steps of a run, by table; empty: there was none.
  void setCaches(std::vector<experiment::CacheUse> caches);
  /// "2 tables · 702 rows · weights 43.88 KiB · optimizer state 43.88 KiB", as far as it is known.
  [[nodiscard]] QString totals() const;
  /// Tables whose rows are unknown before the import.
  [[nodiscard]] int unknownTables() const;

  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
  [[nodiscard]] QStringList mimeTypes() const override;
  [[nodiscard]] Qt::DropActions supportedDropActions() const override { return Qt::LinkAction; }
  [[nodiscard]] bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row,
                                     int column, const QModelIndex& parent) const override;
  /// A feature that is dropped on a table looks it up from now on.
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

 protected:
  [[nodiscard]] nlohmann::json newEntry(int addition) const override;
  [[nodiscard]] QString entryName() const override;
  [[nodiscard]] QVariant computed(int row, int column, int role) const override;
  [[nodiscard]] QString shownCell(int row, int column,
                                  const nlohmann::ordered_json& value) const override;

 private:
  [[nodiscard]] QString warmStartText(int row, const nlohmann::ordered_json& value) const;
  [[nodiscard]] const workspace::TableEstimate* estimateOf(int row) const;
  [[nodiscard]] QString readersOf(int row) const;
  [[nodiscard]] QVariant cacheHits(int row, bool exact) const;

  std::vector<workspace::TableEstimate> estimates_;
  std::vector<experiment::CacheUse> caches_;
};

}  // namespace parapet::ui
