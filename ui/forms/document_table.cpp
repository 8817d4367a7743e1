// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/document_table.h"

#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QResizeEvent>
#include <QScrollBar>
#include <QShortcut>
#include <algorithm>

#include "ui/forms/card.h"
#include "ui/forms/cell_delegates.h"
#include "ui/forms/report_view.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

constexpr int kMaxDocumentRows = 8;
constexpr int kRowHeight = 32;
constexpr int kCellSpace = 16;
// A column that is wider than its cells by less is left as it is: widths would jump while typing.
constexpr int kSlack = 24;
// A path is elided in its middle; its tooltip has the rest.
constexpr int kMaxPathWidth = 360;

}  // namespace

DocumentTable::DocumentTable(DocumentRowsModel* model, const QString& title,
                             const QString& emptyText, QWidget* parent)
    : QWidget(parent),
      model_(model),
      view_(new QTableView(this)),
      empty_(new QLabel(emptyText, this)) {
  model->setParent(this);
  view_->setAccessibleName(title);
  auto* layout = verticalBox(this, 8);
  auto* titleBox = new QWidget;
  auto* heading = new QLabel(title, this);
  heading->setObjectName(QStringLiteral("sectionTitle"));
  QFont font = heading->font();
  font.setBold(true);
  heading->setFont(font);
  headLine_ = horizontalBox(titleBox, 4);
  headLine_->addWidget(heading);
  headLine_->addStretch(1);
  // Where the list is narrow the buttons go on below the title.
  auto* head = new QWidget(this);
  auto* flow = new FlowLayout(head, 4, 0);
  flow->fillLines();
  flow->addWidget(titleBox);
  makeButtons(*flow);
  layout->addWidget(head);
  layout->addWidget(view_);
  empty_->setForegroundRole(QPalette::PlaceholderText);
  empty_->setWordWrap(true);
  layout->addWidget(empty_);
  makeView();
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(model_, signal, this, &DocumentTable::follow);
  connect(model_, &QAbstractItemModel::dataChanged, this, &DocumentTable::fitHeight);
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &DocumentTable::follow);
  follow();
}

QSize DocumentTable::minimumSizeHint() const {
  QSize size = QWidget::minimumSizeHint();
  size.setHeight(std::max(size.height(), layout()->totalMinimumHeightForWidth(width())));
  return size;
}

// Stacks and splitters ask for no height of a width.
void DocumentTable::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->oldSize().width() != event->size().width()) updateGeometry();
}

void DocumentTable::setHelp(const QString& target) {
  headLine_->insertWidget(1, infoSign(target, view_->accessibleName(), this));
}

QToolButton* DocumentTable::makeButton(QLayout& line, const QString& text, const QString& toolTip) {
  auto* button = textButton(text, toolTip, this);
  line.addWidget(button);
  return button;
}

void DocumentTable::makeButtons(QLayout& line) {
  if (model_->ordered()) makeMoves(line);
  add_ = makeButton(line, tr("Add"), tr("Add a row at the end"));
  duplicate_ = makeButton(line, tr("Duplicate"), tr("Copy the selected row (Ctrl+D)"));
  remove_ = makeButton(line, tr("Remove"), tr("Remove the selected row (Del)"));
  additions_ = new QMenu(this);
  connect(add_, &QToolButton::clicked, this, [this] {
    if (ask_) return ask_();
    model_->additions().isEmpty() ? add(-1) : offerAdditions();
  });
  connect(duplicate_, &QToolButton::clicked, this, [this] {
    if (const int row = model_->duplicateRow(currentRow()); row >= 0)
      view_->setCurrentIndex(model_->index(row, 0));
  });
  connect(remove_, &QToolButton::clicked, this, [this] {
    if (currentRow() >= 0) model_->removeRowAt(currentRow());
  });
}

void DocumentTable::setAdd(std::function<void()> ask, const QString& text, const QString& toolTip) {
  ask_ = std::move(ask);
  add_->setText(text);
  add_->setToolTip(toolTip);
}

void DocumentTable::makeMoves(QLayout& line) {
  up_ = makeButton(line, tr("Up"), tr("Move the selected row up (Alt+↑)"));
  down_ = makeButton(line, tr("Down"), tr("Move the selected row down (Alt+↓)"));
  connect(up_, &QToolButton::clicked, this, [this] { move(-1); });
  connect(down_, &QToolButton::clicked, this, [this] { move(1); });
}

void DocumentTable::offerAdditions() {
  additions_->clear();
  const QStringList texts = model_->additions();
  for (int index = 0; index < texts.size(); ++index) {
    // A menu sets what follows a tab in a column of its own.
    const QString purpose = model_->purposeOf(index);
    QAction* action = additions_->addAction(
        purpose.isEmpty() ? texts[index] : texts[index] + QLatin1Char('\t') + purpose, this,
        [this, index] { add(index); });
    action->setToolTip(purpose);
  }
  additions_->popup(add_->mapToGlobal(add_->rect().bottomLeft()));
}

