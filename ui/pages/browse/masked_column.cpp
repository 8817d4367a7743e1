// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/masked_column.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/pages/browse/attention_view.h"
#include "ui/pages/browse/item_table.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kMinPicture = 176, kMinPiece = 40;

}  // namespace

MaskedColumn::MaskedColumn(workspace::Workspace& workspace, const QString& name, QWidget* parent)
    : QWidget(parent), workspace_(workspace), opening_("model", this), asking_("masks", this) {
  caption_ = new QuietLabel({}, this);
  caption_->setWordWrap(true);
  // A long name of a run is no reason for a wide column.
  caption_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
  views_ = new QStackedWidget(this);
  pieces_ = new FilledPiecesModel(this);
  auto* table = new ItemTable(pieces_, tr("Pieces for the masks, %1").arg(name), this);
  // Two models beside each other in a low window: the words give way, the numbers stay.
  table->setColumns(FilledPiecesModel::kPiece, {{FilledPiecesModel::kPosition, 4},
                                                {FilledPiecesModel::kMasked, 9},
                                                {FilledPiecesModel::kRank, 3},
                                                {FilledPiecesModel::kProbability, 7}});
  views_->addWidget(table);
  views_->addWidget(makeAttention(name));
  auto* layout = verticalBox(this, 8);
  layout->addWidget(caption_);
  layout->addWidget(views_, 1);
}

// The picture, and beside it what the chosen piece reads.
QWidget* MaskedColumn::makeAttention(const QString& name) {
  attention_ = new AttentionView;
  read_ = new ReadPiecesModel(this);
  auto* scroll = new QScrollArea;
  scroll->setWidget(attention_);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setAccessibleName(tr("Attention, %1").arg(name));
  auto* table = new ItemTable(read_, tr("What the chosen piece reads, %1").arg(name));
  table->setColumns(ReadPiecesModel::kPiece,
                    {{ReadPiecesModel::kPosition, 4}, {ReadPiecesModel::kProbability, 6}});
  // Beside a second model in a low window the numbers stay whole.
  table->setMinimumWidth(table->columnWidth(ReadPiecesModel::kPosition) +
                         table->columnWidth(ReadPiecesModel::kProbability) + kMinPiece +
                         table->verticalScrollBar()->sizeHint().width());
  legend_ = new QuietLabel;
  legend_->setWordWrap(true);
  legend_->setAccessibleName(tr("Legend of the attention, %1").arg(name));
  auto* picture = new QWidget;
  auto* below = verticalBox(picture, 4);
  below->addWidget(scroll, 1);
  below->addWidget(legend_);
  auto* parts = new QSplitter;
  parts->addWidget(picture);
  parts->addWidget(table);
  // While nothing is drawn the picture asks for no room.
  scroll->setMinimumWidth(kMinPicture);
  parts->setSizes({2 * kMinPicture, kMinPicture});
  parts->setStretchFactor(0, 2);
  parts->setStretchFactor(1, 1);
  parts->setChildrenCollapsible(false);
  connect(attention_, &AttentionView::readerChanged, this, [this](int reader) {
    read_->setMap(attention_->map(), reader);
    legend_->setText(attention_->legend());
  });
  return parts;
}

void MaskedColumn::open(const ModelChoice& choice, const QString& runName) {
  runName_ = runName;
  model_.reset();
  asking_.cancel();
  clear();
  tell(tr("Opening the model…"));
  opening_.start(
      [&workspace = workspace_, run = choice.runId.toStdString(), checkpoint = choice.checkpoint](
          const WorkContext& context) { return workspace.maskedModel(run, checkpoint, context); },
      [this](Result<std::shared_ptr<workspace::MaskedModel>> opened) {
        if (!opened.ok()) return tell(shownText(opened.error().text()));
        model_ = std::move(*opened);
        ask(question_);
        emit this->opened();
      });
}

void MaskedColumn::close() {
  opening_.cancel();
  asking_.cancel();
  model_.reset();
  clear();
}

void MaskedColumn::clear() {
  pieces_->setText({}, {});
  attention_->setMap({});
}

std::vector<workspace::AttentionLayer> MaskedColumn::layers() const {
  return model_ ? model_->attentionLayers() : std::vector<workspace::AttentionLayer>();
}

QString MaskedColumn::caption() const {
  return caption_->text();
}

void MaskedColumn::tell(const QString& caption) {
  caption_->setText(shownText(caption));
  caption_->setToolTip(caption_->text());
  caption_->setAccessibleName(caption_->text());
}

void MaskedColumn::say(const QString& what) {
  const QString model = tr("Model of run %1 · step %2")
                            .arg(runName_, QString::fromStdString(formatCount(model_->step())));
  tell(what.isEmpty() ? model : model + QStringLiteral(" · ") + what);
}

void MaskedColumn::ask(const MaskedQuestion& question) {
  question_ = question;
  const bool aboutPieces = question.about == MaskedQuestion::About::kPieces;
  views_->setCurrentIndex(aboutPieces ? 0 : 1);
  if (!model_) return;
  if (question.text.trimmed().isEmpty()) {
    asking_.cancel();
    clear();
    return say(tr("type a text"));
  }
  aboutPieces ? askPieces() : askAttention();
}

void MaskedColumn::askPieces() {
  if (!question_.text.contains(QStringLiteral("[MASK]"))) {
    asking_.cancel();
    pieces_->setText({}, {});
    return say(tr("click the words that are to be predicted"));
  }
  asking_.start([model = model_, text = question_.text.toStdString(),
                 count = question_.count](const WorkContext&) { return model->fill(text, count); },
                [this, masked = question_.masked](Result<workspace::FilledText> filled) {
                  pieces_->setText(filled.ok() ? *filled : workspace::FilledText{}, masked);
                  say(filled.ok() ? QString() : shownText(filled.error().text()));
                });
}

void MaskedColumn::askAttention() {
  asking_.start(
      [model = model_, text = question_.text.toStdString(), layer = question_.layer,
       head = question_.head](const WorkContext&) { return model->attention(text, layer, head); },
      [this](Result<workspace::AttentionMap> map) {
        attention_->setMap(map.ok() ? std::move(*map) : workspace::AttentionMap{});
        say(map.ok() ? QString() : shownText(map.error().text()));
      });
}

}  // namespace parapet::ui
