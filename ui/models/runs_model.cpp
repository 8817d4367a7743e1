// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "engine/experiment/verdict_text.h"
#include "engine/workspace/run_differences.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"
#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

using experiment::RunState;

QString devicesOf(const std::string& experimentJson) {
  const auto document = nlohmann::json::parse(experimentJson, nullptr, false);
  const nlohmann::json::json_pointer devices("/mesh/devices");
  QStringList names;
  if (document.is_object() && document.contains(devices) && document.at(devices).is_array())
    for (const auto& name : document.at(devices))
      if (name.is_string()) names << QString::fromStdString(name.get<std::string>());
  return names.join(QLatin1String(", "));
}

void takeEpochs(RunRow& row, const std::vector<experiment::EpochSummary>& epochs,
                const std::string& best) {
  row.lastLoss = row.bestValLoss = row.headline = NAN;
  row.bestEpoch = 0;
  std::vector<std::string> keys;
  for (const experiment::EpochSummary& epoch : epochs)
    for (const auto& [key, value] : epoch.metrics)
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  row.headlineKey = experiment::judgingKey(keys, best);
  for (const experiment::EpochSummary& epoch : epochs) {
    row.lastLoss = epoch.loss;
    for (const auto& [key, value] : epoch.metrics) {
      if (key == row.headlineKey) row.headline = value;
      // The comparison is false for the NaN that a row begins with.
      if (key != "val_loss" || !std::isfinite(value) || row.bestValLoss <= value) continue;
      row.bestValLoss = value;
      row.bestEpoch = epoch.epoch;
    }
  }
}

/// More settings than a reader of a list takes in; more documents than are read at once.
constexpr std::size_t kMaxShownSettings = 3, kMaxComparedRows = 1000;

bool sameNames(const std::vector<store::RunRecord>& records, const std::vector<RunRow>& known) {
  return std::ranges::equal(records, known, [](const store::RunRecord& now, const RunRow& before) {
    return now.id == before.record.id && now.name == before.differenceName;
  });
}

/// Places are numbered from 1, whatever gaps the queue has.
void numberQueue(std::vector<RunRow>& rows) {
  std::vector<RunRow*> waiting;
  for (RunRow& row : rows) {
    row.place = 0;
    if (row.record.isWaiting() && !row.record.trashed) waiting.push_back(&row);
  }
  std::ranges::sort(waiting, {}, [](const RunRow* row) { return row->record.queued; });
  for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i]->place = static_cast<int>(i) + 1;
}

QString withError(const QString& sentence, const store::RunRecord& run) {
  return run.error.empty() ? sentence : QObject::tr("%1 %2").arg(sentence, shownText(run.error));
}

using RunColumn = RowsColumn<RunRow>;

QVariant known(double value) {
  return std::isnan(value) ? QVariant() : QVariant(value);
}

QString epochsText(const store::RunRecord& run) {
  return run.totalEpochs > 0
             ? QStringLiteral("%1 / %2").arg(countText(run.epochs), countText(run.totalEpochs))
             : countText(run.epochs);
}

bool sameText(const RunRow& a, const RunRow& b) {
  const store::RunRecord &x = a.record, &y = b.record;
  const auto same = [](double left, double right) {
    return left == right || (std::isnan(left) && std::isnan(right));
  };
  return x.name == y.name && x.state == y.state && x.notes == y.notes && x.error == y.error &&
         x.epochs == y.epochs && x.steps == y.steps && x.trashed == y.trashed &&
         x.seconds == y.seconds && x.totalEpochs == y.totalEpochs && x.recipe == y.recipe &&
         x.createdMs == y.createdMs && a.place == b.place && x.queued == y.queued &&
         x.owner.pid == y.owner.pid && a.devices == b.devices && a.difference == b.difference &&
         same(a.lastLoss, b.lastLoss) && same(a.bestValLoss, b.bestValLoss) &&
         same(a.headline, b.headline) && a.headlineKey == b.headlineKey;
}

QString textFrom(const std::string& text) {
  return QString::fromStdString(text);
}

RunColumn textColumn(const QString& title, const char* fileKey,
                     std::function<QString(const RunRow&)> text) {
  return {.title = title,
          .fileKey = fileKey,
          .text = [text = std::move(text)](const RunRow& of, int) { return text(of); }};
}

