// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/verify_panel.h"

#include <QClipboard>
#include <QEvent>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHeaderView>
#include <algorithm>

#include "ui/bridge/progress.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/models/runs_format.h"
#include "ui/models/terminal_command.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kMaxTensorRows = 8;
constexpr int kMaxSteps = 10'000;

}  // namespace

VerifyPanel::VerifyPanel(workspace::Workspace& workspace, ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      editor_(editor),
      documentCommand_([](const QString& verb) { return QStringLiteral("parapet-cli ") + verb; }),
      against_(new QComboBox(this)),
      steps_(new QSpinBox(this)),
      start_(new QPushButton(tr("Verify"), this)),
      cancel_(new QPushButton(tr("Cancel"), this)),
      progress_(new ThinProgressBar(this)),
      stage_(new QLabel(this)),
      verdict_(new QLabel(this)),
      command_(new QLineEdit(this)),
      copy_(new QPushButton(tr("Copy"), this)),
      tensors_(
          new ReportTableModel({tr("Tensor"), tr("Bits"), tr("Largest difference")}, {2}, this)),
      view_(makeReportView(*tensors_, tr("Differences by tensor"), this)) {
  build();
  connectParts();
  followRunning();
  followDocument();
}

void VerifyPanel::build() {
  setObjectName(QStringLiteral("verify"));
  against_->addItem(tr("Twice on these devices: the same bits"));
  against_->addItem(tr("On these devices and on one: the same within rounding"));
  against_->setAccessibleName(tr("What is compared"));
  against_->setToolTip(tr("Both trainings begin with the same weights and see the same batches"));
  steps_->setRange(1, kMaxSteps);
  steps_->setValue(static_cast<int>(workspace::VerifyOptions{}.steps));
  steps_->setSuffix(tr(" steps"));
  steps_->setLocale(QLocale::c());
  steps_->setAccessibleName(tr("Steps of each training"));
  steps_->setToolTip(tr("Steps of each of the two trainings.\nAccepted: 1 … %1").arg(kMaxSteps));
  start_->setObjectName(QStringLiteral("verifyStart"));
  start_->setAccessibleName(tr("Verify the experiment"));
  start_->setToolTip(
      tr("Trains the steps twice, without keeping anything, and compares every tensor"));
  cancel_->setAccessibleName(tr("Cancel the check"));
  cancel_->setToolTip(tr("Stops the check; nothing of it is kept"));
  progress_->setAccessibleName(tr("Progress of the check"));
  stage_->setAccessibleName(tr("What the check does now"));
  verdict_->setObjectName(QStringLiteral("verifyVerdict"));
  verdict_->setAccessibleName(tr("Result of the check"));
  verdict_->setWordWrap(true);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  command_->setReadOnly(true);
  command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  command_->setAccessibleName(tr("Terminal command of the check"));
  command_->setToolTip(tr("Does the same check in a terminal"));
  copy_->setAccessibleName(tr("Copy the terminal command of the check"));
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);

  auto* choice = horizontalBox(nullptr, 8);
  choice->addWidget(against_, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{steps_, start_, cancel_})
    choice->addWidget(widget);
  auto* course = horizontalBox(nullptr, 12);
  course->addWidget(progress_, 1);
  course->addWidget(stage_);
  auto* terminal = horizontalBox(nullptr, 8);
  terminal->addWidget(command_, 1);
  terminal->addWidget(copy_);
  auto* column = verticalBox(this, 8);
  column->addLayout(choice);
  column->addLayout(course);
  column->addWidget(verdict_);
  column->addWidget(view_);
  column->addLayout(terminal);
}

void VerifyPanel::connectParts() {
  connect(start_, &QPushButton::clicked, this, &VerifyPanel::start);
  connect(cancel_, &QPushButton::clicked, this, &VerifyPanel::cancel);
  connect(copy_, &QPushButton::clicked, this,
          [this] { QGuiApplication::clipboard()->setText(command()); });
  connect(&background_, &Background::progressed, this, &VerifyPanel::showProgress);
  connect(&background_, &Background::runningChanged, this, &VerifyPanel::followRunning);
  connect(against_, &QComboBox::currentIndexChanged, this, &VerifyPanel::clearVerdict);
  connect(against_, &QComboBox::activated, this, [this] { chosen_ = true; });
  connect(steps_, &QSpinBox::valueChanged, this, &VerifyPanel::clearVerdict);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &VerifyPanel::followDocument);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &VerifyPanel::followDocument);
}

void VerifyPanel::setDocumentCommand(std::function<QString(const QString&)> command) {
  documentCommand_ = std::move(command);
  followDocument();
}

QString VerifyPanel::oneDevice() const {
  const auto devices = experiment::expandDevices(editor_.experiment().mesh.devices);
  return devices ? QString::fromStdString(devices->front()) : QString();
}

workspace::VerifyOptions VerifyPanel::options() const {
  workspace::VerifyOptions options;
  options.steps = steps_->value();
  if (against_->currentIndex() == kOneDevice) options.against = {oneDevice().toStdString()};
  return options;
}

QString VerifyPanel::command() const {
  QStringList words{documentCommand_(QStringLiteral("verify"))};
  if (against_->currentIndex() == kOneDevice)
    words << QStringLiteral("--against") << shellWord(oneDevice());
  words << QStringLiteral("--steps") << QString::number(steps_->value());
  return inWorkspace(words.join(QLatin1Char(' ')), workspace_.folder());
}

