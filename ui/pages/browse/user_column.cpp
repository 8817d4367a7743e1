// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/user_column.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/models/setting_names.h"
#include "ui/models/user_models.h"
#include "ui/pages/browse/item_table.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {
namespace {

using retrieval::Recommendation;

// Two of them fit beside the users where a window is 960 wide.
constexpr int kMinWidth = 280;
// A long title gives way to the buttons beside it; its tooltip has the whole.
constexpr int kMinTitle = 64;

void setListColumns(ItemTable& table, bool moves) {
  table.setColumnHidden(RecommendationModel::kMove, !moves);
  table.setColumns(RecommendationModel::kTitle, {{RecommendationModel::kRank, 2},
                                                 {RecommendationModel::kMove, 4},
                                                 {RecommendationModel::kScore, 6},
                                                 {RecommendationModel::kPopularity, 10},
                                                 {RecommendationModel::kHeldOut, 6}});
  table.setGivingWay({RecommendationModel::kPopularity, RecommendationModel::kHeldOut});
}

/// Item and title of a row: what a list tells of it.
std::pair<QString, QString> itemAt(const ItemTable& table, int idRole, int titleColumn, int row) {
  const QModelIndex index = table.model()->index(row, titleColumn);
  return {index.data(idRole).toString(), index.data().toString()};
}

bool hasList(const ColumnAnswer& answer) {
  return answer.ready && !answer.error && answer.model;
}

/// Titles of the items of a list that another one lacks.
QString onlyIn(const Recommendation& list, const std::vector<std::int32_t>& other) {
  QStringList titles;
  for (const retrieval::RecommendedItem& item : list.items)
    if (std::ranges::find(other, item.item) == other.end())
      titles << titleText(item.title, item.id);
  return titles.join(QStringLiteral(", "));
}

/// "overlap@10 80 % · RBO 0.87 · 2 in, 2 out · 5 moved", and below it what came and what left.
QString differenceText(const Recommendation& before, const Recommendation& after) {
  const std::vector<std::int32_t> left = itemsOf(before.items), right = itemsOf(after.items);
  const retrieval::Overlap common = retrieval::overlap(left, right);
  const auto moves = retrieval::movesSince(left, right);
  const auto moved = std::ranges::count_if(moves, [](const Move& move) {
    return move.kind == MoveKind::kUp || move.kind == MoveKind::kDown;
  });
  return UserColumn::tr("overlap@%1 %2 · RBO %3 · %4 in, %5 out · %6 moved")
      .arg(common.length)
      .arg(percentText(common.share))
      .arg(retrieval::rankBiasedOverlap(left, right), 0, 'f', 2)
      .arg(static_cast<qint64>(after.items.size()) - common.shared)
      .arg(static_cast<qint64>(before.items.size()) - common.shared)
      .arg(moved);
}

/// The value that a list was asked with, "" if it has no such context.
std::string contextOf(const ColumnAnswer& answer, const std::string& name) {
  const auto& context = answer.list.context;
  const auto found = std::ranges::find(context, name, &retrieval::ContextValue::name);
  return found == context.end() ? std::string() : found->value;
}

/// Settings in which a column differs from the others: "is_organic 1 · sample-2"; the user where it
/// differs in none.
QString titleOf(const std::vector<ColumnAnswer>& answers, const ColumnAnswer& answer,
                const ListNames& names) {
  const auto differs = [&](const auto& of) {
    return std::ranges::any_of(answers, [&](const ColumnAnswer& other) {
      return hasList(other) && hasList(answer) && of(other) != of(answer);
    });
  };
  const QString user = UserColumn::tr("User %1").arg(shownText(answer.query.user));
  QStringList parts;
  if (differs([](const ColumnAnswer& each) { return each.query.user; })) parts << user;
  for (const retrieval::ContextValue& value : answer.list.context)
    if (differs([&value](const ColumnAnswer& each) { return contextOf(each, value.name); }))
      parts << QStringLiteral("%1 %2").arg(leafName(value.name), shownText(value.value));
  if (differs([](const ColumnAnswer& each) { return each.query.history; }))
    parts << (answer.query.history ? UserColumn::tr("another history")
                                   : UserColumn::tr("own history"));
  const auto run = [](const ColumnAnswer& each) { return each.model->model().runId; };
  if (differs(run)) parts << names.runName(QString::fromStdString(run(answer)));
  if (differs([](const ColumnAnswer& each) { return each.model->model().step; }))
    parts << UserColumn::tr("step %1").arg(
        QString::fromStdString(formatCount(answer.model->model().step)));
  return parts.isEmpty() ? user : parts.join(QStringLiteral(" · "));
}

}  // namespace