/// `value` is invalid where it is not known.
RunColumn numberColumn(const QString& title, const char* fileKey,
                       std::function<QString(const RunRow&)> text,
                       std::function<QVariant(const RunRow&)> value) {
  RunColumn column = textColumn(title, fileKey, std::move(text));
  column.alignment = Qt::AlignRight;
  column.value = [value = std::move(value)](const RunRow& of, int) { return value(of); };
  return column;
}

QString headlineText(const RunRow& row) {
  if (std::isnan(row.headline)) return numberText(NAN);
  return QStringLiteral("%1  %2").arg(textFrom(row.headlineKey.substr(4)),
                                      numberText(row.headline));
}

std::vector<RunColumn> runColumns() {
  std::vector<RunColumn> columns{
      textColumn(RunsModel::tr("Name"), "name",
                 [](const RunRow& of) { return textFrom(of.record.name); }),
      textColumn(RunsModel::tr("Differs in"), "difference",
                 [](const RunRow& of) { return of.difference; }),
      textColumn(RunsModel::tr("State"), "state", stateOf),
      textColumn(RunsModel::tr("Data"), "data",
                 [](const RunRow& of) { return textFrom(workspace::dataNameOf(of.record)); }),
      textColumn(RunsModel::tr("Model / loss"), "model",
                 [](const RunRow& of) { return textFrom(workspace::modelNameOf(of.record)); }),
      textColumn(RunsModel::tr("Created"), "created_ms",
                 [](const RunRow& of) { return timeText(of.record.createdMs); }),
      numberColumn(
          RunsModel::tr("Epochs"), "epochs", [](const RunRow& of) { return epochsText(of.record); },
          [](const RunRow& of) { return qlonglong(of.record.epochs); }),
      numberColumn(
          RunsModel::tr("Steps"), "steps",
          [](const RunRow& of) { return countText(of.record.steps); },
          [](const RunRow& of) { return qlonglong(of.record.steps); }),
      numberColumn(
          RunsModel::tr("Best val_loss"), "best_val_loss",
          [](const RunRow& of) { return numberText(of.bestValLoss); },
          [](const RunRow& of) { return known(of.bestValLoss); }),
      numberColumn(
          RunsModel::tr("Last loss"), "last_loss",
          [](const RunRow& of) { return numberText(of.lastLoss); },
          [](const RunRow& of) { return known(of.lastLoss); }),
      numberColumn(RunsModel::tr("Metric"), "headline", headlineText,
                   [](const RunRow& of) { return known(of.headline); }),
      numberColumn(
          RunsModel::tr("Seconds"), "seconds",
          [](const RunRow& of) {
            return of.record.seconds > 0.0 ? fixedText(of.record.seconds, 1) : numberText(NAN);
          },
          [](const RunRow& of) {
            return of.record.seconds > 0.0 ? QVariant(of.record.seconds) : QVariant();
          }),
      textColumn(RunsModel::tr("Devices"), "devices", [](const RunRow& of) { return of.devices; }),
      textColumn(RunsModel::tr("Recipe"), "recipe",
                 [](const RunRow& of) { return textFrom(of.record.recipe); }),
      textColumn(RunsModel::tr("Id"), "id",
                 [](const RunRow& of) { return textFrom(of.record.id.substr(0, 6)); }),
      textColumn(RunsModel::tr("Notes"), "notes",
                 [](const RunRow& of) { return textFrom(of.record.notes); })};
  for (RunColumn& column : columns) column.toolTip = column.text;
  columns[RunsModel::kDifference].tip =
      RunsModel::tr("In what the run differs from the others of its name");
  columns[RunsModel::kDifference].value = [](const RunRow& of, int) {
    return of.difference.isEmpty() ? QVariant() : of.difference;
  };
  columns[RunsModel::kCreated].value = [](const RunRow& of, int) {
    return QVariant(qlonglong(of.record.createdMs));
  };
  columns[RunsModel::kId].value = [](const RunRow& of, int) { return textFrom(of.record.id); };
  columns[RunsModel::kId].toolTip = [](const RunRow& of, int) { return textFrom(of.record.id); };
  columns[RunsModel::kName].toolTip = [](const RunRow& of, int) {
    return RunsModel::tr("Run %1. F2 or a double click renames it.").arg(textFrom(of.record.id));
  };
  columns[RunsModel::kState].toolTip = [](const RunRow& of, int) {
    return adviceFor(of.record).why;
  };
  columns[RunsModel::kBestValLoss].toolTip = [](const RunRow& of, int) {
    return of.bestEpoch > 0 ? RunsModel::tr("In epoch %1").arg(of.bestEpoch)
                            : numberText(of.bestValLoss);
  };
  return columns;
}

}  // namespace

