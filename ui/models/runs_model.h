// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <QString>
#include <QStringList>
#include <limits>
#include <optional>
#include <vector>

#include "engine/base/result.h"
#include "engine/store/run_store.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// A run as the table of runs shows it. Numbers that are not known are NaN.
struct RunRow {
  store::RunRecord record;
  double lastLoss = std::numeric_limits<double>::quiet_NaN();
  double bestValLoss = std::numeric_limits<double>::quiet_NaN();  ///< the smallest of all epochs
  std::int64_t bestEpoch = 0;  ///< of bestValLoss; 0 if there is none
  std::string headlineKey;     ///< the metric it is judged by besides its loss, "val_recall@10"
  double headline = std::numeric_limits<double>::quiet_NaN();  ///< its last value
  QString devices;                                             ///< as the document names them
  int place = 0;               ///< in the queue, from 1; 0 if it does not wait
  QString difference;          ///< from the other runs of its name, see workspace::differenceText()
  std::string differenceName;  ///< the name that `difference` was found for
};

/// All runs, the trash included. Metrics and devices of runs that are as they were in `known` are
/// taken from there, and so are differences while the same runs have the same names: reading again
/// costs one query.
///
/// Errors   of the store. A run that somebody deletes meanwhile is left out.
/// Thread   any.
Result<std::vector<RunRow>> readRunRows(const store::RunStore& store,
                                        const std::vector<RunRow>& known);

/// Advice on a run: what a person can do, and why the run ended as it did.
struct RunAdvice {
  enum class Next {
    kBrowse,  ///< ask the model
    kResume,  ///< go on from the newest checkpoint
    kClone,   ///< change the experiment and train again
    kWatch,   ///< look at it while it trains
    kCancel,  ///< take it out of the queue
  };
  QString why;
  Next next = Next::kBrowse;
  QString nextText;  ///< of a button, "Resume"
};
RunAdvice adviceFor(const store::RunRecord& run);
/// "Queued, 2." of a run that waits; else the state alone.
QString stateOf(const RunRow& row);

/// Whether a run in this state can go on, from a checkpoint or from the beginning: it ended before
/// its last epoch.
bool isResumable(experiment::RunState state);

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
    kPlaceRole,  ///< in the queue, from 1; 0 if it does not wait
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

 private:
  /// Moves the row of a run up to `at`.
  void takeRowTo(int at, const std::string& id);
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

 signals:
  /// Around what a text hides and shows, so that a selection outlives it.
  void aboutToFilter();
  void filtered();

 protected:
  [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  QStringList words_;
  bool trash_ = false;
};

}  // namespace parapet::ui
