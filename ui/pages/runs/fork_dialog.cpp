// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/fork_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <algorithm>

#include "ui/bridge/shown_text.h"

namespace parapet::ui {
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
  const QLocale locale;
  for (auto each = checkpoints_.rbegin(); each != checkpoints_.rend(); ++each) {
    QString text =
        tr("step %1, epoch %2")
            .arg(locale.toString(qlonglong(each->step)), locale.toString(qlonglong(each->epoch)));
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

}  // namespace parapet::ui