Result<std::vector<RunRow>> readRunRows(const store::RunStore& store,
                                        const std::vector<RunRow>& known) {
  PARAPET_ASSIGN(auto records, store.runs({.trashed = store::RunFilter::Trashed::kInclude}));
  std::vector<std::vector<workspace::RunSetting>> differences;
  if (!sameNames(records, known)) {
    PARAPET_ASSIGN(differences, workspace::runDifferences(store, records, kMaxComparedRows));
  }
  std::unordered_map<std::string, const RunRow*> before;
  for (const RunRow& row : known) before.emplace(row.record.id, &row);
  std::vector<RunRow> rows;
  rows.reserve(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    store::RunRecord& record = records[i];
    const auto found = before.find(record.id);
    RunRow row;
    if (found != before.end()) row = *found->second;
    const bool sameEpochs = found != before.end() && row.record.epochs == record.epochs &&
                            row.record.createdMs == record.createdMs &&
                            row.record.endedMs == record.endedMs;
    if (found == before.end()) {
      const auto whole = store.find(record.id);
      if (!whole) {
        if (whole.error().code == ErrorCode::kNotFound) continue;
        return whole.error();
      }
      row.devices = devicesOf(whole->experimentJson);
    }
    if (!sameEpochs) {
      PARAPET_ASSIGN(const auto epochs, store.epochs(record.id));
      takeEpochs(row, epochs, record.bestMetric);
    }
    if (!differences.empty())
      row.difference =
          QString::fromStdString(workspace::differenceText(differences[i], kMaxShownSettings));
    row.differenceName = record.name;
    row.record = std::move(record);
    rows.push_back(std::move(row));
  }
  numberQueue(rows);
  return rows;
}

QString stateOf(const RunRow& row) {
  const QString state = stateText(row.record.state);
  return row.place == 0 ? state : QObject::tr("%1, %2.").arg(state).arg(row.place);
}

RunAdvice adviceFor(const store::RunRecord& run) {
  using Next = RunAdvice::Next;
  const QString resume = QObject::tr("Resume");
  switch (run.state) {
    case RunState::kQueued:
      if (run.isWaiting())
        return {QObject::tr("Waits in the queue since %1; starts when no run of the workspace is "
                            "under way and the queue is not on hold.")
                    .arg(timeText(run.createdMs)),
                Next::kCancel, QObject::tr("Take out of the queue")};
      [[fallthrough]];
    case RunState::kRunning:
    case RunState::kPaused:
      return {QObject::tr("%1 since %2.").arg(stateText(run.state), timeText(run.createdMs)),
              Next::kWatch, QObject::tr("Show in Train")};
    case RunState::kFinished:
      return {QObject::tr("Finished after %1.").arg(durationText(run.seconds)), Next::kBrowse,
              QObject::tr("Browse its recommendations")};
    case RunState::kStopped:
      if (run.steps == 0)
        return {QObject::tr("Stopped before its first step."), Next::kResume, resume};
      return {
          QObject::tr("Stopped by hand after epoch %1 of %2.").arg(run.epochs).arg(run.totalEpochs),
          Next::kResume, resume};
    case RunState::kCrashed:
      return {withError(QObject::tr("Its process ended without reporting; last heartbeat %1.")
                            .arg(timeText(run.heartbeatMs)),
                        run),
              Next::kResume, resume};
    case RunState::kFailed:
      return {withError(QObject::tr("Failed."), run), Next::kClone,
              QObject::tr("Change the experiment")};
    case RunState::kDiverged:
      return {withError(QObject::tr("Diverged."), run), Next::kClone,
              QObject::tr("Change the experiment")};
    case RunState::kDiskFull:
      return {withError(QObject::tr("The disk was full. Make room, then resume."), run),
              Next::kResume, resume};
    case RunState::kDeviceLost:
      return {withError(QObject::tr("A device was lost."), run), Next::kResume, resume};
  }
  throw InvalidArgument("[models.adviceFor] not a state of a run");
}

bool isResumable(RunState state) {
  return experiment::isTerminal(state) && state != RunState::kFinished;
}

RunsModel::RunsModel(QObject* parent) : RowsModel(parent) {
  setColumns(runColumns());
}

