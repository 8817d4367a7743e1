// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/command_bar.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QPainter>
#include <QToolButton>
#include <algorithm>

#include "ui/models/terminal_command.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

// Low enough for ten pages in the smallest window.
constexpr int kMinButtonWidth = 88, kButtonHeight = 48, kIcon = 22, kBesideName = 5;

/// Icon above name; the current one has a bar at its left and a tinted ground.
class PageButton final : public QToolButton {
 public:
  PageButton() {
    setFixedHeight(kButtonHeight);
    setIconSize({kIcon, kIcon});
    setFocusPolicy(Qt::TabFocus);
  }
  [[nodiscard]] QSize sizeHint() const override {
    const int name = fontMetrics().horizontalAdvance(text()) + 2 * kBesideName;
    return {std::max(kMinButtonWidth, name), kButtonHeight};
  }
  [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    QColor tint = palette().color(QPalette::Highlight);
    if (isChecked() || underMouse() || hasFocus()) {
      QColor ground = tint;
      ground.setAlpha(isChecked() ? 36 : 18);
      painter.fillRect(rect(), ground);
    }
    if (isChecked()) painter.fillRect(0, 0, 3, height(), tint);
    const QRect iconAt((width() - kIcon) / 2, 5, kIcon, kIcon);
    icon().paint(&painter, iconAt, Qt::AlignCenter, QIcon::Normal,
                 isChecked() ? QIcon::On : QIcon::Off);
    painter.setPen(isChecked() ? palette().color(QPalette::WindowText) : quietColor(palette()));
    painter.drawText(rect().adjusted(0, kIcon + 6, 0, -2), Qt::AlignHCenter | Qt::AlignVCenter,
                     text());
    if (hasFocus()) {
      painter.setPen(QPen(focusColor(palette()), 2));
      painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
  }
};

/// The command of a page changes without telling; a command that is half a second old is not wrong.
constexpr int kCommandRefreshMs = 500;

}  // namespace

PageBar::PageBar(QWidget* parent) : QWidget(parent), layout_(new QVBoxLayout(this)) {
  setObjectName(QStringLiteral("pageBar"));
  setAccessibleName(tr("Pages"));
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  layout_->setContentsMargins(0, 0, 1, 0);
  layout_->setSpacing(0);
  layout_->addStretch();
  group_.setExclusive(true);
}

QAction* PageBar::addPage(const QString& name, const QString& title, const QString& iconName) {
  auto* action = new QAction(lineIcon(iconName), title, this);
  const auto number = group_.actions().size() + 1;
  action->setCheckable(true);
  action->setData(name);
  action->setObjectName(QStringLiteral("page.") + name);
  // The tenth has the key after that of the ninth.
  if (number <= 10) action->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number % 10)));
  action->setToolTip(tr("Shows the page %1 (%2)")
                         .arg(title, action->shortcut().toString(QKeySequence::NativeText)));
  group_.addAction(action);
  auto* button = new PageButton;
  button->setDefaultAction(action);
  button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  button->setAccessibleName(title);
  button->setObjectName(QStringLiteral("pageButton.") + name);
  layout_->insertWidget(layout_->count() - 1, button);
  connect(action, &QAction::triggered, this, [this, name] { emit pageChosen(name); });
  return action;
}

void PageBar::setCurrent(const QString& name) {
  for (QAction* action : group_.actions())
    if (action->data().toString() == name) action->setChecked(true);
}

void PageBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(width() - 1, 0, 1, height(), lineColor(palette()));
}

CommandBar::CommandBar(std::filesystem::path workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(std::move(workspace)),
      text_(new QLineEdit),
      copy_(new QAction(lineIcon(QStringLiteral("copy")), tr("Copy the terminal command"), this)) {
  setObjectName(QStringLiteral("commandBar"));
  text_->setReadOnly(true);
  text_->setFrame(false);
  text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  text_->setAccessibleName(tr("Terminal command that does the same"));
  text_->setToolTip(tr("The terminal command for what this page shows"));
  text_->setAutoFillBackground(false);
  QPalette transparent = text_->palette();
  transparent.setColor(QPalette::Base, Qt::transparent);
  text_->setPalette(transparent);
  copy_->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+K")));
  copy_->setToolTip(tr("Copies the terminal command (Ctrl+Shift+K)"));
  copy_->setObjectName(QStringLiteral("command.copy"));
  auto* button = new QToolButton;
  button->setDefaultAction(copy_);
  button->setText(tr("Copy"));
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setAutoRaise(true);
  button->setAccessibleName(tr("Copy the terminal command"));
  auto* layout = horizontalBox(this, 8, {16, 4, 8, 4});
  layout->addWidget(new IconLabel(QStringLiteral("terminal")));
  layout->addWidget(text_, 1);
  layout->addWidget(button);
  connect(copy_, &QAction::triggered, this, &CommandBar::copy);
  connect(copy_, &QAction::changed, button, [button] { button->setText(tr("Copy")); });
  connect(&timer_, &QTimer::timeout, this, &CommandBar::refresh);
  timer_.start(kCommandRefreshMs);
}

void CommandBar::setPage(const Page* page) {
  page_ = page;
  refresh();
}

void CommandBar::refresh() {
  if (!page_ || !isVisible()) return;
  const QString command = wholeCommand();
  if (command == text_->text() || text_->hasSelectedText()) return;
  text_->setText(command);
  text_->setCursorPosition(0);
}

QString CommandBar::wholeCommand() const {
  return inWorkspace(page_->terminalCommand(), workspace_);
}

void CommandBar::copy() {
  if (page_) QGuiApplication::clipboard()->setText(wholeCommand());
}

void CommandBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(0, 0, width(), 1, lineColor(palette()));
}

}  // namespace parapet::ui
