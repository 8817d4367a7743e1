// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/export_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {

using workspace::ExportWhat;

namespace {

constexpr int kMaxEpochs = 1'000'000;

}  // namespace

ForkDialog::ForkDialog(const store::RunRecord& run,
                       const std::vector<store::CheckpointRecord>& checkpoints, QWidget* parent)
    : QDialog(parent),
      runId_(QString::fromStdString(run.id)),
      checkpoints_(checkpoints),
      totalEpochs_(run.totalEpochs),
      checkpoint_(new QComboBox(this)),
      epochs_(new QSpinBox(this)) {
  build(shownText(run.name));
  connect(checkpoint_, &QComboBox::currentIndexChanged, this, &ForkDialog::offerEpochs);
  offerEpochs();
}

void ForkDialog::build(const QString& name) {
  setWindowTitle(tr("Fork %1").arg(name));
  checkpoint_->setObjectName(QStringLiteral("checkpoint"));
  checkpoint_->setAccessibleName(tr("Checkpoint"));
  checkpoint_->setToolTip(
      tr("The weights, optimizer slots and position in the data that the new "
         "run begins with"));
  for (auto each = checkpoints_.rbegin(); each != checkpoints_.rend(); ++each) {
    QString text = tr("step %1, epoch %2").arg(countText(each->step), countText(each->epoch));
    if (each == checkpoints_.rbegin()) text += tr(" · newest");
    if (each->best) text += tr(" · best");
    checkpoint_->addItem(text, qlonglong(each->step));
  }
  epochs_->setObjectName(QStringLiteral("epochs"));
  epochs_->setAccessibleName(tr("Train up to epoch"));
  epochs_->setToolTip(
      tr("Counted from the beginning of the run that is forked; more than the "
         "epochs of the checkpoint"));
  auto* hint = new QLabel(tr("The document opens as a new experiment. Change it as you like, but "
                             "not its tables and layers; Run (F5) begins with the checkpoint."),
                          this);
  hint->setWordWrap(true);
  auto* form = new QFormLayout(this);
  form->setContentsMargins(16, 16, 16, 16);
  form->setSpacing(8);
  setMinimumWidth(400);
  form->addRow(tr("&Checkpoint"), checkpoint_);
  form->addRow(tr("&Train up to epoch"), epochs_);
  form->addRow(hint);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  auto* open = buttons->addButton(tr("Open as experiment"), QDialogButtonBox::AcceptRole);
  open->setDefault(true);
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    emit chosen(runId_, step(), epochs());
    accept();
  });
}

std::int64_t ForkDialog::step() const {
  return checkpoint_->currentData().toLongLong();
}

// As many as the run had, unless it has trained them all: then as many again.
void ForkDialog::offerEpochs() {
  const auto found = std::ranges::find(checkpoints_, step(), &store::CheckpointRecord::step);
  if (found == checkpoints_.end()) return;
  const std::int64_t done = found->epoch;
  const std::int64_t most =
      totalEpochs_ > done ? totalEpochs_ : done + std::max<std::int64_t>(1, totalEpochs_);
  epochs_->setRange(int(std::min<std::int64_t>(done + 1, kMaxEpochs)), kMaxEpochs);
  epochs_->setValue(int(std::min<std::int64_t>(most, kMaxEpochs)));
}

ExportDialog::ExportDialog(const QString& runId, const QString& name, const QStringList& contexts,
                           QWidget* parent)
    : QDialog(parent),
      runId_(runId),
      what_(new QComboBox(this)),
      format_(new QComboBox(this)),
      checkpoint_(new QComboBox(this)),
      seen_(new QComboBox(this)),
      length_(new QSpinBox(this)),
      licence_(new QLineEdit(this)),
      checkpointLabel_(new QLabel(tr("From"), this)),
      lengthLabel_(new QLabel(tr("Items per user"), this)),
      seenLabel_(new QLabel(tr("Items seen"), this)),
      licenceLabel_(new QLabel(tr("&Licence"), this)) {
  build(name, contexts);
  connect(what_, &QComboBox::currentIndexChanged, this, &ExportDialog::offerFormats);
  connect(format_, &QComboBox::currentIndexChanged, this, [this] {
    choose_->setText(writesFolder() ? tr("Choose a folder…") : tr("Choose a file…"));
  });
  offerFormats();
}