UserColumn::UserColumn(QWidget* parent) : QFrame(parent) {
  list_ = new RecommendationModel(this);
  setFrameShape(QFrame::StyledPanel);
  setMinimumWidth(kMinWidth);
  head_ = buildHeader();
  table_ = new ItemTable(list_, tr("Recommendations"), this);
  // The title takes the width that the other columns leave.
  table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  error_ = new MessagePanel(this);
  error_->hide();
  auto* layout = verticalBox(this, 4, {12, 8, 12, 8});
  layout->addWidget(head_);
  layout->addWidget(table_, 1);
  layout->addWidget(error_, 1);
  const auto tell = [this](int row) {
    return itemAt(*table_, RecommendationModel::kItemIdRole, RecommendationModel::kTitle, row);
  };
  connect(table_, &ItemTable::rowChosen, this, [this, tell](int row) {
    const auto [item, title] = tell(row);
    emit entered();
    emit itemChosen(item, title);
  });
  connect(table_, &ItemTable::opened, this, [this, tell](int row) {
    const auto [item, title] = tell(row);
    emit itemOpened(item, title);
  });
  connect(table_, &QTableView::clicked, this, &UserColumn::entered);
  connect(table_, &ItemTable::sideways, this, &UserColumn::sideways);
  connect(table_, &ItemTable::columnwise, this, &UserColumn::columnwise);
  connect(table_, &ItemTable::flipped, this, &UserColumn::firstRequested);
}

QWidget* UserColumn::buildHeader() {
  auto* box = new QWidget(this);
  name_ = new QLabel(box);
  name_->setTextFormat(Qt::PlainText);
  name_->setFont(textFont(TextSize::kHeading, QFont::Bold));
  name_->setMinimumWidth(kMinTitle);
  about_ = new ElidedLabel(box);
  changes_ = new ElidedLabel(box);
  changes_->hide();
  warnings_ = new QLabel(box);
  warnings_->setObjectName(QStringLiteral("columnWarnings"));
  warnings_->setTextFormat(Qt::PlainText);
  warnings_->setWordWrap(true);
  warnings_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  warnings_->hide();
  duplicate_ = textButton(QString(), tr("Duplicate the column (Ctrl+D)"), box);
  duplicate_->setIcon(lineIcon(QStringLiteral("copy")));
  remove_ = closeButton(tr("Remove this column"), tr("Removes this column from the page"), box);
  connect(duplicate_, &QToolButton::clicked, this, &UserColumn::duplicateRequested);
  connect(remove_, &QToolButton::clicked, this, &UserColumn::removeRequested);
  auto* line = horizontalBox(nullptr, 12);
  line->addWidget(name_);
  line->addWidget(about_, 1);
  line->addWidget(duplicate_);
  line->addWidget(remove_);
  auto* layout = verticalBox(box, 2);
  layout->addLayout(line);
  layout->addWidget(warnings_);
  layout->addWidget(changes_);
  layout->addWidget(caption_ = new ElidedLabel(box));
  layout->addStretch();
  return box;
}

