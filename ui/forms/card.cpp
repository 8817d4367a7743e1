// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/card.h"

#include <QApplication>
#include <QDesktopServices>
#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QUrl>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr double kRadius = 8.0;

}  // namespace

ElidedLabel::ElidedLabel(QWidget* parent, Tone tone) : QWidget(parent), tone_(tone) {
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ElidedLabel::setText(const QString& text) {
  text_ = shownText(text);
  setToolTip(text_);
  setAccessibleName(text_);
  updateGeometry();
  update();
}

QSize ElidedLabel::sizeHint() const {
  return fontMetrics().size(0, text_.isEmpty() ? QStringLiteral(" ") : text_);
}

QSize ElidedLabel::minimumSizeHint() const {
  return {0, sizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(tone_ == Tone::kQuiet ? quietColor(palette())
                                       : palette().color(QPalette::WindowText));
  QStringList lines = text_.split(QLatin1Char('\n'));
  for (QString& line : lines) line = fontMetrics().elidedText(line, Qt::ElideRight, width());
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, lines.join(QLatin1Char('\n')));
}

QToolButton* infoSign(const QString& target, const QString& title, QWidget* parent) {
  auto* sign = new QToolButton(parent);
  sign->setObjectName(QStringLiteral("info.") + target);
  sign->setAutoRaise(true);
  sign->setIcon(lineIcon(QStringLiteral("info")));
  sign->setIconSize({14, 14});
  sign->setFocusPolicy(Qt::TabFocus);
  sign->setAccessibleName(QObject::tr("About: %1").arg(title));
  sign->setToolTip(target.startsWith(QLatin1String("glossary/"))
                       ? QObject::tr("What the glossary says about it")
                       : QObject::tr("What the documents say about it"));
  QObject::connect(sign, &QToolButton::clicked, sign, [target] {
    QUrl url(target);
    url.setScheme(QLatin1String(kHelpScheme));
    QDesktopServices::openUrl(url);
  });
  return sign;
}

QWidget* titleWithSign(QWidget* title, const QString& target) {
  auto* both = new QWidget;
  auto* line = horizontalBox(both, 4);
  const auto* label = qobject_cast<const QLabel*>(title);
  line->addWidget(title);
  line->addWidget(infoSign(target, label ? label->text() : QString(), both));
  line->addStretch(1);
  return both;
}

nlohmann::json splitterState(const QSplitter& splitter) {
  const QList<int> sizes = splitter.sizes();
  return std::vector<int>(sizes.begin(), sizes.end());
}

void restoreSplitter(QSplitter& splitter, const nlohmann::json& pageState) {
  const auto sizes = pageState.find("splitter");
  if (sizes == pageState.end() || !sizes->is_array()) return;
  const auto isNumber = [](const nlohmann::json& size) { return size.is_number_integer(); };
  if (sizes->size() != static_cast<std::size_t>(splitter.count()) ||
      !std::ranges::all_of(*sizes, isNumber))
    return;
  const auto numbers = sizes->get<std::vector<int>>();
  splitter.setSizes({numbers.begin(), numbers.end()});
}

void Card::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(lineColor(palette()), 1));
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
}

QLabel* headingLabel(const QString& text, TextSize size) {
  auto* label = new QLabel(text);
  label->setFont(textFont(size, QFont::Bold));
  label->setObjectName(QStringLiteral("sectionTitle"));
  return label;
}

QPushButton* roomyButton(const QString& text) {
  auto* button = new QPushButton(text);
  button->setMinimumSize(button->sizeHint() + QSize(16, 6));
  return button;
}

QuietLabel::QuietLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
  recolour();
}

void QuietLabel::recolour() {
  if (std::exchange(recolouring_, true)) return;
  // Only this role: a label with a palette of its own would hear of no change of theme.
  QPalette colors;
  colors.setColor(QPalette::WindowText, quietColor(QApplication::palette()));
  setPalette(colors);
  recolouring_ = false;
}

void QuietLabel::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() == QEvent::ApplicationPaletteChange || event->type() == QEvent::PaletteChange)
    recolour();
}

}  // namespace parapet::ui
