// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>

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

/// The layers of a part of the model, input first: /model/query, /model/candidate, /model/layers,
/// /model/masked_layers or those of a head.
class LayersModel : public DocumentRowsModel {
  Q_OBJECT

 public:
  enum Column { kKind, kSettings, kOutput, kName, kInputs, kParameters };
  LayersModel(ExperimentEditor& editor, QString arrayPointer, QObject* parent = nullptr);

  /// The kinds of layers.
  [[nodiscard]] QStringList additions() const override;
  [[nodiscard]] QString purposeOf(int addition) const override;
  [[nodiscard]] bool ordered() const override { return true; }

 protected:
  [[nodiscard]] nlohmann::json newEntry(int addition) const override;
  [[nodiscard]] QString entryName() const override;
  [[nodiscard]] QVariant computed(int row, int column, int role) const override;
  [[nodiscard]] QString shownCell(int row, int column,
                                  const nlohmann::ordered_json& value) const override;
  void prepare() override;

 private:
  struct Facts {
    std::int64_t width = 0, longest = 0, parameters = 0;
  };
  QHash<QString, Facts> facts_;  ///< by pointer; none of a layer that cannot be worked out
  std::int64_t batchRows_ = 0;
};

/// "64 units, relu", "rate 0.5": the settings that tell a layer from others of its kind.
QString layerSummary(const nlohmann::ordered_json& layer);

/// The document with a model of another kind: layers of the query tower become those of the one
/// network and the other way round, and a loss that compares two towers becomes mse where there are
/// none, so that it can run at once if it could before. A masked language model gets an encoder and
/// its loss.
nlohmann::json withModelKind(const ExperimentEditor& editor, experiment::ModelKind kind);

}  // namespace parapet::ui
