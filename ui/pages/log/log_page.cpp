// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/log/log_page.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QToolButton>

#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {
namespace {

QToolButton* buttonFor(QAction* action, const QString& text) {
  auto* button = new QToolButton;
  button->setDefaultAction(action);
  button->setText(text);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setAutoRaise(true);
  button->setAccessibleName(action->text());
  QObject::connect(action, &QAction::changed, button, [button, text] { button->setText(text); });
  return button;
}

}  // namespace

LogPage::LogPage(LogModel& model, QWidget* parent)
    : Page(parent),
      model_(model),
      table_(new QTableView),
      copy_(new QAction(lineIcon(QStringLiteral("copy")), tr("Copy the log"), this)),
      clear_(new QAction(lineIcon(QStringLiteral("clear")), tr("Clear the log"), this)) {
  setObjectName(QStringLiteral("logPage"));
  shown_.setSourceModel(&model_);
  table_->setModel(&shown_);
  table_->setShowGrid(false);
  table_->setFrameShape(QFrame::NoFrame);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->setColumnWidth(LogModel::kTime, fontMetrics().horizontalAdvance("00:00:00.000") + 24);
  table_->setColumnWidth(LogModel::kLevel, fontMetrics().horizontalAdvance("warning") + 24);
  table_->setAccessibleName(tr("Log messages"));
  auto* layout = verticalBox(this, 8, {16, 12, 16, 8});
  layout->addWidget(makeControls());
  layout->addWidget(table_, 1);
  connect(copy_, &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(shown_.asText()); });
  connect(clear_, &QAction::triggered, &model_, &LogModel::clear);
  connect(&shown_, &QAbstractItemModel::rowsInserted, this, &LogPage::followEnd);
}

QWidget* LogPage::makeControls() {
  auto* level = new QComboBox;
  level->addItem(tr("All levels"), static_cast<int>(LogLevel::kInfo));
  level->addItem(tr("Warnings and errors"), static_cast<int>(LogLevel::kWarning));
  level->addItem(tr("Errors"), static_cast<int>(LogLevel::kError));
  level->setAccessibleName(tr("Minimum level"));
  level->setToolTip(tr("Hides messages below this level"));
  auto* filter = new QLineEdit;
  filter->setPlaceholderText(tr("Filter messages"));
  filter->setClearButtonEnabled(true);
  filter->setAccessibleName(tr("Filter messages"));
  filter->setToolTip(tr("Shows messages that contain this text"));
  filter->setMaximumWidth(320);
  connect(level, &QComboBox::currentIndexChanged, this, [this, level] {
    shown_.setMinLevel(static_cast<LogLevel>(level->currentData().toInt()));
  });
  connect(filter, &QLineEdit::textChanged, &shown_, &LogFilterModel::setText);
  copy_->setToolTip(tr("Copies the messages that are shown"));
  clear_->setToolTip(tr("Removes all messages from this list"));
  auto* controls = new QWidget;
  auto* layout = horizontalBox(controls, 8);
  layout->addWidget(level);
  layout->addWidget(filter, 1);
  layout->addStretch();
  layout->addWidget(buttonFor(copy_, tr("Copy")));
  layout->addWidget(buttonFor(clear_, tr("Clear")));
  return controls;
}

// The terminal prints its messages as they come; what is wrong with the workspace it tells anew.
QString LogPage::terminalCommand() const {
  return QStringLiteral("parapet-cli doctor");
}

// A person who has scrolled up to read is left there.
void LogPage::followEnd() {
  const QScrollBar* bar = table_->verticalScrollBar();
  if (bar->value() >= bar->maximum() - 1) table_->scrollToBottom();
}

}  // namespace parapet::ui
