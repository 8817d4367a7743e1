// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <QVector>
#include <vector>

#include "ui/models/recipe_summary.h"
#include "ui/models/workspace_experiments.h"

namespace parapet::ui {

/// The experiments of the workspace, edited last first; behind them, if wanted, the recipes that new
/// ones are made from. A name can be edited: the model asks for the change, and says why not.
class ExperimentsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    kName,
    kEdited,  ///< when; of a recipe, what it trains
    kRuns,
    kColumnCount,
  };
  enum class Kind {
    kExperiment,
    kRecipe,
  };
  enum class Content {
    kExperiments,
    kExperimentsAndRecipes,
  };
  enum Role {
    kIdRole = Qt::UserRole + 1,  ///< of the experiment; the name of a recipe
    kKindRole,                   ///< Kind as int
    kSearchRole,                 ///< what a search looks at
  };
  ExperimentsModel(WorkspaceExperiments& experiments, Content content, QObject* parent = nullptr);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

 signals:
  /// Why a name was not taken.
  void refused(const QString& reason);

 private:
  void follow();
  [[nodiscard]] QVariant ofExperiment(const store::ExperimentRecord& record, int column,
                                      int role) const;
  [[nodiscard]] static QVariant ofRecipe(const RecipeSummary& recipe, int column, int role);

  WorkspaceExperiments& experiments_;
  std::vector<store::ExperimentRecord> rows_;
  QVector<RecipeSummary> recipes_;
};

/// Rows that hold every word of a search.
class ExperimentsFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void setText(const QString& text);

 protected:
  [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList words_;
};

}  // namespace parapet::ui
