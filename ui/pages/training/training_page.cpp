// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/training/training_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMaxFormWidth = 720;

}  // namespace

TrainingPage::TrainingPage(const Workbench& bench, CommandOf command, QWidget* parent)
    : StepPage(parent),
      bench_(bench),
      command_(std::move(command)),
      scroll_(new QScrollArea(this)),
      form_(new Form(bench.editor)) {
  setObjectName(QStringLiteral("trainingPage"));
  addBatches();
  addCourse();
  addMeasures();
  auto* inside = new QWidget;
  auto* column = new QVBoxLayout(inside);
  column->setContentsMargins(16, 12, 16, 16);
  column->addWidget(form_);
  column->addStretch(1);
  form_->setMaximumWidth(kMaxFormWidth);
  scroll_->setWidget(inside);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setAccessibleName(tr("Settings of the training"));
  auto* layout = verticalBox(this);
  layout->addWidget(scroll_);
  connect(&bench_.editor, &ExperimentEditor::documentChanged, this, &TrainingPage::follow);
  connect(&bench_.editor, &ExperimentEditor::findingsChanged, this, &TrainingPage::follow);
  follow();
}

void TrainingPage::addBatches() {
  form_->addHeading(tr("Batches"), QStringLiteral("glossary/batch"));
  addBatchSizeCounts();
  form_->addField("/dataset/batch/size", tr("Global batch size"));
  form_->addField("/dataset/batch/per_device", tr("Batch size per device"));
  form_->addField("/dataset/batch/group_size", tr("Group size"));
  form_->addField("/dataset/batch/shuffle", tr("Shuffle"),
                  choiceOf({{"epoch", tr("Before each epoch")},
                            {"once", tr("Once")},
                            {"none", tr("Never: in the order of the data")}}));
  form_->addField("/dataset/batch/drop_remainder", tr("Drop a short batch"));
  form_->addField("/dataset/batch/window", tr("Rows shuffled together"));
  form_->addField("/dataset/batch/cache", tr("Keep in memory"));
  form_->addField("/dataset/batch/replay_batches", tr("Fixed batches after epoch 1"));
  form_->addFindings("/dataset/batch");
}

void TrainingPage::addBatchSizeCounts() {
  auto* by = new QComboBox(form_);
  by->addItems({tr("over all devices"), tr("on each device")});
  by->setMaximumWidth(208);
  by->setObjectName(QStringLiteral("batchSizeCounts"));
  by->setAccessibleName(tr("Batch size counts"));
  by->setToolTip(
      tr("Whether the batch size counts the examples of all devices together or of each device."));
  form_->addRow(tr("Batch size counts"), by);
  const auto follow = [this, by] {
    const QSignalBlocker quiet(by);
    by->setCurrentIndex(bench_.editor.value("/dataset/batch/per_device").is_null() ? 0 : 1);
  };
  connect(&bench_.editor, &ExperimentEditor::documentChanged, by, follow);
  connect(by, &QComboBox::activated, this, [this](int index) {
    chooseBatchSizeOf(index == 1 ? BatchSizeOf::kEachDevice : BatchSizeOf::kAllDevices);
  });
  follow();
}

void TrainingPage::addCourse() {
  form_->addHeading(tr("Epochs"), QStringLiteral("glossary/epoch"));
  form_->addField("/training/epochs", tr("Epochs"));
  form_->addField("/training/validate_every", tr("Validate every"));
  form_->addNote(tr("Epochs between validations; 0: never."));
  form_->addField("/training/seed", tr("Seed"));
  form_->addField("/training/precision", tr("Precision"));
  form_->addHeading(tr("Begin with another run"),
                    QStringLiteral("docs/experiment.md#beginning-with-another-run"));
  addFork();
  form_->addField("/training/fork/run", tr("Run"));
  form_->addField("/training/fork/step", tr("Step"));
  form_->addNote(
      tr("Of a run; an empty step is its newest. Epochs count from the first of that run."));
  form_->addFindings("/training/fork");
  form_->addHeading(tr("Early stopping"), QStringLiteral("glossary/epoch"));
  addEarlyStopping();
  form_->addField("/training/early_stopping/metric", tr("Metric"));
  form_->addField("/training/early_stopping/patience", tr("Patience"));
  form_->addField("/training/early_stopping/min_delta", tr("Min. change"));
  form_->addHeading(tr("Checkpoints"), QStringLiteral("glossary/checkpoint"));
  form_->addField("/training/checkpoints/every", tr("Every"));
  form_->addNote(tr("Epochs between checkpoints; empty: at the end and at the best."));
  form_->addField("/training/checkpoints/keep", tr("Keep the last"));
  form_->addField("/training/checkpoints/best", tr("Keep the best by"));
  form_->addHeading(tr("TensorBoard"), QStringLiteral("docs/experiment.md"));
  form_->addField("/training/tensorboard", tr("Folder"));
  form_->addNote(tr("Event files of the run, in a folder of its own there; empty: none."));
}

