// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/tables/warm_start_form.h"

#include <QFormLayout>
#include <QStandardItemModel>
#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/renamed_keys.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

// More would make the list slow to open; a run that is named already stays in it.
constexpr std::int64_t kListedRuns = 300;
constexpr int kShownId = 6;
constexpr int kShownCharacters = 40;

QString textOf(const store::RunRecord& run) {
  return QStringLiteral("%1 · %2 · %3")
      .arg(shownText(run.name.empty() ? run.recipe : run.name), timeText(run.createdMs),
           QString::fromStdString(run.id).left(kShownId));
}

/// Chooses the item with `data`, which is added as `text` where it is not there.
void chooseItem(QComboBox& box, const QVariant& data, const QString& text) {
  if (box.findData(data) < 0) box.addItem(text, data);
  box.setCurrentIndex(box.findData(data));
}

}  // namespace

QWidget* WarmStartDelegate::makeForm(const DocumentRowsModel& model, const QModelIndex& index,
                                     QWidget* parent) const {
  return new WarmStartForm(workspace_, model.editor(), model.cellPointer(index), parent);
}

WarmStartForm::WarmStartForm(workspace::Workspace& workspace, ExperimentEditor& editor,
                             QString pointer, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      editor_(editor),
      pointer_(std::move(pointer)),
      note_(new QLabel(this)) {
  setObjectName(QStringLiteral("warmStartForm"));
  auto* form = new QFormLayout(this);
  runs_ = addChoice(tr("Rows of run"),
                    tr("The run whose rows the table begins with; None: the initializer alone"));
  tables_ = addChoice(tr("Table"), tr("The table of that run; it has the same width"));
  steps_ = addChoice(tr("Checkpoint"), tr("The step whose rows are taken; Newest: the last one"));
  note_->setText(tr(
      "Rows are matched by raw id. Ids that the run did not know begin as the initializer says."));
  note_->setWordWrap(true);
  note_->setForegroundRole(QPalette::PlaceholderText);
  form->addRow(note_);
  setFocusProxy(runs_);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &WarmStartForm::follow);
  follow();
  readRuns();
}

QComboBox* WarmStartForm::addChoice(const QString& label, const QString& toolTip) {
  auto* box = new QComboBox(this);
  box->setAccessibleName(label);
  box->setToolTip(toolTip);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(kShownCharacters);
  qobject_cast<QFormLayout*>(layout())->addRow(label, box);
  connect(box, &QComboBox::activated, this, &WarmStartForm::choose);
  return box;
}

const experiment::Table* WarmStartForm::table() const {
  const auto& tables = editor_.experiment().tables;
  const int index = pointer_.section('/', 2, 2).toInt();
  return index < std::ssize(tables) ? &tables[static_cast<std::size_t>(index)] : nullptr;
}

std::optional<experiment::WarmStart> WarmStartForm::warmStart() const {
  const experiment::Table* of = table();
  return of != nullptr ? of->warmStart : std::nullopt;
}

void WarmStartForm::readRuns() {
  listing_.start([&store = workspace_.store()](
                     const WorkContext&) { return store.runs({.limit = kListedRuns}); },
                 [this](const Result<std::vector<store::RunRecord>>& runs) {
                   if (runs) return showRuns(*runs);
                   note_->setText(shownText(runs.error().text()));
                 });
}

void WarmStartForm::showRuns(const std::vector<store::RunRecord>& runs) {
  runs_->clear();
  runs_->addItem(tr("None"), QString());
  for (const store::RunRecord& run : runs)
    if (run.steps > 0) runs_->addItem(textOf(run), QString::fromStdString(run.id));
  follow();
}

/// The document is another one, or another choice was made.
void WarmStartForm::follow() {
  const auto chosen = warmStart();
  const QString run = chosen ? QString::fromStdString(chosen->run) : QString();
  // A prefix of an id names the run, too.
  int row = run.isEmpty() ? runs_->findData(run) : -1;
  for (int i = 0; i < runs_->count() && row < 0; ++i)
    if (!run.isEmpty() && runs_->itemData(i).toString().startsWith(run)) row = i;
  if (row >= 0)
    runs_->setCurrentIndex(row);
  else
    chooseItem(*runs_, run, run.isEmpty() ? tr("None") : tr("run %1").arg(run.left(kShownId)));
  tables_->setEnabled(chosen.has_value());
  steps_->setEnabled(chosen.has_value());
  if (offered_ != run) return readOffer();
  if (!chosen || table() == nullptr) return;
  const QString name = QString::fromStdString(chosen->table.value_or(table()->name));
  chooseItem(*tables_, name, name);
  const QVariant step = chosen->step ? QVariant(qlonglong(*chosen->step)) : QVariant(qlonglong(-1));
  chooseItem(*steps_, step, tr("Step %1").arg(step.toLongLong()));
}

void WarmStartForm::readOffer() {
  const auto chosen = warmStart();
  offered_ = chosen ? QString::fromStdString(chosen->run) : QString();
  showOffer({});
  if (!chosen) return reading_.cancel();
  reading_.start(
      [&store = workspace_.store(), run = chosen->run](const WorkContext&) -> Result<Offer> {
        PARAPET_ASSIGN(const store::RunRecord record, store.find(run));
        PARAPET_ASSIGN(const auto document, experiment::parseStoredJson(record.experimentJson));
        PARAPET_ASSIGN(const auto checkpoints, store.checkpoints(record.id));
        Offer offer{experiment::parse(document).experiment.tables, {}};
        for (const store::CheckpointRecord& checkpoint : checkpoints)
          offer.steps.push_back(checkpoint.step);
        std::ranges::sort(offer.steps);
        return offer;
      },
      [this](const Result<Offer>& offer) {
        if (offer) return showOffer(*offer);
        note_->setText(shownText(offer.error().text()));
      });
}

void WarmStartForm::showOffer(const Offer& offer) {
  tables_->clear();
  auto* items = qobject_cast<QStandardItemModel*>(tables_->model());
  for (const experiment::Table& each : offer.tables) {
    const QString name = shownText(each.name);
    const bool fits = table() != nullptr && each.embeddingDim == table()->embeddingDim;
    tables_->addItem(fits ? name : tr("%1 · %2 wide").arg(name).arg(each.embeddingDim),
                     QString::fromStdString(each.name));
    items->item(tables_->count() - 1)->setEnabled(fits);
  }
  steps_->clear();
  steps_->addItem(tr("Newest"), qlonglong(-1));
  for (auto step = offer.steps.rbegin(); step != offer.steps.rend(); ++step)
    steps_->addItem(tr("Step %1").arg(QString::fromStdString(formatCount(*step))),
                    qlonglong(*step));
  follow();
}

void WarmStartForm::choose() {
  const QString run = runs_->currentData().toString();
  nlohmann::json value;
  if (!run.isEmpty()) {
    const bool isSame = run.startsWith(offered_) && !offered_.isEmpty();
    const QString from = tables_->currentData().toString();
    const qlonglong step = steps_->currentData().toLongLong();
    const bool isOwnName = table() != nullptr && from.toStdString() == table()->name;
    value = {{"run", run.toStdString()}, {"table", nullptr}, {"step", nullptr}};
    // Another run has other tables and checkpoints.
    if (isSame && !from.isEmpty() && !isOwnName) value["table"] = from.toStdString();
    if (isSame && step >= 0) value["step"] = step;
  }
  editor_.setValue(pointer_, value, tr("Change the warm start"));
}

}  // namespace parapet::ui
