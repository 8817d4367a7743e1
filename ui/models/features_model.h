// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/experiment/model_shape.h"
#include "engine/experiment/time_use.h"
#include "ui/models/document_rows_model.h"

namespace parapet::ui {

/// The features that each part of the model sees of a row, with the shapes that follow: /features.
class FeaturesModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  enum Column {
    kName,
    kColumn,
    kTable,
    kTower,
    kHistory,  ///< what the user had before, in place of the column of the example
    kMaxLength,
    kKeep,
    kWeighted,
    kSequence,
    kTransform,
    kInput,   ///< the shape that was given, else the one that follows
    kOutput,  ///< the same
    kIds,
    kTruncated,
    kUnknown,
  };
  explicit FeaturesModel(ExperimentEditor& editor, QObject* parent = nullptr);
  /// Id statistics of the run that is under way; features without an entry show none.
  void setCounts(std::vector<experiment::FeatureUse> counts);

  /// A column that no feature reads each, the history of the user while there is none, and one for a
  /// feature to be filled in.
  [[nodiscard]] QStringList additions() const override;
  [[nodiscard]] QString purposeOf(int addition) const override;
  /// A feature of a column comes with its table and what keeps the towers as wide as each other.
  int addRow(int addition = -1) override;
  /// Columns that no feature reads.
  [[nodiscard]] QStringList freeColumns() const;

  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
  [[nodiscard]] QStringList mimeTypes() const override;
  /// The number of a feature, for a table to be dropped on.
  [[nodiscard]] QMimeData* mimeData(const QModelIndexList& indexes) const override;
  [[nodiscard]] Qt::DropActions supportedDragActions() const override { return Qt::LinkAction; }

 protected:
  [[nodiscard]] nlohmann::json newEntry(int addition) const override;
  [[nodiscard]] QString entryName() const override;
  [[nodiscard]] QVariant computed(int row, int column, int role) const override;
  [[nodiscard]] QString shownCell(int row, int column,
                                  const nlohmann::ordered_json& value) const override;
  void prepareAddition(int addition) override;

 private:
  [[nodiscard]] const experiment::Feature* featureOf(int row) const;
  /// Whether a history can be added, and is the addition of this number.
  [[nodiscard]] bool offersHistory() const;
  [[nodiscard]] bool isHistory(int addition) const;
  [[nodiscard]] QString shownHistory(const nlohmann::ordered_json& value) const;
  [[nodiscard]] QString inputShape(int row) const;
  [[nodiscard]] QString outputShape(int row) const;

  std::vector<experiment::FeatureUse> counts_;
};

/// The feature looks up this table from now on; one undo step.
void shareTable(ExperimentEditor& editor, int feature, const QString& table);
/// The type of a feature that is dragged to a table.
inline constexpr const char* kFeatureMime = "application/x-parapet-feature";

/// Rows of a global batch; 0 if the document does not say, or says it wrongly.
std::int64_t batchRowsOf(const experiment::Experiment& experiment);
/// "[256, 32]"; sizes below 1 are written as "?".
QString shapeText(std::initializer_list<std::int64_t> sizes);
/// "[64, 32]" of examples, "[64, ≤ 20, 32]" of positions, at most `longest` an example; 0: examples.
QString valueShapeText(std::int64_t rows, std::int64_t longest, std::int64_t width);
/// `longest` of a value of the shape.
std::int64_t longestOf(const experiment::ModelShape& shape, experiment::ShapeIndex value);
/// The longest sequence that a layer gives; the rows of masked layers are the masked positions of a
/// sequence.
std::int64_t longestOf(const experiment::Experiment& experiment,
                       const experiment::ModelShape& shape, const experiment::ShapeLayer& layer);

}  // namespace parapet::ui
