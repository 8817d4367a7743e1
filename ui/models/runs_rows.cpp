// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_rows.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "engine/experiment/metric_key.h"
#include "engine/workspace/run_differences.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

using experiment::RunState;

QString translated(const char* text) {
  return QCoreApplication::translate("parapet::ui::RunAdvice", text);
}

QString devicesOf(const std::string& experimentJson) {
  const auto document = nlohmann::json::parse(experimentJson, nullptr, false);
  const nlohmann::json::json_pointer devices("/mesh/devices");
  QStringList names;
  if (document.is_object() && document.contains(devices) && document.at(devices).is_array())
    for (const auto& name : document.at(devices))
      if (name.is_string()) names << QString::fromStdString(name.get<std::string>());
  return names.join(QLatin1String(", "));
}

void takeEpochs(RunRow& row, const std::vector<experiment::EpochSummary>& epochs) {
  row.lastLoss = row.bestValLoss = row.headline = NAN;
  row.bestEpoch = 0;
  std::vector<std::string> keys;
  for (const experiment::EpochSummary& epoch : epochs)
    for (const auto& [key, value] : epoch.metrics)
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  row.headlineKey = experiment::headlineKey(keys);
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

QString withError(const QString& sentence, const store::RunRecord& run) {
  return run.error.empty() ? sentence : translated("%1 %2").arg(sentence, shownText(run.error));
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
      takeEpochs(row, epochs);
    }
    if (!differences.empty())
      row.difference =
          QString::fromStdString(workspace::differenceText(differences[i], kMaxShownSettings));
    row.differenceName = record.name;
    row.record = std::move(record);
    rows.push_back(std::move(row));
  }
  return rows;
}

RunAdvice adviceFor(const store::RunRecord& run) {
  using Next = RunAdvice::Next;
  const QString resume = translated("Resume");
  switch (run.state) {
    case RunState::kQueued:
    case RunState::kRunning:
    case RunState::kPaused:
      return {translated("%1 since %2.").arg(stateText(run.state), timeText(run.createdMs)),
              Next::kWatch, translated("Show in Train")};
    case RunState::kFinished:
      return {translated("Finished after %1.").arg(durationText(run.seconds)), Next::kBrowse,
              translated("Browse its recommendations")};
    case RunState::kStopped:
      return {
          translated("Stopped by hand after epoch %1 of %2.").arg(run.epochs).arg(run.totalEpochs),
          Next::kResume, resume};
    case RunState::kCrashed:
      return {withError(translated("Its process ended without reporting; last heartbeat %1.")
                            .arg(timeText(run.heartbeatMs)),
                        run),
              Next::kResume, resume};
    case RunState::kFailed:
      return {withError(translated("Failed."), run), Next::kClone,
              translated("Change the experiment")};
    case RunState::kDiverged:
      return {withError(translated("Diverged."), run), Next::kClone,
              translated("Change the experiment")};
    case RunState::kDiskFull:
      return {withError(translated("The disk was full. Make room, then resume."), run),
              Next::kResume, resume};
    case RunState::kDeviceLost:
      return {withError(translated("A device was lost."), run), Next::kResume, resume};
  }
  throw InvalidArgument("[models.adviceFor] not a state of a run");
}

bool isResumable(RunState state) {
  return experiment::isTerminal(state) && state != RunState::kFinished;
}

}  // namespace parapet::ui
