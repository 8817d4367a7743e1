// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/training/training_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QSignalBlocker>
#include <algorithm>

#include "ui/models/document_words.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

/// Names of experiment::kRankingMetrics, for lupdate.
[[maybe_unused]] constexpr const char* kMetricNames[] = {
    QT_TRANSLATE_NOOP("RankingMetric", "Recall"),
    QT_TRANSLATE_NOOP("RankingMetric", "nDCG"),
    QT_TRANSLATE_NOOP("RankingMetric", "Hit rate"),
    QT_TRANSLATE_NOOP("RankingMetric", "MRR"),
    QT_TRANSLATE_NOOP("RankingMetric", "MAP"),
    QT_TRANSLATE_NOOP("RankingMetric", "Precision"),
    QT_TRANSLATE_NOOP("RankingMetric", "Coverage"),
    QT_TRANSLATE_NOOP("RankingMetric", "Popularity"),
    QT_TRANSLATE_NOOP("RankingMetric", "Novelty"),
    QT_TRANSLATE_NOOP("RankingMetric", "Gini index")};

constexpr int kBetweenSections = 20;

}  // namespace
TrainingPage::TrainingPage(const Workbench& bench, CommandOf command, QWidget* parent)
    : StepPage(parent), bench_(bench), command_(std::move(command)), inside_(new QWidget) {
  setObjectName(QStringLiteral("trainingPage"));
  columns_ = new ColumnsLayout(inside_, kBetweenSections);
  columns_->setContentsMargins(16, 12, 16, 16);
  addBatches();
  addCourse();
  addMeasures();
  scroll_ = scrolling(inside_, tr("Settings of the training"));
  auto* layout = verticalBox(this);
  layout->addWidget(scroll_);
  connect(&bench_.editor, &ExperimentEditor::documentChanged, this, &TrainingPage::follow);
  connect(&bench_.editor, &ExperimentEditor::findingsChanged, this, &TrainingPage::follow);
  follow();
}

Form& TrainingPage::addSection(const QString& name, const QString& title, const QString& help) {
  auto* form = new Form(bench_.editor, inside_);
  form->setObjectName(name);
  form->addHeading(title, help);
  columns_->addWidget(form);
  sections_.push_back(form);
  return *form;
}

void TrainingPage::addBatches() {
  Form& form =
      addSection(QStringLiteral("batches"), tr("Batches"), QStringLiteral("glossary/batch"));
  form.addField("/dataset/batch/size", tr("Global batch size"));
  QLabel* ofSequences = form.addNote(tr("It counts sequences: every position of them is trained."));
  const auto follow = [this, ofSequences] {
    ofSequences->setVisible(bench_.editor.value("/training/objective") == "all_positions");
  };
  connect(&bench_.editor, &ExperimentEditor::documentChanged, ofSequences, follow);
  follow();
  addBatchSizeCounts(form);
  form.addFolded("/dataset/batch/per_device", tr("Batch size per device"));
  form.addFolded("/dataset/batch/group_size", tr("Group size"));
  form.addFolded("/dataset/batch/shuffle", tr("Shuffle"),
                 choiceOf({{"epoch", tr("Before each epoch")},
                           {"once", tr("Once")},
                           {"none", tr("Never: in the order of the data")}}));
  form.addFolded("/dataset/batch/drop_remainder", tr("Drop a short batch"));
  form.addFolded("/dataset/batch/window", tr("Rows shuffled together"));
  form.addFolded("/dataset/batch/cache", tr("Keep in memory"));
  form.addFolded("/dataset/batch/replay_batches", tr("Fixed batches after epoch 1"));
  form.addFindings("/dataset/batch");
}

