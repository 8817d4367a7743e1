// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <vector>

#include "ui/models/runs_rows.h"

namespace parapet::ui {

/// All runs of a workspace, newest first. Names and notes can be edited: the model shows the new
/// text at once and asks its owner to store it.
class RunsModel : public QAbstractTableModel {
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
    kSortRole = Qt::UserRole + 1,  ///< numbers as numbers; unknown ones are invalid
    kRunIdRole,
    kTrashedRole,
    kStateRole,  ///< RunState as int
  };
  using QAbstractTableModel::QAbstractTableModel;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

  /// The runs as they are now. Rows that stay remain selected: they are inserted,
  /// removed and changed one by one, never reset.
  void setRows(std::vector<RunRow> rows);
  [[nodiscard]] const std::vector<RunRow>& rows() const { return rows_; }
  /// Null if there is no such run.
  [[nodiscard]] const RunRow* find(const QString& runId) const;

 signals:
  void renamed(const QString& runId, const QString& name);
  void notesChanged(const QString& runId, const QString& notes);

 private:
  [[nodiscard]] QVariant text(const RunRow& row, int column) const;
  [[nodiscard]] static QVariant sortKey(const RunRow& row, int column);

  std::vector<RunRow> rows_;
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
