// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/model_picker.h"

#include <QStandardItemModel>

#include "engine/base/text.h"
#include "engine/workspace/run_differences.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

using workspace::CheckpointChoice;
using workspace::WhichCheckpoint;

// More would make the drop-down slow and help nobody; the Runs page shows them all.
constexpr std::size_t kListedRuns = 300;
/// More than a reader of a list takes in.
constexpr std::size_t kMaxShownSettings = 3;

enum Role { kWhichRole = Qt::UserRole, kStepRole };

/// The runs of a workspace, newest first, and what tells those of one name apart.
struct ListedRuns {
  std::vector<store::RunRecord> records;
  std::map<std::string, QString> differences;
};

Result<ListedRuns> listRuns(const store::RunStore& store) {
  ListedRuns listed;
  PARAPET_ASSIGN(listed.records, store.runs());
  PARAPET_ASSIGN(const auto differences,
                 workspace::runDifferences(store, listed.records, kListedRuns));
  for (std::size_t i = 0; i < listed.records.size(); ++i)
    if (!differences[i].empty())
      listed.differences[listed.records[i].id] =
          QString::fromStdString(workspace::differenceText(differences[i], kMaxShownSettings));
  return listed;
}

}  // namespace

QString ModelPicker::runText(const store::RunRecord& run) const {
  QStringList parts{shownText(run.name.empty() ? run.recipe : run.name)};
  if (const auto found = differences_.find(run.id); found != differences_.end())
    parts << shownText(found->second);
  parts << timeText(run.createdMs) << QString::fromStdString(run.id.substr(0, 6));
  if (run.state != experiment::RunState::kFinished) parts << stateText(run.state);
  parts.removeAll(QString());
  return parts.join(QStringLiteral(" · "));
}

ModelPicker::ModelPicker(workspace::Workspace& workspace, const QString& name, const QString& none,
                         QWidget* parent)
    : QWidget(parent), workspace_(workspace), none_(none) {
  runs_ = new QComboBox(this);
  runs_->setAccessibleName(tr("%1: run").arg(name));
  const QString tip = tr("%1: the run whose model answers (newest first)").arg(name);
  runs_->setToolTip(tip);
  // A long name is cut in the box.
  connect(runs_, &QComboBox::currentTextChanged, this,
          [this, tip](const QString& run) { runs_->setToolTip(tip + QLatin1Char('\n') + run); });
  runs_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  runs_->setMinimumContentsLength(14);
  runs_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  checkpoints_ = new QComboBox(this);
  checkpoints_->setAccessibleName(tr("%1: checkpoint").arg(name));
  checkpoints_->setToolTip(tr("%1: the last checkpoint, the best, or one of a step").arg(name));
  checkpoints_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  checkpoints_->setMinimumContentsLength(9);
  auto* layout = horizontalBox(this, 8);
  layout->addWidget(runs_, 1);
  layout->addWidget(checkpoints_);
  showRuns({});
  connect(runs_, &QComboBox::activated, this, &ModelPicker::pickedRun);
  connect(checkpoints_, &QComboBox::activated, this, [this] {
    wanted_ = {static_cast<WhichCheckpoint>(checkpoints_->currentData(kWhichRole).toInt()),
               checkpoints_->currentData(kStepRole).toLongLong()};
    if (const auto picked = choice()) emit chosen(*picked);
  });
}

void ModelPicker::reload() {
  listing_.start(
      [workspace = &workspace_](const WorkContext&) { return listRuns(workspace->store()); },
      [this](Result<ListedRuns> runs) {
        if (!runs.ok()) return emit loadFailed(runs.error());
        const int count = static_cast<int>(runs->records.size());
        differences_ = std::move(runs->differences);
        showRuns(std::move(runs->records));
        loadCheckpoints();
        emit loaded(count);
      });
}

void ModelPicker::addRun(const QString& id, const QString& text) {
  runs_->addItem(text, id);
  runs_->setItemData(runs_->count() - 1, text, Qt::ToolTipRole);
}

void ModelPicker::showRuns(std::vector<store::RunRecord> runs) {
  const QString picked = runs_->currentData().toString();
  records_ = std::move(runs);
  runs_->clear();
  if (!none_.isEmpty()) addRun(QString(), none_);
  std::size_t listed = 0;
  for (const store::RunRecord& run : records_)
    if (onlyModels_.isEmpty() || run.model == onlyModels_.toStdString())
      if (listed++ < kListedRuns) addRun(QString::fromStdString(run.id), runText(run));
  if (!picked.isEmpty() && runs_->findData(picked) < 0)
    addRun(picked, tr("run %1").arg(picked.left(6)));
  greyRuns();
  runs_->setCurrentIndex(picked.isEmpty() ? (none_.isEmpty() ? -1 : 0) : runs_->findData(picked));
  if (runs_->currentIndex() < 0) runs_->setPlaceholderText(tr("Choose a run"));
  checkpoints_->setVisible(none_.isEmpty() || choice().has_value());
}

void ModelPicker::setOnlyData(const QString& dataset) {
  if (onlyData_ == dataset) return;
  onlyData_ = dataset;
  greyRuns();
}

void ModelPicker::setOnlyModels(const QString& kind) {
  if (onlyModels_ == kind) return;
  onlyModels_ = kind;
  showRuns(std::move(records_));
}

