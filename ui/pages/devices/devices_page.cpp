// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/devices/devices_page.h"

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/base/files.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kLeastColumn = 104;

/// The outcome with a coloured dot before it; the word says the same.
class OutcomeDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.column() == DeviceModel::kReason || index.column() == DeviceModel::kPlugin)
      option->palette.setColor(QPalette::Text, quietColor(option->palette));
    if (index.column() != DeviceModel::kOutcome) return;
    const bool loaded = index.data(DeviceModel::kLoadedRole).toBool();
    QPixmap dot(10, 10);
    dot.fill(Qt::transparent);
    QPainter painter(&dot);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(loaded ? goodColor(option->palette) : carefulColor(option->palette));
    painter.drawEllipse(1, 1, 8, 8);
    painter.end();
    option->icon = QIcon(dot);
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->decorationSize = QSize(10, 10);
  }
};

QToolButton* buttonFor(QAction* action, const QString& text) {
  auto* button = new QToolButton;
  button->setDefaultAction(action);
  button->setText(text);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setAccessibleName(action->text());
  // Each change of the action would bring its long text back.
  QObject::connect(action, &QAction::changed, button, [button, text] { button->setText(text); });
  return button;
}

}  // namespace

DevicesPage::DevicesPage(Workbench&, QWidget* parent)
    : Page(parent),
      summary_(new QLabel),
      table_(new QTableView),
      refresh_(
          new QAction(lineIcon(QStringLiteral("refresh")), tr("Look for devices again"), this)),
      copy_(new QAction(lineIcon(QStringLiteral("copy")), tr("Copy the devices"), this)),
      exportCsv_(
          new QAction(lineIcon(QStringLiteral("export")), tr("Export the devices as CSV…"), this)),
      exportJson_(new QAction(lineIcon(QStringLiteral("export")), tr("Export the devices as JSON…"),
                              this)) {
  setObjectName(QStringLiteral("devicesPage"));
  refresh_->setToolTip(tr("Asks every plugin again; takes a moment"));
  copy_->setToolTip(tr("Copies the table as CSV"));
  makeTable();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(24, 24, 24, 16);
  layout->setSpacing(16);
  layout->addWidget(makeHeader());
  layout->addWidget(table_, 1);
  connect(refresh_, &QAction::triggered, this, &DevicesPage::refresh);
  connect(copy_, &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(model_.asCsv()); });
  connect(exportCsv_, &QAction::triggered, this,
          [this] { exportTo(QStringLiteral("csv"), model_.asCsv()); });
  connect(exportJson_, &QAction::triggered, this,
          [this] { exportTo(QStringLiteral("json"), model_.asJson()); });
  refresh();
}

QWidget* DevicesPage::makeHeader() {
  auto* heading = new QLabel(tr("Devices"));
  QFont large = heading->font();
  large.setPointSizeF(large.pointSizeF() * 1.5);
  large.setBold(true);
  heading->setFont(large);
  summary_->setAccessibleName(tr("Summary"));
  auto* header = new QWidget;
  auto* layout = new QHBoxLayout(header);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(4);
  texts->addWidget(heading);
  texts->addWidget(summary_);
  layout->addLayout(texts, 1);
  layout->addWidget(buttonFor(refresh_, tr("Refresh")), 0, Qt::AlignBottom);
  layout->addWidget(buttonFor(copy_, tr("Copy")), 0, Qt::AlignBottom);
  layout->addWidget(buttonFor(exportCsv_, tr("CSV…")), 0, Qt::AlignBottom);
  layout->addWidget(buttonFor(exportJson_, tr("JSON…")), 0, Qt::AlignBottom);
  return header;
}

void DevicesPage::makeTable() {
  sorted_.setSourceModel(&model_);
  sorted_.setSortRole(DeviceModel::kSortRole);
  table_->setModel(&sorted_);
  table_->setItemDelegate(new OutcomeDelegate(table_));
  table_->setSortingEnabled(true);
  table_->sortByColumn(DeviceModel::kName, Qt::AscendingOrder);
  table_->setShowGrid(false);
  table_->setAlternatingRowColors(true);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(32);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->setAccessibleName(tr("Devices and plugins"));
}

void DevicesPage::refresh() {
  refresh_->setEnabled(false);
  summary_->setText(tr("Looking…"));
  using Answer = Result<std::vector<workspace::DeviceInfo>>;
  background_.start(
      [](const WorkContext&) -> Answer { return workspace::Workspace::devices(); },
      [this](Answer answer) {
        refresh_->setEnabled(true);
        if (!answer) return summary_->setText(QString::fromStdString(answer.error().text()));
        model_.setDevices(std::move(answer).value());
        table_->resizeColumnsToContents();
        for (int column = 0; column < DeviceModel::kReason; ++column)
          table_->setColumnWidth(column, std::max(kLeastColumn, table_->columnWidth(column) + 24));
        summary_->setText(
            tr("%1 of %2 can train. Name them in the mesh of an experiment, as cpu:0 or cpu*4.")
                .arg(model_.loaded())
                .arg(model_.rowCount()));
      });
}

void DevicesPage::exportTo(const QString& suffix, const QString& text) {
  auto* dialog = new QFileDialog(window(), tr("Export the devices"), QString(),
                                 QStringLiteral("*.%1").arg(suffix));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  connect(dialog, &QFileDialog::fileSelected, this, [this, text](const QString& file) {
    const Status saved = writeFileAtomically(file.toStdString(), text.toStdString());
    emit messageRequested(saved.ok() ? tr("Exported to %1").arg(file)
                                     : QString::fromStdString(saved.error().text()));
  });
  dialog->open();
}

}  // namespace parapet::ui