void DocumentTable::add(int addition) {
  view_->setCurrentIndex(model_->index(model_->addRow(addition), 0));
}

void DocumentTable::move(int by) {
  const QModelIndex at = view_->currentIndex();
  if (at.isValid() && model_->moveRow(at.row(), at.row() + by))
    view_->setCurrentIndex(model_->index(at.row() + by, at.column()));
}

void DocumentTable::connectKeys() {
  const auto bind = [this](const QKeySequence& keys, QToolButton* button) {
    if (button == nullptr) return;
    connect(new QShortcut(keys, view_, nullptr, nullptr, Qt::WidgetShortcut), &QShortcut::activated,
            button, &QToolButton::click);
  };
  bind(QKeySequence::Delete, remove_);
  bind(Qt::CTRL | Qt::Key_D, duplicate_);
  bind(Qt::ALT | Qt::Key_Up, up_);
  bind(Qt::ALT | Qt::Key_Down, down_);
}

void DocumentTable::makeView() {
  view_->setHorizontalHeader(new RoomyHeader(view_));
  view_->setModel(model_);
  view_->setItemDelegate(new RoomyDelegate(view_));
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked |
                         QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
  view_->setAlternatingRowColors(true);
  view_->setShowGrid(false);
  view_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(kRowHeight);
  view_->horizontalHeader()->setHighlightSections(false);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
  for (int column = 0; column < model_->columnCount(); ++column) {
    const FieldInfo& info = model_->info(column);
    if (model_->opensSettings(column)) {
      view_->setItemDelegateForColumn(column, new SettingsDelegate(view_));
    } else if (info.type == FieldInfo::Type::kInteger) {
      view_->setItemDelegateForColumn(column, new IntegerDelegate(view_));
    } else if (model_->namesFile(column)) {
      view_->setItemDelegateForColumn(column, new FileDelegate(view_));
    } else if (model_->offersChoices(column) && info.type == FieldInfo::Type::kList) {
      view_->setItemDelegateForColumn(column, new ChecksDelegate(view_));
    } else if (model_->offersChoices(column)) {
      view_->setItemDelegateForColumn(column, new ChoiceDelegate(view_));
    }
  }
  addTableActions(*view_);
  connectKeys();
}

int DocumentTable::currentRow() const {
  return view_->currentIndex().row();
}

void DocumentTable::follow() {
  const QString none =
      model_->rowCount() == 0 ? tr("There is no row yet") : tr("Select a row first");
  setUsable(*duplicate_, currentRow() >= 0, none);
  setUsable(*remove_, currentRow() >= 0, none);
  if (up_ != nullptr) {
    setUsable(*up_, currentRow() > 0, currentRow() < 0 ? none : tr("This row is the first"));
    setUsable(*down_, currentRow() >= 0 && currentRow() + 1 < model_->rowCount(),
              currentRow() < 0 ? none : tr("This row is the last"));
  }
  empty_->setVisible(model_->rowCount() == 0);
  view_->setVisible(model_->rowCount() > 0);
  fitHeight();
}

void DocumentTable::fitHeight() {
  const int rows = std::min(model_->rowCount(), kMaxDocumentRows);
  const int height = view_->horizontalHeader()->sizeHint().height() + rows * kRowHeight +
                     2 * view_->frameWidth() + view_->horizontalScrollBar()->sizeHint().height();
  if (!fillsRoom_) view_->setFixedHeight(height);
  // A header is never cut, and a cell has room for the icon of its findings.
  for (int column = 0; column < model_->columnCount(); ++column) {
    const int before = view_->columnWidth(column);
    view_->resizeColumnToContents(column);
    int wanted = view_->columnWidth(column) + kCellSpace;
    if (model_->namesFile(column)) wanted = std::min(wanted, kMaxPathWidth);
    const bool wasGood = before >= wanted && before <= wanted + kSlack;
    view_->setColumnWidth(column, wasGood ? before : wanted);
  }
}

void DocumentTable::fillRoom() {
  fillsRoom_ = true;
  view_->setMinimumHeight(view_->horizontalHeader()->sizeHint().height() + 2 * kRowHeight);
  view_->setMaximumHeight(QWIDGETSIZE_MAX);
  layout()->setAlignment(empty_, Qt::AlignTop);
}

bool DocumentTable::reveal(const QString& pointer) {
  const QModelIndex index = model_->indexOf(pointer);
  if (!index.isValid()) return false;
  view_->setCurrentIndex(index);
  view_->scrollTo(index);
  view_->setFocus(Qt::OtherFocusReason);
  return true;
}

}  // namespace parapet::ui