void ExportDialog::build(const QString& name, const QStringList& contexts) {
  setWindowTitle(tr("Export %1").arg(name));
  what_->setAccessibleName(tr("What is exported"));
  what_->addItem(tr("Embedding tables"), static_cast<int>(ExportWhat::kTables));
  what_->addItem(tr("Model, to be asked without this workspace"),
                 static_cast<int>(ExportWhat::kModel));
  what_->addItem(tr("Vectors of users and items"), static_cast<int>(ExportWhat::kVectors));
  what_->addItem(tr("Whole checkpoint"), static_cast<int>(ExportWhat::kCheckpoint));
  what_->addItem(tr("Curves, one line an epoch"), static_cast<int>(ExportWhat::kCurves));
  what_->addItem(tr("Recommendations of every user"),
                 static_cast<int>(ExportWhat::kRecommendations));
  what_->setToolTip(
      tr("Tables are the trained weights; vectors are what the towers make of users and items; a "
         "checkpoint holds the optimizer as well; a model is a folder that this program opens, and "
         "that `recommend --model` answers from"));
  format_->setAccessibleName(tr("Format"));
  format_->setToolTip(
      tr("safetensors is one file; npy, and tables and vectors as parquet or csv, are one file per "
         "matrix in a folder"));
  checkpoint_->setAccessibleName(tr("Checkpoint"));
  checkpoint_->setToolTip(tr("The newest checkpoint, or the one with the best metric"));
  checkpoint_->addItem(tr("the newest checkpoint"),
                       static_cast<int>(workspace::WhichCheckpoint::kLast));
  checkpoint_->addItem(tr("the best checkpoint"),
                       static_cast<int>(workspace::WhichCheckpoint::kBest));
  length_->setAccessibleName(tr("Items per user"));
  length_->setToolTip(tr("Length of each list, 1 to 1000; not more than there are candidates"));
  length_->setRange(1, 1000);
  length_->setValue(10);
  seen_->setAccessibleName(tr("Items the user has seen"));
  seen_->setToolTip(tr("Whether items of the training rows of a user may be recommended"));
  seen_->addItem(tr("leave out"), static_cast<int>(retrieval::SeenItems::kExcludeTrain));
  seen_->addItem(tr("keep"), static_cast<int>(retrieval::SeenItems::kKeep));

  licence_->setObjectName(QStringLiteral("licence"));
  licence_->setAccessibleName(tr("Licence of the model"));
  licence_->setPlaceholderText(tr("none named; CC-BY-4.0, or a sentence"));
  licence_->setToolTip(tr("What the manifest of the model folder names as its licence"));
  licenceLabel_->setBuddy(licence_);

  auto* form = new QFormLayout(this);
  form->setContentsMargins(16, 16, 16, 16);
  form->setSpacing(8);
  form->addRow(tr("&What"), what_);
  form->addRow(tr("&Format"), format_);
  form->addRow(checkpointLabel_, checkpoint_);
  form->addRow(lengthLabel_, length_);
  form->addRow(seenLabel_, seen_);
  form->addRow(licenceLabel_, licence_);
  addContexts(*form, contexts);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  choose_ = buttons->addButton(tr("Choose a file…"), QDialogButtonBox::AcceptRole);
  choose_->setObjectName(QStringLiteral("choosePath"));
  choose_->setDefault(true);
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::chooseFile);
}

