// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/replay_bar.h"

#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/bridge/pause.h"
#include "ui/style/box_layout.h"
#include "ui/style/flat_buttons.h"

namespace parapet::ui {
namespace {

// A slider that is being dragged passes many checkpoints; only those it rests on are read.
constexpr int kRestMs = 80;
// Long enough to see what moved.
constexpr int kPlayMs = 800;
constexpr int kReplayWidth = 140;

}  // namespace

ReplayBar::ReplayBar(QWidget* parent) : QWidget(parent) {
  play_ = textButton(QStringLiteral("▷"),
                     tr("Replay how the list grew over the checkpoints of the run"), this);
  play_->setObjectName(QStringLiteral("playCheckpoints"));
  play_->setCheckable(true);
  slider_ = new QSlider(Qt::Horizontal, this);
  slider_->setFixedWidth(kReplayWidth);
  slider_->setTickPosition(QSlider::TicksBelow);
  slider_->setTickInterval(1);
  slider_->setPageStep(1);
  slider_->setAccessibleName(tr("Checkpoint"));
  slider_->setToolTip(
      tr("Checkpoint of the run: ← and → go from one to the next, Esc gives up reading one"));
  label_ = new QLabel(this);
  label_->setTextFormat(Qt::PlainText);
  auto* layout = horizontalBox(this, 4);
  layout->addWidget(play_);
  layout->addWidget(slider_);
  layout->addWidget(label_);
  callAfterPause(rest_, kRestMs, this, &ReplayBar::request);
  callAfterPause(next_, kPlayMs, this, &ReplayBar::playNext);
  connect(slider_, &QSlider::valueChanged, this, [this] {
    showStep();
    rest_.start();
  });
  connect(play_, &QToolButton::toggled, this, &ReplayBar::play);
  hide();
}

void ReplayBar::setSteps(const std::vector<std::int64_t>& steps) {
  if (steps == steps_) return;
  stop();
  rest_.stop();
  steps_ = steps;
  const QSignalBlocker quiet(slider_);
  slider_->setRange(0, std::max<int>(0, static_cast<int>(steps_.size()) - 1));
  setVisible(steps_.size() > 1);
  showStep();
}

void ReplayBar::setStep(std::int64_t step) {
  // A slider that a person moves is ahead of what is shown.
  if (steps_.empty() || opening_ || rest_.isActive() || slider_->isSliderDown()) return;
  const auto after = std::ranges::upper_bound(steps_, step);
  const QSignalBlocker quiet(slider_);
  slider_->setValue(std::max<int>(0, static_cast<int>(after - steps_.begin()) - 1));
  showStep();
}

void ReplayBar::setOpening(bool opening) {
  opening_ = opening;
  if (playing() && !opening && !next_.isActive()) next_.start();
}

bool ReplayBar::playing() const {
  return play_->isChecked();
}

void ReplayBar::stop() {
  play_->setChecked(false);
}

void ReplayBar::showStep() {
  if (steps_.empty()) return label_->clear();
  const auto at = static_cast<std::size_t>(slider_->value());
  label_->setText(tr("step %1 · %2 of %3")
                      .arg(QString::fromStdString(formatCount(steps_[at])))
                      .arg(at + 1)
                      .arg(steps_.size()));
}

void ReplayBar::request() {
  if (steps_.empty()) return;
  emit stepRequested(steps_[static_cast<std::size_t>(slider_->value())]);
}

void ReplayBar::play(bool on) {
  play_->setText(on ? QStringLiteral("◼") : QStringLiteral("▷"));
  if (!on) return next_.stop();
  // From the first, unless it stopped on the way.
  if (slider_->value() == slider_->maximum()) slider_->setValue(0);
  next_.start();
}

void ReplayBar::playNext() {
  if (!playing()) return;
  // Goes on when what is being read is there.
  if (opening_ || rest_.isActive()) return opening_ ? void() : next_.start();
  if (slider_->value() == slider_->maximum()) return stop();
  slider_->setValue(slider_->value() + 1);
  next_.start();
}

void ReplayBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape) return QWidget::keyPressEvent(event);
  stop();
  rest_.stop();
  emit cancelRequested();
}

}  // namespace parapet::ui