void ModelPicker::greyRuns() {
  auto* items = qobject_cast<QStandardItemModel*>(runs_->model());
  const std::string only = onlyData_.toStdString();
  for (int row = 0; row < runs_->count(); ++row) {
    const store::RunRecord* run = record(runs_->itemData(row).toString());
    if (!run) continue;
    const bool other = !only.empty() && !run->dataset.empty() && run->dataset != only;
    const QString text = runText(*run);
    runs_->setItemText(row, other ? tr("%1 · other data").arg(text) : text);
    runs_->setItemData(
        row,
        other ? tr("Trained on the data %1; the lists shown are of %2. Only lists of "
                   "the same data can be compared.")
                    .arg(QString::fromStdString(run->dataset.substr(0, 8)), onlyData_.left(8))
              : text,
        Qt::ToolTipRole);
    items->item(row)->setEnabled(!other);
  }
}

const store::RunRecord* ModelPicker::record(const QString& runId) const {
  const std::string id = runId.toStdString();
  const auto found = std::ranges::find(records_, id, &store::RunRecord::id);
  return found == records_.end() ? nullptr : &*found;
}

std::optional<ModelChoice> ModelPicker::choice() const {
  const QString run = runs_->currentData().toString();
  if (run.isEmpty()) return std::nullopt;
  return ModelChoice{run, wanted_};
}

void ModelPicker::setChoice(const ModelChoice& choice) {
  if (runs_->findData(choice.runId) < 0)
    addRun(choice.runId, tr("run %1").arg(choice.runId.left(6)));
  runs_->setCurrentIndex(runs_->findData(choice.runId));
  wanted_ = choice.checkpoint;
  checkpoints_->show();
  loadCheckpoints();
}

void ModelPicker::clearChoice() {
  runs_->setCurrentIndex(none_.isEmpty() ? -1 : 0);
  checkpoints_->setVisible(none_.isEmpty());
}

void ModelPicker::pickedRun() {
  wanted_ = {};
  checkpoints_->setVisible(none_.isEmpty() || choice().has_value());
  loadCheckpoints();
  if (const auto picked = choice())
    emit chosen(*picked);
  else
    emit cleared();
}

void ModelPicker::loadCheckpoints() {
  const auto picked = choice();
  if (!picked || picked->runId != listedRun_) showCheckpoints({});
  listedRun_ = picked ? picked->runId : QString();
  if (!picked) return reading_.cancel();
  reading_.start([workspace = &workspace_, run = picked->runId.toStdString()](
                     const WorkContext&) { return workspace->store().checkpoints(run); },
                 [this](Result<std::vector<store::CheckpointRecord>> checkpoints) {
                   if (checkpoints.ok()) showCheckpoints(*checkpoints);
                 });
}

void ModelPicker::showCheckpoints(const std::vector<store::CheckpointRecord>& checkpoints) {
  checkpoints_->clear();
  const auto add = [this](const QString& text, WhichCheckpoint which, std::int64_t step) {
    checkpoints_->addItem(text);
    const int row = checkpoints_->count() - 1;
    checkpoints_->setItemData(row, static_cast<int>(which), kWhichRole);
    checkpoints_->setItemData(row, static_cast<qlonglong>(step), kStepRole);
    if (wanted_.which == which && (which != WhichCheckpoint::kStep || wanted_.step == step))
      checkpoints_->setCurrentIndex(row);
  };
  add(tr("Last"), WhichCheckpoint::kLast, 0);
  bool hasBest = wanted_.which == WhichCheckpoint::kBest;
  for (const store::CheckpointRecord& record : checkpoints) hasBest = hasBest || record.best;
  if (hasBest) add(tr("Best"), WhichCheckpoint::kBest, 0);
  std::vector<std::int64_t> steps;
  for (const store::CheckpointRecord& record : checkpoints) steps.push_back(record.step);
  std::ranges::sort(steps);
  if (steps != steps_) {
    steps_ = std::move(steps);
    emit stepsChanged();
  }
  bool listed = false;
  for (auto record = checkpoints.rbegin(); record != checkpoints.rend(); ++record) {
    add(tr("Step %1").arg(QString::fromStdString(formatCount(record->step))),
        WhichCheckpoint::kStep, record->step);
    listed = listed || record->step == wanted_.step;
  }
  if (wanted_.which == WhichCheckpoint::kStep && !listed)
    add(tr("Step %1").arg(wanted_.step), WhichCheckpoint::kStep, wanted_.step);
}

QString ModelPicker::newestRun() const {
  const auto trained =
      std::ranges::find_if(records_, [](const auto& run) { return run.steps > 0; });
  return trained == records_.end() ? QString() : QString::fromStdString(trained->id);
}

QString ModelPicker::firstChoice() const {
  for (const store::RunRecord& run : records_)
    if (run.state == experiment::RunState::kFinished) return QString::fromStdString(run.id);
  for (const store::RunRecord& run : records_)
    if (run.steps > 0) return QString::fromStdString(run.id);
  return records_.empty() ? QString() : QString::fromStdString(records_.front().id);
}

QString ModelPicker::runName(const QString& runId) const {
  if (const store::RunRecord* run = record(runId))
    return QStringLiteral("%1 %2").arg(shownText(run->name.empty() ? run->recipe : run->name),
                                       runId.left(6));
  return tr("run %1").arg(runId.left(6));
}

}  // namespace parapet::ui