void ExportDialog::addContexts(QFormLayout& form, const QStringList& contexts) {
  for (const QString& name : contexts) {
    ContextField field{name, new QLabel(shownText(name), this), new QLineEdit(this)};
    field.label->setTextFormat(Qt::PlainText);
    field.label->setBuddy(field.values);
    field.values->setAccessibleName(tr("Context %1").arg(shownText(name)));
    field.values->setPlaceholderText(tr("as in each user's last row"));
    field.values->setToolTip(
        tr("Values of %1, separated by commas: a list of each user for every one of them, and for "
           "every combination with values of other contexts")
            .arg(shownText(name)));
    form.addRow(field.label, field.values);
    contexts_.push_back(field);
  }
}

void ExportDialog::offerFormats() {
  const ExportWhat what = options().what;
  format_->clear();
  for (const char* format : workspace::exportFormats(what)) {
    format_->addItem(QString::fromLatin1(format));
    if (what == ExportWhat::kModel) break;  // the other one is of texts alone
  }
  const bool lists = what == ExportWhat::kRecommendations;
  for (QWidget* widget : std::initializer_list<QWidget*>{checkpoint_, checkpointLabel_})
    widget->setEnabled(what != ExportWhat::kCurves);
  for (QWidget* widget : std::initializer_list<QWidget*>{length_, lengthLabel_, seen_, seenLabel_})
    widget->setEnabled(lists);
  for (QWidget* widget : std::initializer_list<QWidget*>{licence_, licenceLabel_})
    widget->setEnabled(what == ExportWhat::kModel);
  for (const ContextField& field : contexts_) {
    field.label->setEnabled(lists);
    field.values->setEnabled(lists);
  }
}

workspace::ExportOptions ExportDialog::options() const {
  workspace::ExportOptions options;
  options.what = static_cast<ExportWhat>(what_->currentData().toInt());
  options.format = format_->currentText().toStdString();
  options.checkpoint.which =
      static_cast<workspace::WhichCheckpoint>(checkpoint_->currentData().toInt());
  options.k = length_->value();
  options.seen = static_cast<retrieval::SeenItems>(seen_->currentData().toInt());
  if (options.what == ExportWhat::kModel)
    options.licence = licence_->text().trimmed().toStdString();
  if (options.what != ExportWhat::kRecommendations) return options;
  std::vector<std::pair<std::string, std::vector<std::string>>> valuesByName;
  for (const ContextField& field : contexts_) {
    std::vector<std::string> values;
    for (const QString& value : field.values->text().split(QLatin1Char(','), Qt::SkipEmptyParts))
      if (!value.trimmed().isEmpty()) values.push_back(value.trimmed().toStdString());
    if (!values.empty()) valuesByName.emplace_back(field.name.toStdString(), std::move(values));
  }
  options.contexts = retrieval::combinations(valuesByName);
  return options;
}

bool ExportDialog::writesFolder() const {
  const workspace::ExportOptions options = this->options();
  const bool matrices = options.what == ExportWhat::kTables || options.what == ExportWhat::kVectors;
  return options.what == ExportWhat::kModel || options.format == "npy" ||
         options.format == "tfevents" || (matrices && options.format != "safetensors");
}

void ExportDialog::chooseFile() {
  workspace::ExportOptions options = this->options();
  const QString format = QString::fromStdString(options.format);
  const QString path =
      options.what == ExportWhat::kModel
          ? QFileDialog::getSaveFileName(this, tr("Name a new folder, or a model to replace"),
                                         QStringLiteral("%1-model").arg(runId_))
      : writesFolder() ? QFileDialog::getExistingDirectory(this, tr("Folder for the tensors"))
                       : QFileDialog::getSaveFileName(this, windowTitle(),
                                                      QStringLiteral("%1.%2").arg(runId_, format),
                                                      QStringLiteral("%1 (*.%1)").arg(format));
  if (path.isEmpty()) return;
  options.out = path.toStdString();
  emit chosen(runId_, options);
  accept();
}

}  // namespace parapet::ui
