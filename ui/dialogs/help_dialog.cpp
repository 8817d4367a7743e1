// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/help_dialog.h"

#include <QFile>
#include <QHeaderView>
#include <QTableView>

#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr QSize kHelpSize(720, 480);

}  // namespace

HelpDialog::HelpDialog(const QString& title, const QStringList& titles, const Entries& entries,
                       QWidget* parent)
    : QDialog(parent), filter_(new QLineEdit(this)) {
  setObjectName(QStringLiteral("helpDialog"));
  setWindowTitle(title);
  resize(kHelpSize);
  all_.setHorizontalHeaderLabels(titles);
  for (const auto& [term, meaning] : entries)
    all_.appendRow({new QStandardItem(term), new QStandardItem(meaning)});
  shown_.setSourceModel(&all_);
  shown_.setFilterKeyColumn(-1);
  shown_.setFilterCaseSensitivity(Qt::CaseInsensitive);
  filter_->setPlaceholderText(tr("Search"));
  filter_->setAccessibleName(tr("Search"));
  filter_->setToolTip(tr("Shows the lines that contain this text"));
  filter_->setClearButtonEnabled(true);
  connect(filter_, &QLineEdit::textChanged, &shown_, &QSortFilterProxyModel::setFilterFixedString);
  auto* table = new QTableView(this);
  table->setModel(&shown_);
  table->setAccessibleName(title);
  table->setShowGrid(false);
  table->setWordWrap(true);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setTabKeyNavigation(false);
  table->verticalHeader()->hide();
  table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  table->horizontalHeader()->setStretchLastSection(true);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  auto* layout = verticalBox(this, 8, {16, 16, 16, 16});
  layout->addWidget(filter_);
  layout->addWidget(table, 1);
  filter_->setFocus();
}

HelpDialog::Entries glossary() {
  HelpDialog::Entries entries;
  QFile file(QStringLiteral(":/glossary.tsv"));
  if (!file.open(QIODevice::ReadOnly)) return entries;
  for (const QString& line : QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts))
    entries.append({line.section('\t', 0, 0), line.section('\t', 1)});
  return entries;
}

}  // namespace parapet::ui
