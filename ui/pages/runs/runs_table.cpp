// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/runs_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <algorithm>
#include <array>

#include "ui/models/runs_format.h"
#include "ui/models/table_text.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

// Wide enough for the header with its arrow and for what the column usually holds; in a window 1280 wide
// the metric is in sight.
constexpr std::array<int, RunsModel::kColumnCount> kWidths{120, 140, 92,  104, 140, 124, 64, 60,
                                                           104, 80,  128, 80,  72,  92,  68, 80};

/// The width of a digit in the font that the widths are meant for.
constexpr double kDigitWidth = 8.0;

/// The state with a dot in its colour before the word.
class StateDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->text.prepend(QStringLiteral("● "));
    if (option->state & QStyle::State_Selected) return;
    const auto state = static_cast<experiment::RunState>(index.data(RunsModel::kStateRole).toInt());
    const StateTone tone = toneOf(state);
    option->palette.setColor(QPalette::Text, tone == StateTone::kGood ? goodColor(option->palette)
                                             : tone == StateTone::kCareful
                                                 ? carefulColor(option->palette)
                                                 : badColor(option->palette));
  }
};

}  // namespace

RunsTable::RunsTable(RunsFilter& runs, QWidget* parent) : QTableView(parent), runs_(runs) {
  setModel(&runs_);
  setAccessibleName(tr("Runs"));
  setObjectName(QStringLiteral("runs"));
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setWordWrap(false);
  setTextElideMode(Qt::ElideRight);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(26);
  QHeaderView* header = horizontalHeader();
  header->setHighlightSections(false);
  header->setSectionsMovable(true);
  header->setStretchLastSection(true);
  header->setMinimumSectionSize(64);
  setItemDelegateForColumn(RunsModel::kState, new StateDelegate(this));
  setSortingEnabled(true);
  sortByColumn(RunsModel::kCreated, Qt::DescendingOrder);
  // Titles leave room for the arrow of the order.
  const double wider =
      std::max(1.0, fontMetrics().horizontalAdvance(QLatin1Char('0')) / kDigitWidth);
  for (int column = 0; column < RunsModel::kColumnCount; ++column)
    header->resizeSection(column,
                          std::max(header->sectionSizeHint(column),
                                   qRound(kWidths[static_cast<std::size_t>(column)] * wider)));
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    if (filtering_) return;
    hidden_.clear();
    emit chosenChanged();
  });
  connect(&runs_, &RunsFilter::aboutToFilter, this, [this] {
    filtering_ = true;
    hidden_ += chosen();
  });
  connect(&runs_, &RunsFilter::filtered, this, &RunsTable::chooseAgain);
  connect(this, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    emit opened(index.data(RunsModel::kRunIdRole).toString());
  });
}

QStringList RunsTable::chosen() const {
  QModelIndexList rows = selectionModel()->selectedRows();
  std::ranges::sort(rows, {}, &QModelIndex::row);
  QStringList ids;
  for (const QModelIndex& row : rows) ids << row.data(RunsModel::kRunIdRole).toString();
  return ids;
}

void RunsTable::choose(const QStringList& runIds) {
  QItemSelection rows;
  for (int row = 0; row < runs_.rowCount(); ++row) {
    const QModelIndex first = runs_.index(row, 0);
    if (!runIds.contains(first.data(RunsModel::kRunIdRole).toString())) continue;
    if (rows.isEmpty()) selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    rows.select(first, first);
  }
  selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void RunsTable::chooseAgain() {
  choose(hidden_);
  for (const QString& id : chosen()) hidden_.removeAll(id);
  filtering_ = false;
  emit chosenChanged();
}

void RunsTable::enterEvent(QEnterEvent* event) {
  QTableView::enterEvent(event);
  emit hovered(true);
}

void RunsTable::leaveEvent(QEvent* event) {
  QTableView::leaveEvent(event);
  emit hovered(false);
}

void RunsTable::editName() {
  const QModelIndex current = currentIndex();
  if (!current.isValid()) return;
  edit(current.column() == RunsModel::kNotes ? current : current.siblingAtColumn(RunsModel::kName));
}

void RunsTable::copy() const {
  QList<int> rows;
  for (const QModelIndex& row : selectionModel()->selectedRows()) rows << row.row();
  std::ranges::sort(rows);
  QGuiApplication::clipboard()->setText(tableAsTsv(runs_, rows));
}

}  // namespace parapet::ui