void TrainingPage::addBatchSizeCounts(Form& form) {
  auto* by = new QComboBox(&form);
  by->addItems({tr("over all devices"), tr("on each device")});
  by->setMaximumWidth(std::max(208, by->sizeHint().width()));
  by->setObjectName(QStringLiteral("batchSizeCounts"));
  by->setAccessibleName(tr("Batch size counts"));
  by->setToolTip(
      tr("Whether the batch size counts the examples of all devices together or of each device."));
  QLabel* name = form.addRow(tr("Batch size counts"), by);
  form.addFolded(name, by,
                 [this] { return !bench_.editor.value("/dataset/batch/per_device").is_null(); });
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
  Form& course =
      addSection(QStringLiteral("epochs"), tr("Epochs"), QStringLiteral("glossary/epoch"));
  course.addField("/training/epochs", tr("Epochs"));
  course.addField("/training/seed", tr("Seed"));
  course.addFolded("/training/objective", tr("Objective"),
                   choiceOf({{"each_row", tr("Each row with its own history")},
                             {"all_positions", tr("Next item at every position")}}));
  Field* const stride = course.addFolded("/training/stride", tr("Stride"));
  const auto follow = [this, stride] {
    setUsable(*stride,
              bench_.editor.value("/training/objective") == "all_positions" ||
                  !bench_.editor.value("/training/stride").is_null(),
              tr("Every row has a history of its own; the objective that trains all positions cuts "
                 "windows"));
  };
  connect(&bench_.editor, &ExperimentEditor::documentChanged, stride, follow);
  follow();
  course.addFolded("/training/validate_every", tr("Validate every"));
  course.addFolded(course.addNote(tr("Epochs between validations; 0: never.")), nullptr);
  course.addFolded("/training/precision", tr("Precision"));
  Form& fork = addSection(QStringLiteral("fork"), tr("Begin with another run"),
                          QStringLiteral("docs/experiment.md#beginning-with-another-run"));
  addSwitch(fork, "/training/fork", {{"run", ""}}, tr("Begin with a checkpoint"),
            tr("The weights, optimizer slots and position in the data of a run; off: initial "
               "weights"));
  fork.addField("/training/fork/run", tr("Run"));
  const Field* step = fork.addField("/training/fork/step", tr("Step"));
  QLabel* note = fork.addNote(
      tr("Of a run; an empty step is its newest. Epochs count from the first of that run."));
  note->setVisible(step->isInDocument());
  connect(step, &Field::presenceChanged, note, &QWidget::setVisible);
  fork.addFindings("/training/fork");
  Form& stopping = addSection(QStringLiteral("stopping"), tr("Early stopping"),
                              QStringLiteral("glossary/epoch"));
  addSwitch(stopping, "/training/early_stopping", nlohmann::json::object(), tr("Stop early"),
            tr("Ends the run when a metric stops improving"));
  stopping.addField("/training/early_stopping/metric", tr("Metric"));
  stopping.addField("/training/early_stopping/patience", tr("Patience"));
  stopping.addField("/training/early_stopping/min_delta", tr("Min. change"));
  Form& checkpoints = addSection(QStringLiteral("checkpoints"), tr("Checkpoints"),
                                 QStringLiteral("glossary/checkpoint"));
  checkpoints.addField("/training/checkpoints/every", tr("Every"));
  checkpoints.addNote(tr("Epochs between checkpoints; empty: at the end and at the best."));
  checkpoints.addFolded("/training/checkpoints/keep", tr("Keep the last"));
  checkpoints.addFolded("/training/checkpoints/best", tr("Keep the best by"));
}

/// A check for an object that is null where it is not used.
void TrainingPage::addSwitch(Form& form, const QString& pointer, const nlohmann::json& used,
                             const QString& text, const QString& toolTip) {
  auto* box = new QCheckBox(&form);
  box->setObjectName(pointer);
  box->setAccessibleName(text);
  box->setToolTip(toolTip);
  form.addRow(text, box);
  const auto follow = [this, box, pointer] {
    box->setChecked(!bench_.editor.value(pointer).is_null());
  };
  connect(&bench_.editor, &ExperimentEditor::documentChanged, box, follow);
  connect(box, &QCheckBox::clicked, this, [this, pointer, used, text](bool on) {
    bench_.editor.setValue(pointer, on ? used : nlohmann::json(),
                           on ? text : tr("Switch off: %1").arg(insideSentence(text)));
  });
  follow();
}