void UserColumn::setAnswer(const std::vector<ColumnAnswer>& answers, std::size_t index,
                           const ListNames& names) {
  const ColumnAnswer& answer = answers[index];
  user_ = answer.query.user;
  name_->setText(titleOf(answers, answer, names));
  name_->setToolTip(name_->text());
  setAccessibleName(tr("Column %1, user %2").arg(index + 1).arg(shownText(user_)));
  if (!hasList(answer)) return showNothing(answer);
  table_->show();
  error_->hide();
  QString about = shownText(answer.list.userTitle);
  // The title may not say whose list it is.
  if (const QString user = tr("User %1").arg(shownText(user_)); !name_->text().startsWith(user))
    about = about.isEmpty() ? user : QStringLiteral("%1 · %2").arg(user, about);
  if (answer.summary) {
    if (!about.isEmpty()) about += QStringLiteral(" · ");
    about +=
        tr("%1 rows · %2", nullptr, static_cast<int>(answer.summary->trainRows))
            .arg(QString::fromStdString(formatCount(answer.summary->trainRows)),
                 recallText(answer.summary->recall, recallRuleText(answer.model->recallRule())));
  }
  about_->setText(about);
  QString caption = provenanceText(
      *answer.model, names.runName(QString::fromStdString(answer.model->model().runId)),
      answer.list.candidates, names.seen);
  QStringList asked{contextText(answer.list.context, answer.hasLastRow)};
  if (answer.list.history)
    asked << tr("history of %1 items", nullptr, static_cast<int>(answer.list.history->items.size()))
                 .arg(QString::fromStdString(
                     formatCount(static_cast<std::int64_t>(answer.list.history->items.size()))));
  asked.removeAll(QString());
  if (!asked.isEmpty()) caption = asked.join(QStringLiteral(" · ")) + QLatin1Char('\n') + caption;
  QStringList warnings;
  for (const std::string& warning : answer.list.warnings) warnings << shownText(warning);
  warnings_->setText(warnings.join(QLatin1Char('\n')));
  warnings_->setVisible(!warnings.isEmpty());
  showList(answers, index);
  if (const QString note = list_->note(); !note.isEmpty()) caption += QLatin1Char('\n') + note;
  caption_->setText(caption);
}

void UserColumn::showNothing(const ColumnAnswer& answer) {
  about_->setText(QString());
  changes_->setText(QString());
  caption_->setText(QString());
  for (QWidget* each : std::initializer_list<QWidget*>{changes_, warnings_, table_}) each->hide();
  warnings_->clear();
  list_->clear();
  if (answer.error)
    error_->setMessage(tr("No lists for this column"), shownText(answer.error->text()));
  else
    error_->setMessage(tr("Reading the list…"), QString());
  error_->show();
}

// Against the first column; the first one against the model before, and beside a single other one
// what that does not have.
void UserColumn::showList(const std::vector<ColumnAnswer>& answers, std::size_t index) {
  const ColumnAnswer& answer = answers[index];
  const Recommendation& list = answer.list;
  const std::vector<std::int32_t> own = itemsOf(list.items);
  std::vector<Move> moves;
  QString changes, tip;
  const auto compare = [&](const Recommendation& before, const QString& against) {
    const std::vector<std::int32_t> other = itemsOf(before.items);
    moves = retrieval::movesSince(other, own);
    changes = against.arg(differenceText(before, list));
    tip = changes;
    if (const QString in = onlyIn(list, other); !in.isEmpty()) tip += tr("\nIn: %1").arg(in);
    if (const QString out = onlyIn(before, own); !out.isEmpty()) tip += tr("\nOut: %1").arg(out);
  };
  if (index > 0 && hasList(answers[0])) {
    compare(answers[0].list, tr("Against column 1: %1"));
  } else if (answer.before) {
    compare(*answer.before, tr("Since step %1: %2")
                                .arg(QString::fromStdString(formatCount(answer.before->step)),
                                     QStringLiteral("%1")));
  } else if (answers.size() == 2 && index == 0 && hasList(answers[1])) {
    moves = retrieval::leavingFor(own, itemsOf(answers[1].list.items));
  }
  changes_->setText(changes);
  if (!tip.isEmpty()) changes_->setToolTip(shownText(tip));
  changes_->setVisible(!changes.isEmpty());
  // A list that stays keeps its selection.
  if (!list_->shows(list, moves)) list_->setList(list, std::move(moves));
  list_->setScoreName(answer.scoreName);
  setListColumns(*table_, list_->hasMoves());
}

void UserColumn::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) emit widthChanged();
}

void UserColumn::mousePressEvent(QMouseEvent* event) {
  emit entered();
  QFrame::mousePressEvent(event);
}

QString UserColumn::caption() const {
  return caption_->text();
}

QString UserColumn::changes() const {
  return changes_->text();
}

