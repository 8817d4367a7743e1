// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/headline_bar.h"

#include "ui/forms/card.h"
#include "ui/forms/flow_layout.h"
#include "ui/forms/scrolling.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr int kBetweenCells = 10, kBetweenLines = 4, kSentenceLines = 5;

}  // namespace

HeadlineBar::HeadlineBar(QWidget* parent)
    : QWidget(parent), decision_(new QLabel(this)), verdict_(new QLabel(this)) {
  const std::array<std::pair<QString, QString>, kCellCount> texts{{
      {tr("epoch"), tr("Finished epochs of all")},
      {tr("step"), tr("Training steps so far of all")},
      {tr("loss"), tr("Mean loss over the examples of the last epoch")},
      {tr("val_loss"), tr("Loss of the last validation")},
      {tr("metric"), tr("The metric by which the run is judged besides its loss, last validation")},
      {tr("masked hits"),
       tr("Negatives of the last epoch that were the query's own item: left out of the loss")},
      {tr("ms / step"), tr("Mean time of a training step in the last epoch, in milliseconds")},
      {tr("examples / s"), tr("Training examples per second in the last epoch")},
      {tr("time left"), tr("Estimated from the steps and validations so far; pauses not counted")},
  }};
  // In a narrow window the cells go on in a second line.
  auto* cellBox = new QWidget(this);
  auto* flow = new FlowLayout(cellBox, kBetweenCells, kBetweenLines);
  for (std::size_t i = 0; i < kCellCount; ++i) {
    captions_[i] = new QuietLabel(texts[i].first, this);
    values_[i] = new QLabel(QStringLiteral("–"), this);
    values_[i]->setAccessibleName(texts[i].first);
    values_[i]->setTextInteractionFlags(Qt::TextSelectableByMouse);
    for (QLabel* label : {captions_[i], values_[i]}) label->setToolTip(texts[i].second);
    QFont large = values_[i]->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    values_[i]->setFont(large);
    // The widest that the cell will hold, so that numbers do not push each other about.
    values_[i]->setMinimumWidth(values_[i]->fontMetrics().horizontalAdvance(
        i == kTime ? QStringLiteral("12 min 00 s") : QStringLiteral("0.0000")));
    cells_[i] = new QWidget(cellBox);
    auto* inside = verticalBox(cells_[i], 0);
    inside->addWidget(values_[i]);
    inside->addWidget(captions_[i]);
    flow->addWidget(cells_[i]);
  }
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  values_[kMaskedHits]->setObjectName(QStringLiteral("maskedHits"));
  values_[kStep]->setObjectName(QStringLiteral("step"));
  values_[kKeyMetric]->setObjectName(QStringLiteral("keyMetric"));
  captions_[kKeyMetric]->setObjectName(QStringLiteral("keyMetricName"));
  decision_->setObjectName(QStringLiteral("decision"));
  decision_->setAccessibleName(tr("What decided the end of the run"));
  verdict_->setObjectName(QStringLiteral("verdict"));
  verdict_->setAccessibleName(tr("Verdict"));
  auto* sentences = new QWidget(this);
  auto* lines = verticalBox(sentences, 0);
  for (QLabel* label : {decision_, verdict_}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    lines->addWidget(label);
  }
  lines->addStretch();
  QScrollArea* scroll = scrolling(sentences, tr("Sentences on the run"));
  scroll->setFixedHeight(kSentenceLines * fontMetrics().lineSpacing());
  verdict_->setToolTip(tr(
      "The last validated epoch against the baselines: the metric that the run is judged by, then "
      "every baseline. A difference counts beyond three paired standard errors: those of the mean "
      "difference over the same held-out rows or lists. Mean label: the mean of the training "
      "labels for every row. Equal scores: the same score for every candidate."));
  auto* column = verticalBox(this, 6);
  column->addWidget(cellBox);
  column->addWidget(scroll);
}

void HeadlineBar::show(const RunHeadline& headline, const QString& decision) {
  captions_[kTime]->setText(headline.timeLabel);
  values_[kTime]->setAccessibleName(headline.timeLabel);
  captions_[kKeyMetric]->setText(headline.keyLabel);
  values_[kKeyMetric]->setAccessibleName(headline.keyLabel);
  cells_[kKeyMetric]->setVisible(!headline.keyLabel.isEmpty());
  cells_[kMaskedHits]->setVisible(!headline.maskedHits.isEmpty());
  const std::array<QString, kCellCount> texts{
      headline.epoch, headline.step,       headline.loss,      headline.valLoss,
      headline.key,   headline.maskedHits, headline.msPerStep, headline.examplesPerSecond,
      headline.time};
  for (std::size_t i = 0; i < kCellCount; ++i) values_[i]->setText(texts[i]);
  // As wide as they will be at the end.
  for (const Cell counted : {kEpoch, kStep})
    if (const QString total = texts[counted].section(QStringLiteral(" / "), 1); !total.isEmpty())
      values_[counted]->setMinimumWidth(
          values_[counted]->fontMetrics().horizontalAdvance(total + QStringLiteral(" / ") + total));
  decision_->setText(decision);
  decision_->setVisible(!decision.isEmpty());
  verdict_->setText(headline.verdict);
}

}  // namespace parapet::ui