void VerifyPanel::start() {
  if (!start_->isEnabled()) return;
  checked_ = editor_.document();
  progress_->showShare(0, 0);
  stage_->setText(progressText(QStringLiteral("preparing"), 0, 0));
  background_.start(
      [&workspace = workspace_, experiment = editor_.experiment(),
       options = options()](const WorkContext& context) -> Result<workspace::Verification> {
        return workspace.verify(experiment, options, context);
      },
      [this](const Result<workspace::Verification>& result) { showResult(result); });
}

void VerifyPanel::cancel() {
  if (!running()) return;
  background_.cancel();
  tensors_->setRows({});
  showVerdict(tr("The check was cancelled."), Verdict::kNotPassed);
}

void VerifyPanel::showProgress(const QString& stage, qint64 done, qint64 total) {
  const bool second = stage == QLatin1String("second run");
  if (!second && stage != QLatin1String("first run")) {
    // The import: how long the trainings will take is not known before them.
    progress_->showShare(done, 2 * total);
    stage_->setText(progressText(stage, done, total));
    sinceFirstStep_.restart();
    return;
  }
  const qint64 all = 2 * total, reached = done + (second ? total : 0);
  progress_->showShare(reached, all);
  const double left = sinceFirstStep_.seconds() * static_cast<double>(all - reached) /
                      static_cast<double>(std::max<qint64>(1, reached));
  stage_->setText(
      tr("%1, %2 left")
          .arg(progressText(second ? tr("Second training") : tr("First training"), done, total),
               durationText(left)));
  stage_->setToolTip(tr("Step %1 of %2").arg(countText(done), countText(total)));
}

void VerifyPanel::showResult(const Result<workspace::Verification>& result) {
  std::vector<ReportTableModel::Row> rows;
  if (!result) {
    showVerdict(tr("The check could not be made: %1").arg(shownText(result.error().text())),
                Verdict::kNotPassed);
  } else {
    qsizetype differing = 0, withoutEffect = 0;
    for (const workspace::TensorDifference& tensor : result->tensors) {
      differing += tensor.identical ? 0 : 1;
      withoutEffect += tensor.withoutEffect ? 1 : 0;
      rows.push_back({QString::fromStdString(tensor.name),
                      tensor.identical       ? tr("the same")
                      : tensor.withoutEffect ? tr("no effect")
                                             : tr("differ"),
                      numberText(tensor.maxAbs, 3)});
    }
    const QString wanted = result->tolerance > 0.0
                               ? tr("within %1 relative").arg(numberText(result->tolerance, 1))
                               : tr("the same bits");
    const QString largest =
        tr("largest difference %1, of the loss %2")
            .arg(numberText(result->maxAbsDiff, 3), numberText(result->lossMaxAbsDiff, 3));
    const QString found =
        differing == 0 ? tr("every tensor has the same bits")
        : result->passed
            ? tr("%n tensors agree (%1)", nullptr, static_cast<int>(rows.size())).arg(largest)
            : tr("%1 of %2 tensors differ (%3)").arg(differing).arg(rows.size()).arg(largest);
    const QString rounding =
        result->magnifiesRounding ? tr(" Weights that begin one last bit apart would not pass "
                                       "either: fewer steps tell more.")
        : result->byStep ? tr(" The optimizer magnifies rounding: each step by itself, from "
                              "the same weights, is within what is wanted.")
                         : QString();
    const QString flat = withoutEffect > 0 ? tr(" %1 differ without effect on a loss: their "
                                                "gradient is 0 but for rounding, or they "
                                                "are statistics that follow such a weight.")
                                                 .arg(withoutEffect)
                                           : QString();
    showVerdict(
        (result->passed ? tr("Passed: %1 (wanted: %2).") : tr("Did not pass: %1 (wanted: %2)."))
                .arg(found, wanted) +
            rounding + flat,
        result->passed ? Verdict::kPassed : Verdict::kNotPassed);
  }
  tensors_->setRows(std::move(rows));
  followDocument();
  emit finished();
}

void VerifyPanel::showVerdict(const QString& text, Verdict verdict) {
  shown_ = verdict;
  verdict_->setText((verdict == Verdict::kPassed ? QStringLiteral("✓  ") : QStringLiteral("✗  ")) +
                    text);
  restyle();
  followRunning();
}

void VerifyPanel::clearVerdict() {
  checked_ = nullptr;
  verdict_->clear();
  tensors_->setRows({});
  followDocument();
}

void VerifyPanel::restyle() {
  QPalette colors = palette();
  colors.setColor(QPalette::WindowText,
                  shown_ == Verdict::kPassed ? goodColor(palette()) : badColor(palette()));
  verdict_->setPalette(colors);
}

void VerifyPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) restyle();
}

void VerifyPanel::followRunning() {
  const bool busy = running();
  for (QWidget* widget : std::initializer_list<QWidget*>{progress_, stage_, cancel_})
    widget->setVisible(busy);
  verdict_->setVisible(!busy && !verdict_->text().isEmpty());
  fitRows(*view_, kMaxTensorRows);
  if (busy) view_->hide();
  if (busy) sinceFirstStep_.restart();
  setUsable(*start_, !busy && editor_.runnable(),
            busy ? tr("A check is under way") : tr("Fix the problems of the experiment first"));
  against_->setEnabled(!busy);
  steps_->setEnabled(!busy);
}

void VerifyPanel::followDocument() {
  // Several devices are compared with one unless a person chose otherwise.
  if (!chosen_ && !running()) {
    const auto devices = experiment::expandDevices(editor_.experiment().mesh.devices);
    against_->setCurrentIndex(devices && devices->size() > 1 ? kOneDevice : kSameDevices);
  }
  // A verdict is about the document that was checked.
  if (!checked_.is_null() && checked_ != editor_.document() && !running()) return clearVerdict();
  command_->setText(command());
  command_->setCursorPosition(0);
  followRunning();
}

}  // namespace parapet::ui
