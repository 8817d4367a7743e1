// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/run_header.h"

#include <QEvent>
#include <QHBoxLayout>

#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/flow_layout.h"
#include "ui/models/runs_format.h"
#include "ui/style/box_layout.h"
#include "ui/style/theme.h"
#include "ui/style/usable.h"

namespace parapet::ui {
namespace {

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

RunHeader::RunHeader(QWidget* parent)
    : QWidget(parent),
      name_(new ElidedLabel(this, ElidedLabel::Tone::kPlain)),
      state_(new QLabel(this)),
      origin_(new QuietLabel({}, this)),
      strip_(new QWidget(this)),
      stripText_(new QLabel(strip_)),
      stripMore_(new QLabel(strip_)),
      why_(new QToolButton(strip_)) {
  QFont large = name_->font();
  large.setPointSizeF(large.pointSizeF() * 1.4);
  large.setBold(true);
  name_->setFont(large);
  name_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  state_->setAccessibleName(tr("State of the run"));
  state_->setObjectName(QStringLiteral("state"));
  origin_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  live_ = button(tr("Show the running run"), tr("Another run trains in this window: show it"));
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
  for (QWidget* each : {live_, resume_, browse_, runs_}) row->addWidget(each, 0, Qt::AlignTop);

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