void TrainingPage::addEarlyStopping() {
  auto* box = new QCheckBox(form_);
  box->setAccessibleName(tr("Stop early"));
  box->setToolTip(tr("Ends the run when a metric stops improving"));
  form_->addRow(tr("Stop early"), box);
  const auto follow = [this, box] {
    box->setChecked(!bench_.editor.value("/training/early_stopping").is_null());
  };
  connect(&bench_.editor, &ExperimentEditor::documentChanged, box, follow);
  connect(box, &QCheckBox::clicked, this, [this](bool on) {
    bench_.editor.setValue("/training/early_stopping",
                           on ? nlohmann::json::object() : nlohmann::json(nullptr),
                           on ? tr("Stop early") : tr("Do not stop early"));
  });
  follow();
}

void TrainingPage::addFork() {
  auto* box = new QCheckBox(form_);
  box->setObjectName(QStringLiteral("fork"));
  box->setAccessibleName(tr("Begin with a checkpoint"));
  box->setToolTip(
      tr("The weights, optimizer slots and position in the data of a run; off: initial "
         "weights"));
  form_->addRow(tr("Begin with a checkpoint"), box);
  const auto follow = [this, box] {
    box->setChecked(!bench_.editor.value("/training/fork").is_null());
  };
  connect(&bench_.editor, &ExperimentEditor::documentChanged, box, follow);
  connect(box, &QCheckBox::clicked, this, [this](bool on) {
    bench_.editor.setValue("/training/fork",
                           on ? nlohmann::json{{"run", ""}} : nlohmann::json(nullptr),
                           on ? tr("Begin with a checkpoint") : tr("Begin with initial weights"));
  });
  follow();
}

void TrainingPage::addMeasures() {
  form_->addHeading(tr("Evaluation"), QStringLiteral("docs/experiment.md#evaluation"));
  form_->addField("/evaluation/k", tr("List lengths"));
  form_->addField("/evaluation/exclude_seen", tr("Exclude seen"));
  form_->addField("/evaluation/relevance_threshold", tr("Relevance threshold"));
  addLists();
  form_->addHeading(tr("Reference"), QStringLiteral("docs/fidelity.md"));
  form_->addField("/reference/curve", tr("Published curve"));
}

// Lists of the catalogue, of retrieval models.
void TrainingPage::addLists() {
  const auto choice = [](const nlohmann::json& value, const QString& name) {
    return Choice{value, name};
  };
  form_->addHeading(tr("Lists of the catalogue"), QStringLiteral("docs/experiment.md#evaluation"));
  form_->addField("/evaluation/catalogue", tr("Measured"),
                  choiceOf({choice("validation", tr("at every validation")),
                            choice("end", tr("at the last validation")),
                            choice("never", tr("never in training"))}));
  form_->addField(
      "/evaluation/unit", tr("A query is"),
      choiceOf({choice(nullptr, tr("what the query side reads")), choice("user", tr("a user")),
                choice("example", tr("a held-out row in its own context"))}));
  form_->addField("/evaluation/sample", tr("Queries drawn"));
  form_->addNote(tr("Drawn by the seed of the training; empty: all."));
  std::vector<Choice> metrics;
  for (const experiment::RankingMetricTraits& each : experiment::kRankingMetrics)
    metrics.push_back({std::string(each.word), tr(each.name)});
  form_->addField("/evaluation/metrics", tr("Metrics"), choicesOf(std::move(metrics)));
  form_->addField("/evaluation/segments", tr("Segments"));
  form_->addNote(tr("Columns of ids, and activity: the training rows of the user."));
  form_->addField("/evaluation/seen_pairs", tr("Pairs known from training"),
                  choiceOf({choice("keep", tr("are to be found as others")),
                            choice("drop", tr("are left out"))}));
  form_->addField("/evaluation/protocol", tr("Protocol of a benchmark"),
                  choiceOf({choice(nullptr, tr("none")), choice("yambda", tr("Yambda")),
                            choice("yambda-compat", tr("Yambda, as its stored code computes"))}));
}

void TrainingPage::chooseBatchSizeOf(BatchSizeOf counted) {
  const bool perDevice = counted == BatchSizeOf::kEachDevice;
  nlohmann::json batch = bench_.editor.value("/dataset/batch");
  if (!batch.is_object()) batch = nlohmann::json::object();
  const nlohmann::json rows = perDevice ? batch["size"] : batch["per_device"];
  if (rows.is_null()) return;
  batch["size"] = perDevice ? nlohmann::json() : rows;
  batch["per_device"] = perDevice ? rows : nlohmann::json();
  bench_.editor.setValue("/dataset/batch", batch, tr("Change what the batch size counts"));
}

// Text that is no JSON waits beside; an edit here would take it away.
void TrainingPage::follow() {
  form_->setEnabled(!bench_.editor.draftError());
}

QStringList TrainingPage::prefixes() const {
  return {QStringLiteral("/dataset/batch"), QStringLiteral("/training"),
          QStringLiteral("/evaluation"), QStringLiteral("/reference")};
}

bool TrainingPage::reveal(const QString& pointer) {
  if (!form_->reveal(pointer)) return false;
  if (QWidget* focus = form_->focusWidget()) scroll_->ensureWidgetVisible(focus, 16, 64);
  return true;
}

QString TrainingPage::terminalCommand() const {
  return command_(QStringLiteral("train"));
}

}  // namespace parapet::ui
