// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/fill_mask_panel.h"

#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/pages/browse/elided_label.h"
#include "ui/pages/browse/flow_layout.h"
#include "ui/pages/browse/item_table.h"

namespace parapet::ui {
namespace {

const QString kMask = QStringLiteral("[MASK]");

}  // namespace

FillMaskPanel::FillMaskPanel(workspace::Workspace& workspace, QWidget* parent)
    : QWidget(parent), workspace_(workspace), opening_("model", this), asking_("masks", this) {
  caption_ = new ElidedLabel(this);
  text_ = new QLineEdit(this);
  text_->setPlaceholderText(tr("A text, with [MASK] where a piece is to be predicted"));
  text_->setClearButtonEnabled(true);
  text_->setAccessibleName(tr("Text"));
  text_->setToolTip(tr("Words are set apart by blanks; click one below to mask it"));
  auto* textLabel = new QLabel(tr("&Text"), this);
  textLabel->setBuddy(text_);
  count_ = new QSpinBox(this);
  count_->setRange(1, 100);
  count_->setValue(5);
  count_->setAccessibleName(tr("Pieces for each mask"));
  count_->setToolTip(tr("How many of the most probable pieces are listed for each mask"));
  auto* countLabel = new QLabel(tr("&Pieces"), this);
  countLabel->setBuddy(count_);
  words_ = new QWidget(this);
  words_->setAccessibleName(tr("Words of the text; a checked one is masked"));
  line_ = new FlowLayout(words_, 4, 4);
  model_ = new FilledPiecesModel(this);
  auto* table = new ItemTable(model_, tr("Pieces for the masks"), this);
  table->setColumns(FilledPiecesModel::kPiece, {{FilledPiecesModel::kPosition, 9},
                                                {FilledPiecesModel::kRank, 4},
                                                {FilledPiecesModel::kProbability, 12}});
  auto* asked = new QHBoxLayout;
  asked->setSpacing(8);
  asked->addWidget(textLabel);
  asked->addWidget(text_, 1);
  asked->addWidget(countLabel);
  asked->addWidget(count_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(caption_);
  layout->addLayout(asked);
  layout->addWidget(words_);
  layout->addWidget(table, 1);
  connect(text_, &QLineEdit::textChanged, this, &FillMaskPanel::showWords);
  connect(count_, &QSpinBox::valueChanged, this, &FillMaskPanel::ask);
}

void FillMaskPanel::open(const ModelChoice& choice, const QString& runName) {
  runName_ = runName;
  opened_.reset();
  model_->setText({});
  caption_->setText(tr("Opening the model…"));
  opening_.start(
      [&workspace = workspace_, run = choice.runId.toStdString(), checkpoint = choice.checkpoint](
          const WorkContext& context) { return workspace.maskedModel(run, checkpoint, context); },
      [this](Result<std::shared_ptr<workspace::MaskedModel>> opened) {
        if (!opened.ok()) return caption_->setText(shownText(opened.error().text()));
        opened_ = std::move(*opened);
        ask();
      });
}

// A button for each word, so that it is masked with a click.
void FillMaskPanel::showWords() {
  const QStringList words = text_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  while (buttons_.size() > words.size()) buttons_.takeLast()->deleteLater();
  while (buttons_.size() < words.size()) {
    auto* button = new QToolButton(words_);
    button->setCheckable(true);
    button->setToolTip(tr("Click to mask the word"));
    connect(button, &QToolButton::toggled, this, &FillMaskPanel::ask);
    line_->addWidget(button);
    button->show();
    buttons_ << button;
  }
  for (qsizetype word = 0; word < words.size(); ++word) {
    const QSignalBlocker quiet(buttons_[word]);
    const QString shown = shownText(words[word]).replace(QLatin1Char('&'), QStringLiteral("&&"));
    if (buttons_[word]->text() == shown) continue;
    // Another word is not masked because the one before it was.
    buttons_[word]->setText(shown);
    buttons_[word]->setChecked(words[word] == kMask);
  }
  ask();
}

QString FillMaskPanel::prompt() const {
  QStringList words = text_->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (qsizetype word = 0; word < words.size() && word < buttons_.size(); ++word)
    if (buttons_[word]->isChecked()) words[word] = kMask;
  return words.join(QLatin1Char(' '));
}

QString FillMaskPanel::caption() const {
  return caption_->text();
}

void FillMaskPanel::ask() {
  if (!opened_) return;
  const QString model = tr("Model of run %1 · step %2")
                            .arg(runName_, QString::fromStdString(formatCount(opened_->step())));
  const QString asked = prompt();
  if (!asked.contains(kMask)) {
    asking_.cancel();
    model_->setText({});
    caption_->setText(asked.isEmpty() ? model + tr(" · type a text")
                                      : model + tr(" · click the words that are to be predicted"));
    return;
  }
  asking_.start([opened = opened_, text = asked.toStdString(),
                 count = count_->value()](const WorkContext&) { return opened->fill(text, count); },
                [this, model](Result<workspace::FilledText> filled) {
                  model_->setText(filled.ok() ? *filled : workspace::FilledText{});
                  caption_->setText(filled.ok() ? model
                                                : model + QStringLiteral(" · ") +
                                                      shownText(filled.error().text()));
                });
}

}  // namespace parapet::ui
