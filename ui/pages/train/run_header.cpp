// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/run_header.h"

#include <QEvent>
#include <QHBoxLayout>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/models/runs_format.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kBetweenCells = 10, kBetweenLines = 4, kSentenceLines = 5;

QColor stateColor(experiment::RunState state, const QPalette& palette) {
  switch (toneOf(state)) {
    case StateTone::kGood:
      return goodColor(palette);
    case StateTone::kCareful:
      return carefulColor(palette);
    default:
      return badColor(palette);
  }
}

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
    values_[i]->setFont(textFont(TextSize::kTitle));
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
  setObjectName(QStringLiteral("headline"));
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

RunHeader::RunHeader(QWidget* parent)
    : QWidget(parent),
      name_(new ElidedLabel(this, ElidedLabel::Tone::kPlain)),
      state_(new QLabel(this)),
      origin_(new QuietLabel({}, this)),
      strip_(new QWidget(this)),
      stripText_(new QLabel(strip_)),
      stripMore_(new QLabel(strip_)),
      why_(new QToolButton(strip_)) {
  name_->setFont(textFont(TextSize::kTitle, QFont::Bold));
  name_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  state_->setAccessibleName(tr("State of the run"));
  state_->setObjectName(QStringLiteral("state"));
  origin_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  live_ = button(tr("Show the running run"), tr("Another run trains in this window: show it"));
  pause_ = button(tr("Pause"), tr("Asks the process that trains the run"));
  stop_ =
      button(tr("Stop"), tr("Asks the process that trains the run to stop it with a checkpoint"));
  pause_->setObjectName(QStringLiteral("pauseElsewhere"));
  stop_->setObjectName(QStringLiteral("stopElsewhere"));
  resume_ = button(tr("Resume"), tr("Go on from the newest checkpoint of this run"));
  browse_ = button(tr("Browse"), tr("Ask the newest checkpoint of this run for recommendations"));
  runs_ = button(tr("All runs"), tr("The table of all runs"));
  auto* row = horizontalBox(nullptr, 8);
  // Folds before it pushes the buttons out of view.
  auto* about = new QWidget(this);
  auto* flow = new FlowLayout(about, 8, 4);
  for (QWidget* label : std::initializer_list<QWidget*>{name_, state_, origin_})
    flow->addWidget(label);
  row->addWidget(about, 1);
  for (QWidget* each : {live_, pause_, stop_, resume_, browse_, runs_})
    row->addWidget(each, 0, Qt::AlignTop);

  why_->setText(tr("Why?"));
  why_->setCheckable(true);
  why_->setAutoRaise(true);
  why_->setAccessibleName(tr("Why published and true curves differ"));
  why_->setToolTip(tr("Show why published and true curves differ"));
  stripText_->setWordWrap(true);
  stripText_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  stripMore_->setWordWrap(true);
  stripMore_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  stripMore_->hide();
  connect(why_, &QToolButton::toggled, stripMore_, &QWidget::setVisible);
  auto* first = new QHBoxLayout;
  first->addWidget(stripText_, 1);
  first->addWidget(why_);
  auto* inside = verticalBox(strip_, 4, {8, 4, 8, 4});
  inside->addLayout(first);
  inside->addWidget(stripMore_);
  strip_->setAutoFillBackground(true);
  strip_->setBackgroundRole(QPalette::AlternateBase);
  strip_->setObjectName(QStringLiteral("strip"));

  auto* column = verticalBox(this, 8);
  column->addLayout(row);
  column->addWidget(strip_);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  connect(live_, &QPushButton::clicked, this, &RunHeader::liveRunRequested);
  connect(pause_, &QPushButton::clicked, this, &RunHeader::pauseRequested);
  connect(stop_, &QPushButton::clicked, this, &RunHeader::stopRequested);
  connect(resume_, &QPushButton::clicked, this, &RunHeader::resumeRequested);
  connect(browse_, &QPushButton::clicked, this, &RunHeader::browseRequested);
  connect(runs_, &QPushButton::clicked, this, &RunHeader::runsRequested);
  restyle();
}

QPushButton* RunHeader::button(const QString& text, const QString& tip) {
  auto* made = new QPushButton(text, this);
  made->setToolTip(tip);
  made->setAccessibleName(text);
  return made;
}

void RunHeader::show(const RunFacts& facts, bool canResume, const QString& other) {
  const bool restyled = shown_ != facts.state;
  shown_ = facts.state;
  name_->setText(facts.name.isEmpty() ? facts.runId : facts.name);
  name_->setAccessibleName(tr("Name of the run: %1").arg(name_->text()));
  state_->setText(QStringLiteral("● %1").arg(stateText(facts.state)));
  QStringList origin;
  if (!facts.recipe.isEmpty() && facts.recipe != facts.name)
    origin << tr("from %1").arg(shownText(facts.recipe));
  origin << tr("run %1").arg(facts.runId);
  origin_->setText(origin.join(QStringLiteral(" · ")));
  live_->setVisible(!other.isEmpty());
  resume_->setVisible(canResume);
  setUsable(*browse_, facts.totalEpochs > 0, tr("The run has not begun to train"));
  showStrip(facts);
  if (restyled) restyle();
}

void RunHeader::showElsewhere(bool elsewhere, const QString& pauseText, const QString& asked) {
  pause_->setVisible(elsewhere);
  stop_->setVisible(elsewhere);
  pause_->setText(pauseText);
  pause_->setAccessibleName(pauseText);
  for (QPushButton* each : {pause_, stop_}) setUsable(*each, asked.isEmpty(), asked);
}

void RunHeader::showStrip(const RunFacts& facts) {
  const bool wrong = !facts.error.isEmpty();
  strip_->setVisible(wrong || facts.reference);
  why_->setVisible(!wrong && facts.reference);
  if (wrong || !facts.reference) why_->setChecked(false);
  if (wrong) {
    stripText_->setText(facts.error);
  } else if (facts.reference) {
    stripText_->setText(
        tr("Published run: %1. Compare its training loss with the loss as displayed.")
            .arg(shownText(facts.reference->title)));
    stripText_->setToolTip(shownText(facts.reference->source));
    stripMore_->setText(shownText(facts.reference->note));
  }
}

void RunHeader::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) restyle();
}

void RunHeader::restyle() {
  QPalette state = palette();
  state.setColor(QPalette::WindowText, stateColor(shown_, palette()));
  state_->setPalette(state);
}

}  // namespace parapet::ui