QString UserColumn::warnings() const {
  return warnings_->text();
}

QString UserColumn::errorText() const {
  return error_->isHidden() ? QString() : error_->text();
}

void UserColumn::focusList() {
  if (!table_->currentIndex().isValid() && list_->rowCount() > 0) table_->selectRow(0);
  table_->setFocus();
}

void UserColumn::selectItem(const QString& item) {
  int row = 0;
  for (int i = 0; i < list_->rowCount(); ++i)
    if (list_->index(i, 0).data(RecommendationModel::kItemIdRole).toString() == item) row = i;
  if (list_->rowCount() > 0) table_->selectRow(row);
}

void UserColumn::setCurrent(bool current) {
  name_->setForegroundRole(current ? QPalette::Link : QPalette::WindowText);
}

int UserColumn::headHeight() const {
  const QLayout& lines = *head_->layout();
  return lines.hasHeightForWidth() ? lines.totalHeightForWidth(head_->width())
                                   : lines.totalSizeHint().height();
}

void UserColumn::setHeadHeight(int height) {
  head_->setFixedHeight(height);
}

void UserColumn::setRemovable(bool removable) {
  remove_->setVisible(removable);
}

UserBoard::UserBoard(QWidget* parent) : QScrollArea(parent) {
  auto* inside = new QWidget(this);
  row_ = horizontalBox(inside, 8);
  setWidget(inside);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  // A header, captions and four rows of a list.
  setMinimumHeight(260);
  setAccessibleName(tr("Lists side by side"));
}

UserColumn* UserBoard::addColumn() {
  auto* column = new UserColumn(widget());
  row_->addWidget(column, 1);
  columns_.push_back(column);
  connect(column, &UserColumn::entered, this, [this, column] { setCurrent(indexOf(column)); });
  connect(column, &UserColumn::itemChosen, this,
          [this, column](const QString& item, const QString& title) {
            emit itemChosen(indexOf(column), item, title);
          });
  connect(column, &UserColumn::itemOpened, this,
          [this, column](const QString& item, const QString& title) {
            emit itemOpened(indexOf(column), item, title);
          });
  connect(column, &UserColumn::duplicateRequested, this,
          [this, column] { emit duplicateRequested(indexOf(column)); });
  connect(column, &UserColumn::removeRequested, this,
          [this, column] { emit removeRequested(indexOf(column)); });
  connect(column, &UserColumn::firstRequested, this,
          [this, column] { emit firstRequested(indexOf(column)); });
  connect(column, &UserColumn::columnwise, this,
          [this, column](int by) { focusColumn(indexOf(column) + by); });
  connect(column, &UserColumn::sideways, this, [this, column](int by) {
    setCurrent(indexOf(column));
    emit stepRequested(by);
  });
  connect(column, &UserColumn::widthChanged, this, &UserBoard::alignLists);
  column->show();
  return column;
}

int UserBoard::indexOf(const UserColumn* column) const {
  return static_cast<int>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
}

void UserBoard::setAnswers(const std::vector<ColumnAnswer>& answers, const ListNames& names) {
  while (columns_.size() > answers.size()) {
    // Later: the click that removes a column is still on its way through it.
    columns_.back()->hide();
    columns_.back()->deleteLater();
    columns_.pop_back();
  }
  while (columns_.size() < answers.size()) addColumn();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    columns_[i]->setAnswer(answers, i, names);
    columns_[i]->setRemovable(answers.size() > 1);
  }
  alignLists();
  setCurrent(
      std::clamp(current_, columns_.empty() ? -1 : 0, static_cast<int>(columns_.size()) - 1));
}

/// Lists begin at one height, so that a rank stands beside the same rank.
void UserBoard::alignLists() {
  int highest = 0;
  for (const UserColumn* column : columns_) highest = std::max(highest, column->headHeight());
  for (UserColumn* column : columns_) column->setHeadHeight(highest);
}

UserColumn* UserBoard::currentColumn() const {
  return current_ < 0 || current_ >= static_cast<int>(columns_.size())
             ? nullptr
             : columns_[static_cast<std::size_t>(current_)];
}

