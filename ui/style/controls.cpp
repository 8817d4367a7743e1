// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/controls.h"

#include <QApplication>
#include <QCursor>
#include <QPainter>
#include <QVariant>
#include <algorithm>

#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kHeight = 6;
/// QProgressBar counts in int; shares finer than a pixel are enough.
constexpr int kResolution = 10'000;
constexpr double kFaint = 0.35;

void paintBorder(QWidget& popup, QPalette::ColorRole ground) {
  QPainter painter(&popup);
  painter.setPen(borderColor(popup.palette()));
  painter.setBrush(popup.palette().color(ground));
  painter.drawRect(popup.rect().adjusted(0, 0, -1, -1));
}

constexpr const char* kReason = "whyDisabled";
constexpr const char* kOwnTip = "toolTipWhenEnabled";

template <class Control>
void setUsableOf(Control& control, bool usable, const QString& reason) {
  const QString before = whyDisabled(control);
  // Between two calls other code may have set another tooltip.
  const bool isExtended = !before.isEmpty() && control.toolTip().endsWith(before);
  const QString own = isExtended ? control.property(kOwnTip).toString() : control.toolTip();
  control.setProperty(kOwnTip, own);
  control.setProperty(kReason, usable ? QString() : reason);
  control.setEnabled(usable);
  control.setToolTip(usable || reason.isEmpty() ? own
                     : own.isEmpty()            ? reason
                                                : own + QLatin1Char('\n') + reason);
}

QToolButton* flatButton(const QString& accessibleName, const QString& toolTip, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setAutoRaise(true);
  button->setAccessibleName(accessibleName);
  button->setToolTip(toolTip);
  return button;
}

}  // namespace

IconLabel::IconLabel(const QString& iconName, int size, QWidget* parent)
    : QWidget(parent), icon_(lineIcon(iconName)) {
  setFixedSize(size, size);
}

void IconLabel::setIconName(const QString& iconName) {
  icon_ = lineIcon(iconName);
  update();
}

void IconLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  icon_.paint(&painter, rect());
}

ThinProgressBar::ThinProgressBar(QWidget* parent) : QProgressBar(parent) {
  setTextVisible(false);
  setFixedHeight(kHeight);
  setRange(0, kResolution);
}

void ThinProgressBar::showShare(std::int64_t done, std::int64_t total) {
  setRange(0, total > 0 ? kResolution : 0);
  if (total <= 0) return;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  setValue(static_cast<int>(kResolution * std::clamp(share, 0.0, 1.0)));
}

void ThinProgressBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  const double radius = height() / 2.0;
  QRectF line = rect();
  painter.setBrush(lineColor(palette()));
  painter.drawRoundedRect(line, radius, radius);
  painter.setBrush(palette().highlight());
  if (maximum() == minimum()) {
    painter.setOpacity(kFaint);
  } else {
    if (value() <= minimum()) return;
    const double share =
        static_cast<double>(value() - minimum()) / static_cast<double>(maximum() - minimum());
    line.setWidth(std::max(2.0 * radius, share * line.width()));
  }
  painter.drawRoundedRect(line, radius, radius);
}

QSize TallRows::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QStyledItemDelegate::sizeHint(option, index) + QSize(kRoom, kRoom);
}

void showAsList(QTreeView& view) {
  view.setRootIsDecorated(false);
  view.setUniformRowHeights(true);
  view.setAllColumnsShowFocus(true);
  view.setHeaderHidden(true);
  view.setFrameShape(QFrame::NoFrame);
  view.setEditTriggers(QAbstractItemView::EditKeyPressed);
  view.setItemDelegate(new TallRows(&view));
}

PopupDialog::PopupDialog(QWidget* parent) : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint) {}

void PopupDialog::paintEvent(QPaintEvent*) {
  paintBorder(*this, QPalette::Base);
}

PopupFrame::PopupFrame(QWidget* parent) : QFrame(parent, Qt::Popup) {
  // A line of its own, which what stands inside keeps clear of.
  setFrameShape(QFrame::Box);
  setLineWidth(1);
}

void PopupFrame::paintEvent(QPaintEvent*) {
  paintBorder(*this, QPalette::Window);
}

void setUsable(QWidget& control, bool usable, const QString& reason) {
  setUsableOf(control, usable, reason);
}

void setUsable(QAction& action, bool usable, const QString& reason) {
  setUsableOf(action, usable, reason);
}

QString whyDisabled(const QObject& control) {
  return control.property(kReason).toString();
}

QToolButton* textButton(const QString& text, const QString& toolTip, QWidget* parent) {
  auto* button = flatButton(toolTip, toolTip, parent);
  button->setText(text);
  return button;
}

QToolButton* closeButton(const QString& accessibleName, const QString& toolTip, QWidget* parent) {
  auto* button = flatButton(accessibleName, toolTip, parent);
  button->setIcon(lineIcon(QStringLiteral("clear")));
  return button;
}

namespace {
constexpr const char* kHoldsStill = "holdsStill";
}  // namespace

void setHoldsStill(QWidget& widget) {
  widget.setProperty(kHoldsStill, true);
}

bool holdsStill() {
  for (const QWidget* at = QApplication::widgetAt(QCursor::pos()); at; at = at->parentWidget())
    if (at->property(kHoldsStill).toBool()) return true;
  return false;
}

}  // namespace parapet::ui
