// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/browse_bar.h"

#include <QAction>
#include <QComboBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/pages/browse/candidate_bar.h"
#include "ui/pages/browse/context_control.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kModelWidth = 240;

// A slider that is being dragged passes many checkpoints; only those it rests on are read.
constexpr int kRestMs = 80;
// Long enough to see what moved.
constexpr int kPlayMs = 800;
constexpr int kReplayWidth = 140;

}  // namespace

ColumnBar::ColumnBar(workspace::Workspace& workspace, QWidget* parent) : QWidget(parent) {
  candidates_ = new CandidateBar(this);
  title_ = new QLabel(this);
  title_->setTextFormat(Qt::PlainText);
  title_->setAccessibleName(tr("Current column"));
  duplicate_ = new QPushButton(tr("Duplicate"), this);
  duplicate_->setObjectName(QStringLiteral("duplicateColumn"));
  duplicate_->setAccessibleName(tr("Duplicate the column"));
  duplicate_->setToolTip(
      tr("The same list beside it, to give it another context or model (Ctrl+D)"));
  model_ = new ModelPicker(workspace, tr("Model of the column"), tr("As the first column"), this);
  model_->setFixedWidth(kModelWidth);
  auto* layout = new FlowLayout(this, 12, 4);
  layout->addWidget(candidates_);
  layout->addWidget(title_);
  layout->addWidget(duplicate_);
  layout->addWidget(model_);
  connect(duplicate_, &QPushButton::clicked, this, &ColumnBar::duplicateRequested);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void ColumnBar::setTitle(const QString& text) {
  title_->setText(text);
  title_->setVisible(!text.isEmpty());
}

void ColumnBar::setDomains(const std::vector<retrieval::ContextDomain>& domains) {
  std::vector<QString> names;
  for (const retrieval::ContextDomain& domain : domains)
    names.push_back(QStringLiteral("%1|%2|%3|%4")
                        .arg(QString::fromStdString(domain.name))
                        .arg(domain.distinct)
                        .arg(domain.min)
                        .arg(domain.max));
  if (names == names_) return;
  names_ = std::move(names);
  for (ContextControl* control : controls_) {
    control->hide();
    control->deleteLater();
  }
  controls_.clear();
  for (const retrieval::ContextDomain& domain : domains) {
    auto* control = new ContextControl(domain, this);
    const int index = static_cast<int>(controls_.size());
    connect(control, &ContextControl::chosen, this,
            [this, control, index](const std::optional<QString>& value) {
              setActive(index);
              emit contextChosen(control->name(), value);
            });
    connect(control, &ContextControl::entered, this, [this, index] { setActive(index); });
    layout()->addWidget(control);
    control->show();
    controls_.push_back(control);
  }
  setActive(0);
  updateGeometry();
}

void ColumnBar::setContext(const std::vector<retrieval::ContextValue>& context) {
  for (ContextControl* control : controls_) {
    const std::string name = control->domain().name;
    const auto value = std::ranges::find(context, name, &retrieval::ContextValue::name);
    if (value != context.end())
      control->setValue(QString::fromStdString(value->value), value->given);
  }
}

void ColumnBar::setIsFirst(bool first) {
  model_->setVisible(!first);
}

void ColumnBar::setCanDuplicate(bool can) {
  setUsable(*duplicate_, can, tr("No more columns fit; remove one first"));
}

void ColumnBar::setActive(int index) {
  active_ = index;
  for (std::size_t i = 0; i < controls_.size(); ++i)
    controls_[i]->setActive(static_cast<int>(i) == index && controls_.size() > 1);
}

bool ColumnBar::step(int by) {
  if (controls_.empty()) return false;
  controls_[static_cast<std::size_t>(
                std::min<int>(active_, static_cast<int>(controls_.size()) - 1))]
      ->step(by);
  return true;
}

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

BrowseBar::BrowseBar(workspace::Workspace& workspace, QWidget* parent) : QWidget(parent) {
  // Made in the order in which they stand, which is that of the Tab key.
  shown_ = new ModelPicker(workspace, tr("Model"), QString(), this);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(buildControls());
  layout->addWidget(strip_ = buildStrip());
  column_ = new ColumnBar(workspace, this);
  layout->addWidget(column_);
  newer_ = buildNotice(&newerText_);
  auto* update = new QPushButton(tr("Update"), newer_);
  update->setObjectName(QStringLiteral("updateModel"));
  update->setAccessibleName(tr("Update the lists"));
  update->setToolTip(tr("Show the lists of the newer model; rows that moved are tinted"));
  newer_->layout()->addWidget(update);
  connect(update, &QPushButton::clicked, this, &BrowseBar::updateRequested);
  notice_ = buildNotice(&noticeText_);
  auto* dismiss = new QToolButton(notice_);
  dismiss->setText(QStringLiteral("✕"));
  dismiss->setAutoRaise(true);
  dismiss->setAccessibleName(tr("Dismiss the notice"));
  dismiss->setToolTip(tr("Dismiss"));
  notice_->layout()->addWidget(dismiss);
  connect(dismiss, &QToolButton::clicked, this, [this] { setNotice(QString()); });
  layout->addWidget(newer_);
  layout->addWidget(notice_);
}

QWidget* BrowseBar::buildControls() {
  auto* box = new QWidget(this);
  k_ = new QSpinBox(box);
  k_->setRange(1, 500);
  k_->setValue(10);
  k_->setPrefix(tr("Top "));
  k_->setKeyboardTracking(false);
  k_->setAccessibleName(tr("Length of the lists"));
  k_->setToolTip(tr("Items per list, 1 … 500 and at most as many as there are candidates"));
  seen_ = new QComboBox(box);
  seen_->addItems(
      {tr("As measured"), tr("Keep seen items"), tr("Exclude training"), tr("Exclude all rated")});
  seen_->setAccessibleName(tr("Seen items"));
  seen_->setToolTip(
      tr("Which items of the user are left out: as the run's evaluation did, none, those of the "
         "training rows, or those of every imported row"));
  auto* layout = horizontalBox(box, 8);
  layout->addWidget(shown_, 1);
  layout->addWidget(k_);
  layout->addWidget(seen_);
  buildExports(box);
  connect(k_, &QSpinBox::valueChanged, this, &BrowseBar::listChanged);
  connect(seen_, &QComboBox::currentIndexChanged, this, &BrowseBar::listChanged);
  return box;
}

void BrowseBar::buildExports(QWidget* box) {
  copy_ = new QAction(tr("Copy the lists"), this);
  csv_ = new QAction(tr("Export the lists as CSV…"), this);
  json_ = new QAction(tr("Export the lists as JSON…"), this);
  copy_->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
  connect(copy_, &QAction::triggered, this, &BrowseBar::copyRequested);
  connect(csv_, &QAction::triggered, this, [this] { emit exportRequested(QStringLiteral("csv")); });
  connect(json_, &QAction::triggered, this,
          [this] { emit exportRequested(QStringLiteral("json")); });
  export_ = exportButton(tr("Export the lists"),
                         tr("Copy or save what is shown, with ids and exact scores"),
                         {copy_, csv_, json_}, box);
  box->layout()->addWidget(export_);
}

QWidget* BrowseBar::buildStrip() {
  auto* strip = new QWidget(this);
  stripText_ = new ElidedLabel(strip, ElidedLabel::Tone::kPlain);
  stripText_->setObjectName(QStringLiteral("shownRun"));
  replay_ = new ReplayBar(strip);
  pin_ = new QToolButton(strip);
  pin_->setObjectName(QStringLiteral("pinRun"));
  pin_->setText(tr("Pin"));
  pin_->setCheckable(true);
  pin_->setAccessibleName(tr("Keep this run"));
  pin_->setToolTip(
      tr("Keeps this run while Train shows another; otherwise Browse follows the run of Train"));
  newest_ = new QPushButton(strip);
  newest_->setObjectName(QStringLiteral("newestRun"));
  newest_->hide();
  auto* row = horizontalBox(strip, 8);
  row->addWidget(stripText_, 1);
  row->addWidget(replay_);
  row->addWidget(pin_);
  row->addWidget(newest_);
  connect(pin_, &QToolButton::clicked, this, &BrowseBar::pinChanged);
  connect(newest_, &QPushButton::clicked, this, &BrowseBar::newestRequested);
  strip->hide();
  return strip;
}

void BrowseBar::setStrip(const QString& text, const QString& newestName) {
  stripText_->setText(text);
  strip_->setVisible(!text.isEmpty());
  newest_->setVisible(!newestName.isEmpty());
  newest_->setText(tr("Show the newest: %1").arg(newestName));
  newest_->setAccessibleName(newest_->text());
  newest_->setToolTip(tr("Opens the model of the newest run, %1").arg(newestName));
}

QString BrowseBar::strip() const {
  return strip_->isHidden() ? QString() : stripText_->text();
}

bool BrowseBar::pinned() const {
  return pin_->isChecked();
}

void BrowseBar::setPinned(bool pinned) {
  pin_->setChecked(pinned);
}

QFrame* BrowseBar::buildNotice(QLabel** text) {
  auto* frame = new QFrame(this);
  frame->setFrameShape(QFrame::StyledPanel);
  frame->setAutoFillBackground(true);
  frame->setBackgroundRole(QPalette::AlternateBase);
  *text = new QLabel(frame);
  (*text)->setTextFormat(Qt::PlainText);
  (*text)->setWordWrap(true);
  auto* layout = new QHBoxLayout(frame);
  layout->setContentsMargins(12, 4, 8, 4);
  layout->addWidget(*text, 1);
  frame->hide();
  return frame;
}

void BrowseBar::setHasLists(bool lists) {
  for (QWidget* control : std::initializer_list<QWidget*>{k_, seen_, export_})
    control->setVisible(lists);
  for (QAction* action : exports()) action->setEnabled(lists);
}

std::int64_t BrowseBar::k() const {
  return k_->value();
}

std::optional<retrieval::SeenItems> BrowseBar::seen() const {
  const int index = seen_->currentIndex();
  return index == 0 ? std::nullopt : std::optional(static_cast<retrieval::SeenItems>(index - 1));
}

void BrowseBar::setList(std::int64_t k, std::optional<retrieval::SeenItems> seen) {
  k_->setValue(static_cast<int>(k));
  seen_->setCurrentIndex(seen ? static_cast<int>(*seen) + 1 : 0);
}

void BrowseBar::offerNewer(std::int64_t step) {
  newerText_->setText(
      tr("There is a newer model, of step %1.").arg(QString::fromStdString(formatCount(step))));
  newer_->show();
}

void BrowseBar::hideNewer() {
  newer_->hide();
}

bool BrowseBar::offersNewer() const {
  return !newer_->isHidden();
}

void BrowseBar::setNotice(const QString& text) {
  noticeText_->setText(text);
  notice_->setVisible(!text.isEmpty());
}

QString BrowseBar::notice() const {
  return notice_->isHidden() ? QString() : noticeText_->text();
}

}  // namespace parapet::ui
