// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/command_bar.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QPainter>

#include "ui/models/terminal_command.h"
#include "ui/style/box_layout.h"
#include "ui/style/icon_label.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

/// What a page shows changes without telling; a command that is half a second old is not wrong.
constexpr int kCommandRefreshMs = 500;

}  // namespace

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