QVariant RunsModel::more(const RunRow& row, int /*column*/, int role) const {
  switch (role) {
    case kRunIdRole:
      return textFrom(row.record.id);
    case kTrashedRole:
      return row.record.trashed;
    case kStateRole:
      return static_cast<int>(row.record.state);
    case kPlaceRole:
      return row.place;
    default:
      return {};
  }
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (index.column() == kName || index.column() == kNotes) flags |= Qt::ItemIsEditable;
  return flags;
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  store::RunRecord& run = recordAt(index.row()).record;
  const QString entered = value.toString().trimmed();
  if (index.column() == kName) {
    // A run without a name could not be told from another in a list.
    if (entered.isEmpty()) return false;
    run.name = entered.toStdString();
    emit dataChanged(index, index);
    emit renamed(QString::fromStdString(run.id), entered);
    return true;
  }
  if (index.column() != kNotes) return false;
  run.notes = entered.toStdString();
  emit dataChanged(index, index);
  emit notesChanged(QString::fromStdString(run.id), entered);
  return true;
}

void RunsModel::setRows(std::vector<RunRow> next) {
  std::unordered_map<std::string, std::size_t> indices;
  for (std::size_t i = 0; i < next.size(); ++i) indices.emplace(next[i].record.id, i);
  for (int row = rowCount() - 1; row >= 0; --row)
    if (!indices.contains(recordAt(row).record.id)) removeRowsAt(row, 1);
  // Runs keep their order, that of their creation, so one pass merges the two. A run of the queue is
  // created anew when it starts: it moves, and what is chosen stays chosen.
  std::unordered_set<std::string> known;
  for (const RunRow& row : rows()) known.insert(row.record.id);
  int at = 0;
  for (RunRow& row : next) {
    const bool isThere = at < rowCount() && recordAt(at).record.id == row.record.id;
    if (!isThere && known.contains(row.record.id)) takeRowTo(at, row.record.id);
    if (!known.contains(row.record.id))
      insertRowAt(at, std::move(row));
    else if (sameText(recordAt(at), row))
      recordAt(at) = std::move(row);
    else
      changeRow(at, std::move(row));
    ++at;
  }
  removeRowsAt(at, rowCount() - at);
}

void RunsModel::takeRowTo(int at, const std::string& id) {
  int from = at + 1;
  while (recordAt(from).record.id != id) ++from;
  beginMoveRows({}, from, from, {}, at);
  std::rotate(&recordAt(at), &recordAt(from), &recordAt(from) + 1);
  endMoveRows();
}

const RunRow* RunsModel::find(const QString& runId) const {
  const std::string id = runId.toStdString();
  const auto found =
      std::ranges::find_if(rows(), [&](const RunRow& row) { return row.record.id == id; });
  return found == rows().end() ? nullptr : &*found;
}

RunsFilter::RunsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(RunsModel::kSortRole);
  setSortCaseSensitivity(Qt::CaseInsensitive);
  setSortLocaleAware(true);
}

void RunsFilter::setText(const QString& text) {
  emit aboutToFilter();
  words_ = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
  emit filtered();
}

void RunsFilter::setTrash(bool shown) {
  if (trash_ == shown) return;
  trash_ = shown;
  invalidateFilter();
}

bool RunsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex first = sourceModel()->index(row, 0, parent);
  if (first.data(RunsModel::kTrashedRole).toBool() != trash_) return false;
  QStringList fields{first.data(RunsModel::kRunIdRole).toString()};
  for (const int column :
       {RunsModel::kName, RunsModel::kDifference, RunsModel::kState, RunsModel::kData,
        RunsModel::kModel, RunsModel::kRecipe, RunsModel::kDevices, RunsModel::kNotes})
    fields << first.siblingAtColumn(column).data().toString();
  return std::ranges::all_of(words_, [&](const QString& word) {
    return std::ranges::any_of(
        fields, [&](const QString& field) { return field.contains(word, Qt::CaseInsensitive); });
  });
}

bool RunsFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  // A waiting run is newer than one that has begun, and the first of the queue is the newest.
  const int place = left.data(RunsModel::kPlaceRole).toInt(),
            other = right.data(RunsModel::kPlaceRole).toInt();
  if (left.column() == RunsModel::kCreated && (place > 0 || other > 0))
    return place > 0 && other > 0 ? place > other : other > 0;
  const QVariant a = left.data(sortRole()), b = right.data(sortRole());
  // Unknown values stand last, whichever way the column is sorted.
  if (a.isValid() != b.isValid())
    return sortOrder() == Qt::AscendingOrder ? a.isValid() : b.isValid();
  return QSortFilterProxyModel::lessThan(left, right);
}

}  // namespace parapet::ui
