// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <QStringList>
#include <vector>

#include "ui/models/rows_model.h"
#include "ui/models/runs_rows.h"

namespace parapet::ui {

/// All runs of a workspace, newest first. Names and notes can be edited: the model shows the new
/// text at once and asks its owner to store it.
class RunsModel : public RowsModel<RunRow> {
  Q_OBJECT

 public:
  enum Column {
    kName,
    kDifference,  ///< from the other runs of its name
    kState,
    kData,
    kModel,  ///< and loss
    kCreated,
    kEpochs,
    kSteps,
    kBestValLoss,
    kLastLoss,
    kHeadline,
    kSeconds,
    kDevices,
    kRecipe,
    kId,
    kNotes,
    kColumnCount,
  };
  enum Role {
    kSortRole = Qt::EditRole,  ///< numbers as numbers; unknown ones are invalid
    kRunIdRole = Qt::UserRole + 1,
    kTrashedRole,
    kStateRole,  ///< RunState as int
  };
  explicit RunsModel(QObject* parent = nullptr);

  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

  /// The runs as they are now. Rows that stay remain selected: they are inserted,
  /// removed and changed one by one, never reset.
  void setRows(std::vector<RunRow> rows);
  /// Null if there is no such run.
  [[nodiscard]] const RunRow* find(const QString& runId) const;

 signals:
  void renamed(const QString& runId, const QString& name);
  void notesChanged(const QString& runId, const QString& notes);

 protected:
  [[nodiscard]] QVariant more(const RunRow& row, int column, int role) const override;
};

/// Runs whose name, state, data, model, recipe, notes, devices or id hold every word of a text; either the trash
/// or the rest.
class RunsFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit RunsFilter(QObject* parent = nullptr);
  void setText(const QString& text);
  void setTrash(bool shown);
  [[nodiscard]] bool trash() const { return trash_; }

 protected:
  [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  QStringList words_;
  bool trash_ = false;
};

}  // namespace parapet::ui