void UserBoard::setCurrent(int index) {
  if (index >= static_cast<int>(columns_.size())) return;
  const bool changed = current_ != index;
  current_ = index;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i]->setCurrent(static_cast<int>(i) == index && columns_.size() > 1);
  if (changed) emit currentChanged();
}

void UserBoard::focusColumn(int index) {
  if (index < 0 || index >= static_cast<int>(columns_.size())) return;
  setCurrent(index);
  columns_[static_cast<std::size_t>(index)]->focusList();
  ensureWidgetVisible(columns_[static_cast<std::size_t>(index)], 0, 0);
}

HistoryPanel::HistoryPanel(QWidget* parent)
    : QWidget(parent),
      caption_(new ElidedLabel(this)),
      model_(new HistoryModel(this)),
      table_(new ItemTable(model_, tr("History"), this)) {
  setMinimumWidth(kMinWidth);
  table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  table_->setColumns(
      HistoryModel::kTitle,
      {{HistoryModel::kLabel, 4}, {HistoryModel::kPart, 9}, {HistoryModel::kTime, 10}});
  auto* layout = verticalBox(this, 4, {12, 4, 0, 0});
  layout->addWidget(caption_);
  layout->addWidget(table_, 1);
  const auto tell = [this](int row) {
    return itemAt(*table_, HistoryModel::kItemIdRole, HistoryModel::kTitle, row);
  };
  connect(table_, &ItemTable::rowChosen, this, [this, tell](int row) {
    const auto [item, title] = tell(row);
    emit itemChosen(item, title);
  });
  connect(table_, &ItemTable::opened, this, [this, tell](int row) {
    const auto [item, title] = tell(row);
    emit itemOpened(item, title);
  });
}

void HistoryPanel::setAnswer(const ColumnAnswer* answer) {
  if (answer == nullptr || !hasList(*answer)) {
    of_ = {};
    caption_->setText(QString());
    return model_->setHistory({});
  }
  // One that stays keeps its selection.
  auto of = std::pair(answer->query.user, answer->model->dataset().hash());
  if (of == of_) return;
  of_ = std::move(of);
  model_->setHistory(answer->history);
  const bool timed = model_->hasTimes();
  caption_->setText((timed ? tr("History of user %1 · rows, newest first: %2")
                           : tr("History of user %1 · rows: %2"))
                        .arg(shownText(answer->query.user),
                             QString::fromStdString(
                                 formatCount(static_cast<std::int64_t>(answer->history.size())))));
  table_->setColumnHidden(HistoryModel::kTime, !timed);
  QList<int> givingWay{HistoryModel::kPart};
  if (timed) givingWay.prepend(HistoryModel::kTime);
  table_->setGivingWay(givingWay);
}

MessagePanel::MessagePanel(QWidget* parent) : QWidget(parent) {
  title_ = new QLabel(this);
  text_ = new QLabel(this);
  title_->setFont(textFont(TextSize::kTitle, QFont::Bold));
  for (QLabel* label : {title_, text_}) {
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  text_->setTextFormat(Qt::PlainText);
  text_->setMaximumWidth(560);
  text_->setMinimumWidth(120);
  buttons_ = verticalBox(nullptr, 8);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(16);
  layout->addStretch(2);
  layout->addWidget(title_);
  auto* line = new QHBoxLayout;
  line->addStretch(1);
  line->addWidget(text_, 100);
  line->addStretch(1);
  layout->addLayout(line);
  layout->addLayout(buttons_);
  layout->addStretch(3);
}

void MessagePanel::setMessage(const QString& title, const QString& text) {
  title_->setText(shownText(title));
  text_->setText(shownText(text));
  setAccessibleName(title_->text());
  setAccessibleDescription(text_->text());
}

QString MessagePanel::text() const {
  return text_->text();
}

QPushButton* MessagePanel::addButton(const QString& text, const QString& toolTip) {
  auto* button = new QPushButton(text, this);
  button->setToolTip(toolTip);
  button->setAccessibleName(text);
  button->setDefault(buttons_->count() == 0);
  button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  button->setMinimumSize(button->sizeHint() + QSize(32, 8));
  buttons_->addWidget(button, 0, Qt::AlignHCenter);
  return button;
}

}  // namespace parapet::ui
