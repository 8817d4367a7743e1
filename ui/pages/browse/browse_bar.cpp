// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/browse_bar.h"

#include <QAction>
#include <QComboBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

#include "engine/base/text.h"
#include "ui/forms/elided_label.h"
#include "ui/forms/export_button.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

BrowseBar::BrowseBar(workspace::Workspace& workspace, QWidget* parent) : QWidget(parent) {
  shown_ = new ModelPicker(workspace, tr("Model"), QString(), this);
  column_ = new ColumnBar(workspace, this);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(buildControls());
  layout->addWidget(strip_ = buildStrip());
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
  seen_->addItems({tr("Keep seen items"), tr("Exclude training"), tr("Exclude all rated")});
  seen_->setCurrentIndex(1);
  seen_->setAccessibleName(tr("Seen items"));
  seen_->setToolTip(
      tr("Which items of the user are left out: none, those of the training rows, "
         "or those of every imported row"));
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
  replay_ = new ReplayBar(strip);
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

retrieval::SeenItems BrowseBar::seen() const {
  return static_cast<retrieval::SeenItems>(seen_->currentIndex());
}

void BrowseBar::setList(std::int64_t k, retrieval::SeenItems seen) {
  k_->setValue(static_cast<int>(k));
  seen_->setCurrentIndex(static_cast<int>(seen));
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
