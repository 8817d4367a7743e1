// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/notice_bar.h"

#include <QPainter>
#include <utility>

#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

/// While a notice waits for the mouse to leave.
constexpr int kHoldMs = 150;

QString iconOf(LogLevel level) {
  switch (level) {
    case LogLevel::kWarning:
      return QStringLiteral("warning");
    case LogLevel::kError:
      return QStringLiteral("error");
    case LogLevel::kInfo:
      break;
  }
  return QStringLiteral("info");
}

}  // namespace

NoticeRow::NoticeRow(QWidget* parent, std::function<bool()> mayMove)
    : QWidget(parent),
      mayMove_(std::move(mayMove)),
      icon_(new IconLabel(iconOf(level_))),
      text_(new QLabel),
      button_(new QPushButton) {
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  text_->setAccessibleName(tr("Notice"));
  auto* close = closeButton(tr("Close the notice"), tr("Closes this notice"), this);
  auto* layout = horizontalBox(this, 12, {16, 8, 8, 8});
  layout->addWidget(icon_);
  layout->addWidget(text_, 1);
  layout->addWidget(button_);
  layout->addWidget(close);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  connect(button_, &QPushButton::clicked, this, [this] {
    hide();
    if (action_) action_();
  });
  fade_.setObjectName(QStringLiteral("fade"));
  callAfterPause(fade_, kFadeMs, this, &NoticeRow::goAway);
  hide();
}

void NoticeRow::show(LogLevel level, const QString& text, const QString& actionText,
                     std::function<void()> action, Lasts lasts) {
  level_ = level;
  lasts_ = lasts;
  action_ = std::move(action);
  icon_->setIconName(iconOf(level));
  text_->setText(shownText(text));
  button_->setText(actionText);
  button_->setAccessibleName(actionText);
  button_->setVisible(!actionText.isEmpty());
  QWidget::show();
  update();
  fadeLater();
}

void NoticeRow::fadeLater() {
  fade_.stop();
  const bool isUndo = lasts_ == Lasts::kUndo;
  if (level_ == LogLevel::kInfo && (!action_ || isUndo) && !underMouse())
    fade_.start(isUndo ? kUndoMs : kFadeMs);
}

void NoticeRow::goAway() {
  if (mayMove_ && !mayMove_() && isVisible())
    fade_.start(kHoldMs);
  else
    hide();
}

void NoticeRow::leave(Lasts cause) {
  if (lasts_ == cause) goAway();
}

void NoticeRow::enterEvent(QEnterEvent*) {
  fade_.stop();
}

void NoticeRow::leaveEvent(QEvent*) {
  fadeLater();
}

void NoticeRow::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QColor tint = level_ == LogLevel::kError     ? badColor(palette())
                : level_ == LogLevel::kWarning ? carefulColor(palette())
                                               : palette().color(QPalette::Highlight);
  painter.fillRect(0, 0, 4, height(), tint);
  tint.setAlpha(28);
  painter.fillRect(rect(), tint);
}

NoticeBar::NoticeBar(QWidget* parent)
    : QWidget(parent),
      offer_(new NoticeRow(this, [] { return !holdsStill(); })),
      plain_(new NoticeRow(this, [] { return !holdsStill(); })) {
  setObjectName(QStringLiteral("noticeBar"));
  auto* layout = verticalBox(this, 0);
  layout->addWidget(plain_);
  layout->addWidget(offer_);
  look_.setInterval(kHoldMs);
  connect(&look_, &QTimer::timeout, this, &NoticeBar::showWaiting);
}

void NoticeBar::show(LogLevel level, const QString& text, const QString& actionText,
                     std::function<void()> action, Lasts lasts) {
  newest_ = shownText(text);
  if (!actionText.isEmpty()) offered_.clear();
  waiting_.push_back({level, text, actionText, std::move(action), lasts});
  showWaiting();
}

void NoticeBar::showWaiting() {
  if (!waiting_.empty() && holdsStill()) return look_.start();
  look_.stop();
  for (Waiting& notice : std::exchange(waiting_, {})) showNow(std::move(notice));
}

void NoticeBar::showNow(Waiting notice) {
  // Once is enough.
  if (notice.actionText.isEmpty() && offer_->isVisible() &&
      offer_->text() == shownText(notice.text))
    return;
  NoticeRow* row = notice.actionText.isEmpty() ? plain_ : offer_;
  row->show(notice.level, notice.text, notice.actionText, std::move(notice.action), notice.lasts);
}

void NoticeBar::leaveRun(const QString& runId) {
  if (runId.isEmpty()) return;
  std::erase_if(waiting_, [&](const Waiting& notice) { return notice.text.contains(runId); });
  if (plain_->text().contains(runId)) plain_->goAway();
  if (offered_ == runId) offer_->goAway();
}

void NoticeBar::leave(Lasts cause) {
  std::erase_if(waiting_, [cause](const Waiting& notice) { return notice.lasts == cause; });
  for (NoticeRow* row : {plain_, offer_}) row->leave(cause);
}

}  // namespace parapet::ui
