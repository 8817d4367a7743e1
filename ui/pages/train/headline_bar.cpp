// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/headline_bar.h"

#include <QEvent>
#include <QGridLayout>

#include "ui/style/theme.h"

namespace parapet::ui {

HeadlineBar::HeadlineBar(QWidget* parent) : QWidget(parent), verdict_(new QLabel(this)) {
  const std::array<std::pair<QString, QString>, kCellCount> cells{{
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
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(10);
  grid->setVerticalSpacing(0);
  for (std::size_t i = 0; i < kCellCount; ++i) {
    captions_[i] = new QLabel(cells[i].first, this);
    values_[i] = new QLabel(QStringLiteral("–"), this);
    values_[i]->setAccessibleName(cells[i].first);
    values_[i]->setTextInteractionFlags(Qt::TextSelectableByMouse);
    for (QLabel* label : {captions_[i], values_[i]}) label->setToolTip(cells[i].second);
    QFont large = values_[i]->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    values_[i]->setFont(large);
    // The widest that the cell will hold, so that numbers do not push each other about.
    values_[i]->setMinimumWidth(values_[i]->fontMetrics().horizontalAdvance(
        i == kTime ? QStringLiteral("12 min 00 s") : QStringLiteral("0.0000")));
    grid->addWidget(values_[i], 0, static_cast<int>(i), Qt::AlignLeft | Qt::AlignBottom);
    grid->addWidget(captions_[i], 1, static_cast<int>(i), Qt::AlignLeft | Qt::AlignTop);
  }
  grid->setColumnStretch(kCellCount, 1);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  values_[kMaskedHits]->setObjectName(QStringLiteral("maskedHits"));
  values_[kStep]->setObjectName(QStringLiteral("step"));
  values_[kKeyMetric]->setObjectName(QStringLiteral("keyMetric"));
  captions_[kKeyMetric]->setObjectName(QStringLiteral("keyMetricName"));
  verdict_->setObjectName(QStringLiteral("verdict"));
  verdict_->setAccessibleName(tr("Verdict"));
  verdict_->setWordWrap(true);
  verdict_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  verdict_->setToolTip(tr("The last validation against the baselines"));
  verdict_->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  verdict_->setContentsMargins(0, 6, 0, 0);
  // Of the whole width: in a column beside long numbers it would be a tower of words.
  grid->setRowMinimumHeight(2, verdict_->fontMetrics().lineSpacing());
  grid->addWidget(verdict_, 2, 0, 1, kCellCount + 1);
  restyle();
}

void HeadlineBar::show(const RunHeadline& headline) {
  captions_[kTime]->setText(headline.timeLabel);
  values_[kTime]->setAccessibleName(headline.timeLabel);
  captions_[kKeyMetric]->setText(headline.keyLabel);
  values_[kKeyMetric]->setAccessibleName(headline.keyLabel);
  for (QLabel* label : {captions_[kKeyMetric], values_[kKeyMetric]})
    label->setVisible(!headline.keyLabel.isEmpty());
  for (QLabel* label : {captions_[kMaskedHits], values_[kMaskedHits]})
    label->setVisible(!headline.maskedHits.isEmpty());
  const std::array<QString, kCellCount> texts{
      headline.epoch, headline.step,       headline.loss,      headline.valLoss,
      headline.key,   headline.maskedHits, headline.msPerStep, headline.examplesPerSecond,
      headline.time};
  for (std::size_t i = 0; i < kCellCount; ++i) values_[i]->setText(texts[i]);
  verdict_->setText(headline.verdict.isEmpty()
                        ? QString()
                        : (headline.beatsAll ? QStringLiteral("✓  ") : QStringLiteral("✗  ")) +
                              headline.verdict);
}

void HeadlineBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) restyle();
}

void HeadlineBar::restyle() {
  for (QLabel* caption : captions_) {
    QPalette quiet = palette();
    quiet.setColor(QPalette::WindowText, quietColor(palette()));
    if (caption) caption->setPalette(quiet);
  }
}

}  // namespace parapet::ui