void TrainingPage::addMeasures() {
  Form& form = addSection(QStringLiteral("evaluation"), tr("Evaluation"),
                          QStringLiteral("docs/experiment.md#evaluation"));
  form.addField("/evaluation/k", tr("List lengths"));
  form.addField("/evaluation/exclude_seen", tr("Exclude seen"));
  form.addField("/evaluation/relevance_threshold", tr("Relevance threshold"));
  addLists();
  addSection(QStringLiteral("reference"), tr("Reference"), QStringLiteral("docs/fidelity.md"))
      .addField("/reference/curve", tr("Published curve"));
  Form& board = addSection(QStringLiteral("tensorboard"), tr("TensorBoard"),
                           QStringLiteral("docs/experiment.md"));
  board.addField("/training/tensorboard", tr("Folder"));
  board.addNote(tr("Event files of the run, in a folder of its own there; empty: none."));
}

// Lists of the catalogue, of retrieval models.
void TrainingPage::addLists() {
  const auto choice = [](const nlohmann::json& value, const QString& name) {
    return Choice{value, name};
  };
  Form& form = addSection(QStringLiteral("lists"), tr("Lists of the catalogue"),
                          QStringLiteral("docs/experiment.md#evaluation"));
  form.addField("/evaluation/catalogue", tr("Measured"),
                choiceOf({choice("validation", tr("at every validation")),
                          choice("end", tr("at the last validation")),
                          choice("never", tr("never in training"))}));
  std::vector<Choice> metrics;
  for (const experiment::RankingMetricTraits& each : experiment::kRankingMetrics)
    metrics.push_back(
        {std::string(each.word), QCoreApplication::translate("RankingMetric", each.name)});
  form.addField("/evaluation/metrics", tr("Metrics"), choicesOf(std::move(metrics)));
  form.addFolded(
      "/evaluation/unit", tr("A query is"),
      choiceOf({choice(nullptr, tr("what the query side reads")), choice("user", tr("a user")),
                choice("example", tr("a held-out row in its own context"))}));
  form.addFolded("/evaluation/sample", tr("Queries drawn"));
  form.addFolded(form.addNote(tr("Drawn by the seed of the training; empty: all.")), nullptr);
  form.addFolded("/evaluation/segments", tr("Segments"));
  form.addFolded(form.addNote(tr("Columns of ids, and activity: the training rows of the user.")),
                 nullptr);
  form.addFolded("/evaluation/seen_pairs", tr("Pairs known from training"),
                 choiceOf({choice("keep", tr("are to be found as others")),
                           choice("drop", tr("are left out"))}));
  form.addFolded("/evaluation/protocol", tr("Protocol of a benchmark"),
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
  inside_->setEnabled(!bench_.editor.draftError());
}

QStringList TrainingPage::prefixes() const {
  return {QStringLiteral("/dataset/batch"), QStringLiteral("/training"),
          QStringLiteral("/evaluation"), QStringLiteral("/reference")};
}

bool TrainingPage::reveal(const QString& pointer) {
  if (std::ranges::none_of(sections_, [&](Form* form) { return form->reveal(pointer); }))
    return false;
  if (QWidget* focus = inside_->focusWidget()) scroll_->ensureWidgetVisible(focus, 16, 64);
  return true;
}

nlohmann::json TrainingPage::saveState() const {
  nlohmann::json unfolded = nlohmann::json::array();
  for (const Form* form : sections_)
    if (form->isUnfolded()) unfolded.push_back(form->objectName().toStdString());
  return {{"unfolded", std::move(unfolded)}};
}

void TrainingPage::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  const nlohmann::json unfolded = state.value("unfolded", nlohmann::json::array());
  for (Form* form : sections_)
    form->setUnfolded(
        std::ranges::count(unfolded, nlohmann::json(form->objectName().toStdString())) > 0);
}

QString TrainingPage::terminalCommand() const {
  return command_(QStringLiteral("train"));
}

}  // namespace parapet::ui
