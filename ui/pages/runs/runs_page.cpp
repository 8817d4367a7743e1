// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/runs_page.h"

#include <QApplication>
#include <QHeaderView>
#include <QMessageBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/experiment/query_context.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/run_queue.h"
#include "ui/bridge/shown_text.h"
#include "ui/pages/runs/export_dialog.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {

RunsPage::RunsPage(const Workbench& bench, QWidget* parent)
    : Page(parent),
      bench_(bench),
      source_(bench.workspace.store(), bench.bridge, model_),
      changes_(bench) {
  filter_.setSourceModel(&model_);
  table_ = new RunsTable(filter_, this);
  overlay_ = new OverlayPanel(bench.workspace.store(), this);
  comparison_ = new ComparisonPanel(bench.workspace, this);
  buildActions();
  buildLayout();
  connectParts();
  refreshChosen();
  refreshEmpty();
}

void RunsPage::connectParts() {
  connect(&source_, &RunsSource::refreshed, this, [this] {
    read_ = true;
    refreshEmpty();
  });
  connect(&source_, &RunsSource::failed, this, &Page::complained);
  connect(&model_, &RunsModel::renamed, &changes_, &RunActions::rename);
  connect(&model_, &RunsModel::notesChanged, &changes_, &RunActions::setNotes);
  connect(&changes_, &RunActions::changed, &source_, &RunsSource::refresh);
  connect(&changes_, &RunActions::failed, this, [this](const QString& message) {
    // The table may show a value that the store refused.
    source_.refresh();
    emit complained(message);
  });
  connect(&changes_, &RunActions::trashed, this, [this](const QStringList& ids) {
    undo_->offer(ids.size() == 1
                     ? tr("Moved a run to the trash")
                     : tr("Moved %n runs to the trash", nullptr, static_cast<int>(ids.size())),
                 ids);
  });
  connect(&changes_, &RunActions::cloned, this, [this](const QString& id) {
    emit messageRequested(tr("The experiment of run %1 can be edited now").arg(id));
    emit pageRequested(QStringLiteral("experiment"));
  });
  connect(&changes_, &RunActions::checkpointsFound, this, &RunsPage::chooseFork);
  connect(&changes_, &RunActions::forked, this, [this](const QString& id) {
    emit messageRequested(tr("A fork of run %1 can be edited now; Run (F5) starts it").arg(id));
    emit pageRequested(QStringLiteral("experiment"));
  });
  connect(&changes_, &RunActions::exported, this, [this](const QStringList& paths) {
    emit messageRequested(paths.size() == 1
                              ? tr("Written: %1").arg(paths.front())
                              : tr("%n files written", nullptr, static_cast<int>(paths.size())));
  });
  connect(undo_, &UndoBar::undoRequested, &changes_, &RunActions::restore);
  connect(table_, &RunsTable::chosenChanged, this, &RunsPage::refreshChosen);
  connect(table_, &RunsTable::hovered, &source_, &RunsSource::setHeld);
  connect(overlay_, &OverlayPanel::runChosen, this, [this](const QString& id) {
    table_->choose({id});
    table_->scrollTo(table_->currentIndex());
  });
  connect(table_, &RunsTable::opened, this, &Page::showRunRequested);
  connect(&filter_, &QAbstractItemModel::rowsInserted, this, &RunsPage::refreshEmpty);
  connect(&filter_, &QAbstractItemModel::rowsRemoved, this, &RunsPage::refreshEmpty);
  connect(&model_, &QAbstractItemModel::dataChanged, this, [this] {
    refreshChosen();
    overlay_->refresh();
  });
  connect(&bench_.runs, &RunController::stateChanged, this, &RunsPage::refreshChosen);
  connect(&bench_.runs, &RunController::ended, this, &RunsPage::refreshChosen);
  connect(&bench_.runs.queue(), &RunQueue::changed, this, [this] {
    refreshChosen();
    if (isVisible()) source_.refresh();
  });
  connect(details_, &QTabWidget::currentChanged, this, &RunsPage::refreshDetails);
  connect(overlay_, &OverlayPanel::failed, this, &Page::complained);
  connect(overlay_, &OverlayPanel::exported, this,
          [this](const QString& path) { emit messageRequested(tr("Written: %1").arg(path)); });
  // The target of the second press of a double click stays under the mouse until then.
  callAfterPause(reveal_, QApplication::doubleClickInterval(), this, &RunsPage::revealDetails);
  connect(search_, &QLineEdit::textChanged, &filter_, &RunsFilter::setText);
  connect(search_, &QLineEdit::textChanged, this, &RunsPage::refreshEmpty);
}

void RunsPage::refreshChosen() {
  const QStringList chosen = table_->chosen();
  const RunRow* one = chosen.size() == 1 ? model_.find(chosen.front()) : nullptr;
  const bool any = !chosen.isEmpty(), inTrash = filter_.trash();
  const QString whyNone = any ? tr("Choose a single run") : tr("Choose a run first");
  for (QAction* single : {actions_.showInTrain, actions_.clone, actions_.rename})
    setUsable(*single, one != nullptr, whyNone);
  for (QAction* ofModel : {actions_.browse, actions_.fork, actions_.exporting})
    setUsable(*ofModel, one && !one->record.isWaiting(),
              one ? tr("It waits in the queue and has no model yet") : whyNone);
  setUsable(*actions_.resume,
            one && !inTrash && isResumable(one->record.state) && !bench_.runs.active(),
            !one                   ? tr("Choose a single run")
            : inTrash              ? tr("It is in the trash")
            : bench_.runs.active() ? tr("A run is under way")
                                   : tr("Only a run that ended before its last epoch goes on"));
  setUsable(*actions_.compare, chosen.size() >= 2, tr("Choose two runs or more"));
  setUsable(*actions_.copy, any, tr("Choose a run first"));
  setUsable(*actions_.trash, any && !inTrash, tr("Choose a run first"));
  actions_.trash->setVisible(!inTrash);
  for (QAction* bin : {actions_.restore, actions_.erase}) {
    setUsable(*bin, any && inTrash, tr("Choose a run first"));
    bin->setVisible(inTrash);
  }
  refreshLive(chosen);
  refreshStrip(chosen);
  refreshDetails();
}

void RunsPage::refreshLive(const QStringList& chosen) {
  RunQueue& queue = bench_.runs.queue();
  const RunRow* one = chosen.size() == 1 ? model_.find(chosen.front()) : nullptr;
  const bool own = one && bench_.runs.active() && bench_.runs.runId() == chosen.front();
  const store::RunRecord* other = one ? queue.findElsewhere(chosen.front()) : nullptr;
  const auto asked = one ? queue.asked(chosen.front()) : std::nullopt;
  const bool paused = own ? bench_.runs.state() == experiment::RunState::kPaused
                          : other && other->state == experiment::RunState::kPaused;
  const bool trains = own ? bench_.runs.state() == experiment::RunState::kRunning || paused
                          : other && other->state != experiment::RunState::kQueued;
  int waiting = 0;
  bool anyLive = own || other;
  for (const QString& id : chosen) {
    const RunRow* row = model_.find(id);
    if (row && row->place > 0) ++waiting;
    anyLive |= queue.findElsewhere(id) || (bench_.runs.active() && bench_.runs.runId() == id);
  }
  actions_.pause->setText(paused ? tr("Continue") : tr("Pause"));
  setUsable(*actions_.pause, trains && !asked,
            asked ? tr("Its process was asked and has not answered yet")
                  : tr("Only a single run that trains can be paused"));
  setUsable(*actions_.stop, (waiting > 0 || anyLive) && asked != store::Request::kStop,
            asked ? tr("Its process was asked to stop it and has not answered yet")
                  : tr("Only runs that train or wait can be stopped"));
  const int place = one ? one->place : 0, all = static_cast<int>(queue.waiting().size());
  setUsable(*actions_.earlier, place > 1,
            place == 1 ? tr("It is the first of the queue") : tr("Choose a run that waits"));
  setUsable(*actions_.later, place > 0 && place<all, place> 0 ? tr("It is the last of the queue")
                                                              : tr("Choose a run that waits"));
  for (QAction* inQueue : {actions_.earlier, actions_.later}) inQueue->setVisible(all > 1);
}

void RunsPage::refreshStrip(const QStringList& chosen) {
  const RunRow* one = chosen.size() == 1 ? model_.find(chosen.front()) : nullptr;
  stripNext_->setVisible(one && !filter_.trash());
  if (!one) {
    stripText_->setText(chosen.isEmpty()
                            ? tr("Choose a run to see what can be done with it, two or more to "
                                 "compare them.")
                            : tr("%n runs chosen", nullptr, static_cast<int>(chosen.size())));
    return;
  }
  const RunAdvice advice = adviceFor(one->record);
  QString why = advice.why;
  if (const auto asked = bench_.runs.queue().asked(chosen.front()))
    why += QLatin1Char(' ') +
           (*asked == store::Request::kStop    ? tr("Process %1 was asked to stop it.")
            : *asked == store::Request::kPause ? tr("Process %1 was asked to pause it.")
                                               : tr("Process %1 was asked to go on."))
               .arg(one->record.owner.pid);
  else if (const auto* other = bench_.runs.queue().findElsewhere(chosen.front()))
    why += QLatin1Char(' ') + tr("Process %1 trains it.").arg(other->owner.pid);
  stripText_->setText(QStringLiteral("%1 · %2").arg(shownText(one->record.name), why));
  stripText_->setToolTip(why);
  stripNext_->setText(advice.nextText);
  stripNext_->setAccessibleName(advice.nextText);
  setUsable(*stripNext_, advice.next != RunAdvice::Next::kResume || actions_.resume->isEnabled(),
            whyDisabled(*actions_.resume));
}

void RunsPage::refreshDetails() {
  const QStringList chosen = table_->chosen() + table_->hidden();
  // Until then the table has the height.
  if (chosen.isEmpty())
    details_->hide();
  else if (details_->isHidden() && !reveal_.isActive())
    reveal_.start();
  if (details_->currentWidget() == comparison_) return comparison_->setRuns(chosen);
  std::vector<OverlayPanel::Run> runs;
  for (const QString& id : chosen)
    if (const RunRow* row = model_.find(id)) {
      const QString name = shownText(row->record.name);
      runs.push_back({id,
                      row->difference.isEmpty()
                          ? name
                          : QStringLiteral("%1 · %2").arg(name, shownText(row->difference)),
                      row->record.stepsPerEpoch});
    }
  overlay_->setRuns(runs);
}

void RunsPage::revealDetails() {
  if (table_->chosen().isEmpty() && table_->hidden().isEmpty()) return;
  details_->show();
  table_->scrollTo(table_->currentIndex());
}

void RunsPage::refreshEmpty() {
  const bool empty = read_ && filter_.rowCount() == 0;
  lists_->setCurrentIndex(empty ? 1 : 0);
  const bool noRuns = model_.rowCount() == 0;
  strip_->setVisible(!noRuns);
  if (!search_->text().trimmed().isEmpty() && !noRuns) {
    emptyText_->setText(tr("No run matches “%1”").arg(search_->text().trimmed()));
    emptyButton_->setText(tr("Show all runs"));
  } else if (filter_.trash()) {
    emptyText_->setText(tr("The trash is empty"));
    emptyButton_->setText(tr("Back to the runs"));
  } else {
    emptyText_->setText(noRuns ? tr("No runs yet. Set up an experiment and press Run (F5).")
                               : tr("All runs are in the trash"));
    emptyButton_->setText(noRuns ? tr("Set up an experiment") : tr("Show the trash"));
  }
  emptyButton_->setAccessibleName(emptyButton_->text());
}

void RunsPage::showTrash(bool shown) {
  filter_.setTrash(shown);
  trashed_->setChecked(shown);
  refreshChosen();
  refreshEmpty();
}

void RunsPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  source_.setActive(true);
}

void RunsPage::hideEvent(QHideEvent* event) {
  Page::hideEvent(event);
  source_.setActive(false);
}

QString RunsPage::terminalCommand() const {
  const QStringList chosen = table_->chosen();
  if (chosen.size() >= 2)
    return QStringLiteral("parapet-cli compare %1%2")
        .arg(chosen.join(QLatin1Char(' ')), comparison_->terminalOptions());
  if (chosen.size() == 1) return QStringLiteral("parapet-cli show %1").arg(chosen.front());
  return QStringLiteral("parapet-cli runs");
}

nlohmann::json RunsPage::saveState() const {
  return {{"filter", search_->text().toStdString()},
          {"columns", table_->horizontalHeader()->saveState().toHex().toStdString()},
          {"column_count", int(RunsModel::kColumnCount)},
          {"splitter", splitter_->saveState().toHex().toStdString()}};
}

void RunsPage::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  const auto bytes = [&](const char* key) {
    return QByteArray::fromHex(QByteArray::fromStdString(state.value(key, std::string())));
  };
  search_->setText(QString::fromStdString(state.value("filter", std::string())));
  // Widths and order of another version's columns fit none of these.
  const bool same = state.value("column_count", 0) == int(RunsModel::kColumnCount);
  if (const QByteArray columns = bytes("columns"); same && !columns.isEmpty())
    table_->horizontalHeader()->restoreState(columns);
  if (const QByteArray sizes = bytes("splitter"); !sizes.isEmpty()) splitter_->restoreState(sizes);
}

QAction* RunsPage::action(const QString& text, const QString& tip, const QKeySequence& keys,
                          void (RunsPage::*act)()) {
  auto* made = new QAction(text, this);
  made->setToolTip(
      keys.isEmpty() ? tip : tr("%1 (%2)").arg(tip, keys.toString(QKeySequence::NativeText)));
  made->setShortcut(keys);
  // In the table: Delete in the filter deletes a letter.
  made->setShortcutContext(Qt::WidgetShortcut);
  connect(made, &QAction::triggered, this, act);
  table_->addAction(made);
  return made;
}

void RunsPage::buildActions() {
  actions_.showInTrain = action(tr("Show in Train"), tr("Curves and watched users of the run"),
                                QKeySequence(Qt::CTRL | Qt::Key_Return), &RunsPage::showInTrain);
  actions_.browse = action(tr("Browse"), tr("Ask the newest checkpoint for recommendations"), {},
                           &RunsPage::browse);
  actions_.compare = action(tr("Compare"), tr("The chosen runs beside each other; two or more"),
                            QKeySequence(Qt::CTRL | Qt::Key_D), &RunsPage::compare);
  actions_.clone = action(tr("Clone"), tr("Edit the experiment of the run as a new one"),
                          QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N), &RunsPage::clone);
  actions_.fork = action(tr("Fork…"), tr("A new run that begins with a checkpoint of this one"), {},
                         &RunsPage::fork);
  actions_.resume =
      action(tr("Resume"), tr("Go on from the newest checkpoint"), {}, &RunsPage::resume);
  actions_.pause = action(tr("Pause"),
                          tr("Pauses the run after its step, or goes on; asks the "
                             "process that trains it"),
                          {}, &RunsPage::pause);
  actions_.stop = action(tr("Stop"),
                         tr("Stops runs after their step with a checkpoint, asking the "
                            "process that trains them; takes waiting ones out of the queue"),
                         {}, &RunsPage::stop);
  actions_.earlier =
      action(tr("Earlier"), tr("Starts before the run that is before it in the queue"),
             QKeySequence(Qt::ALT | Qt::Key_Up), &RunsPage::earlier);
  actions_.later = action(tr("Later"), tr("Starts after the run that is behind it in the queue"),
                          QKeySequence(Qt::ALT | Qt::Key_Down), &RunsPage::later);
  actions_.exporting =
      action(tr("Export…"), tr("Checkpoint, tables, curves or recommendations as files"),
             QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E), &RunsPage::exportRun);
  actions_.rename = action(tr("Rename"), tr("Edit the name in place"), QKeySequence(Qt::Key_F2),
                           &RunsPage::rename);
  actions_.copy =
      action(tr("Copy"), tr("The chosen rows as text"), QKeySequence::Copy, &RunsPage::copy);
  actions_.trash = action(tr("Move to trash"), tr("The runs can be brought back from the trash"),
                          QKeySequence(Qt::Key_Delete), &RunsPage::trash);
  actions_.restore = action(tr("Restore"), tr("Bring back from the trash"), {}, &RunsPage::restore);
  actions_.erase = action(tr("Delete for good…"), tr("Delete with all checkpoints; asks first"),
                          QKeySequence(Qt::SHIFT | Qt::Key_Delete), &RunsPage::erase);
  table_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

QList<QAction*> RunsPage::pageActions() const {
  return {actions_.showInTrain, actions_.browse, actions_.compare,   actions_.clone,
          actions_.fork,        actions_.resume, actions_.pause,     actions_.stop,
          actions_.earlier,     actions_.later,  actions_.exporting, actions_.rename,
          actions_.copy,        actions_.trash,  actions_.restore,   actions_.erase};
}

QWidget* RunsPage::buildBar() {
  auto* bar = new QWidget(this);
  search_ = new QLineEdit(bar);
  search_->setObjectName(QStringLiteral("filter"));
  search_->setPlaceholderText(
      tr("Filter by name, state, data, model, recipe, notes, device or id"));
  search_->setAccessibleName(tr("Filter the runs"));
  search_->setToolTip(tr("Shows the runs that hold every word (Ctrl+F)"));
  search_->setClearButtonEnabled(true);
  search_->addAction(lineIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  search_->setMinimumWidth(200);
  auto* find = new QAction(tr("Filter the runs"), this);
  find->setShortcut(QKeySequence::Find);
  find->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(find, &QAction::triggered, search_, qOverload<>(&QWidget::setFocus));
  addAction(find);
  trashed_ = new QPushButton(tr("Trash"), bar);
  trashed_->setObjectName(QStringLiteral("trash"));
  trashed_->setCheckable(true);
  trashed_->setAccessibleName(tr("Show the trash"));
  trashed_->setToolTip(tr("Show the deleted runs instead of the others"));
  connect(trashed_, &QPushButton::clicked, this, &RunsPage::showTrash);
  // Folds where the window is narrow; what comes and goes with the queue stands last.
  auto* row = new FlowLayout(bar, 8, 4);
  row->fillLines();
  row->addWidget(search_);
  for (QAction* each :
       {actions_.showInTrain, actions_.browse, actions_.compare, actions_.clone, actions_.fork,
        actions_.resume, actions_.pause, actions_.stop, actions_.exporting, actions_.trash,
        actions_.restore, actions_.erase, actions_.earlier, actions_.later}) {
    if (each == actions_.earlier) row->addWidget(trashed_);
    auto* button = new QToolButton(bar);
    button->setDefaultAction(each);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAccessibleName(each->text());
    button->setVisible(each->isVisible());
    // As wide as for a paused run: what stands behind it does not move.
    if (each == actions_.pause)
      button->setMinimumWidth(button->sizeHint().width() +
                              fontMetrics().horizontalAdvance(tr("Continue")) -
                              fontMetrics().horizontalAdvance(each->text()));
    connect(each, &QAction::visibleChanged, button,
            [button, each] { button->setVisible(each->isVisible()); });
    row->addWidget(button);
  }
  return bar;
}

QWidget* RunsPage::buildStrip() {
  auto* strip = new QWidget(this);
  stripText_ = new QLabel(strip);
  stripText_->setObjectName(QStringLiteral("advice"));
  stripText_->setAccessibleName(tr("State of the chosen run"));
  stripText_->setWordWrap(true);
  stripText_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  stripNext_ = new QPushButton(strip);
  stripNext_->setObjectName(QStringLiteral("next"));
  stripNext_->setToolTip(tr("The usual next action for such a run"));
  connect(stripNext_, &QPushButton::clicked, this, &RunsPage::nextForChosen);
  auto* row = horizontalBox(strip, 16);
  row->addWidget(stripText_, 1);
  row->addWidget(stripNext_);
  strip->setMinimumHeight(stripNext_->sizeHint().height());
  return strip;
}

QWidget* RunsPage::buildEmpty() {
  auto* page = new QWidget(this);
  emptyText_ = new QLabel(page);
  emptyText_->setWordWrap(true);
  emptyText_->setAlignment(Qt::AlignCenter);
  emptyButton_ = new QPushButton(page);
  emptyButton_->setToolTip(tr("What to do next"));
  connect(emptyButton_, &QPushButton::clicked, this, [this] {
    if (!search_->text().trimmed().isEmpty() && model_.rowCount() > 0) return search_->clear();
    if (filter_.trash()) return showTrash(false);
    if (model_.rowCount() > 0) return showTrash(true);
    emit pageRequested(QStringLiteral("experiment"));
  });
  auto* column = new QVBoxLayout(page);
  column->setSpacing(16);
  column->addStretch();
  column->addWidget(emptyText_);
  column->addWidget(emptyButton_, 0, Qt::AlignHCenter);
  column->addStretch();
  return page;
}

void RunsPage::buildLayout() {
  lists_ = new QStackedWidget(this);
  lists_->addWidget(table_);
  lists_->addWidget(buildEmpty());
  lists_->setMinimumHeight(144);
  details_ = new QTabWidget(this);
  details_->setDocumentMode(true);
  details_->addTab(overlay_, tr("Curves"));
  details_->addTab(comparison_, tr("Compare"));
  details_->setAccessibleName(tr("Details of the chosen runs"));
  splitter_ = new QSplitter(Qt::Vertical, this);
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(9);
  auto* above = new QWidget(this);
  auto* upper = verticalBox(above, 8);
  upper->addWidget(lists_, 1);
  upper->addWidget(strip_ = buildStrip());
  splitter_->addWidget(above);
  splitter_->addWidget(details_);
  details_->hide();
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(1, 1);
  splitter_->setSizes({400, 560});
  undo_ = new UndoBar(this);
  auto* column = verticalBox(this, 8, {16, 16, 16, 16});
  column->addWidget(buildBar());
  column->addWidget(undo_);
  column->addWidget(splitter_, 1);
}

void RunsPage::nextForChosen() {
  const QStringList chosen = table_->chosen();
  const RunRow* row = chosen.size() == 1 ? model_.find(chosen.front()) : nullptr;
  if (!row) return;
  switch (adviceFor(row->record).next) {
    case RunAdvice::Next::kBrowse:
      return browse();
    case RunAdvice::Next::kResume:
      return resume();
    case RunAdvice::Next::kClone:
      return clone();
    case RunAdvice::Next::kWatch:
      return showInTrain();
    case RunAdvice::Next::kCancel:
      return stop();
  }
}

void RunsPage::showInTrain() {
  if (const QStringList chosen = table_->chosen(); chosen.size() == 1)
    emit showRunRequested(chosen.front());
}

void RunsPage::browse() {
  if (const QStringList chosen = table_->chosen(); chosen.size() == 1)
    emit browseRequested(chosen.front(), {});
}

void RunsPage::compare() {
  details_->setCurrentWidget(comparison_);
  revealDetails();
  comparison_->setRuns(table_->chosen());
}

void RunsPage::clone() {
  if (const QStringList chosen = table_->chosen(); chosen.size() == 1)
    changes_.clone(chosen.front());
}

void RunsPage::fork() {
  if (const QStringList chosen = table_->chosen(); chosen.size() == 1)
    changes_.askForCheckpoints(chosen.front());
}

void RunsPage::chooseFork(const QString& runId,
                          const std::vector<store::CheckpointRecord>& checkpoints) {
  const RunRow* row = model_.find(runId);
  if (!row) return;
  auto* dialog = new ForkDialog(row->record, checkpoints, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &ForkDialog::chosen, &changes_, &RunActions::fork);
  dialog->open();
}

void RunsPage::resume() {
  const QStringList chosen = table_->chosen();
  if (chosen.size() != 1) return;
  bench_.runs.resumeRun(chosen.front());
  emit showRunRequested(chosen.front());
}

void RunsPage::pause() {
  const QStringList chosen = table_->chosen();
  if (chosen.size() != 1) return;
  if (bench_.runs.queue().askPause(chosen.front())) return;
  if (!bench_.runs.active() || bench_.runs.runId() != chosen.front()) return;
  if (bench_.runs.state() == experiment::RunState::kPaused)
    bench_.runs.resume();
  else
    bench_.runs.pause();
}

void RunsPage::stop() {
  RunQueue& queue = bench_.runs.queue();
  QStringList waiting;
  for (const QString& id : table_->chosen()) {
    const RunRow* row = model_.find(id);
    if (row && row->place > 0)
      waiting << id;
    else if (bench_.runs.active() && bench_.runs.runId() == id)
      bench_.runs.stop();
    else if (queue.findElsewhere(id))
      queue.ask(id, store::Request::kStop);
  }
  if (!waiting.isEmpty()) queue.remove(waiting);
}

void RunsPage::earlier() {
  moveQueued(-1);
}

void RunsPage::later() {
  moveQueued(1);
}

void RunsPage::moveQueued(int places) {
  if (const QStringList chosen = table_->chosen(); chosen.size() == 1)
    bench_.runs.queue().move(chosen.front(), places);
}

void RunsPage::exportRun() {
  const QStringList chosen = table_->chosen();
  const RunRow* row = chosen.size() == 1 ? model_.find(chosen.front()) : nullptr;
  if (!row) return;
  QStringList contexts;
  if (const auto experiment = bench_.workspace.experimentOf(chosen.front().toStdString()))
    for (const std::string& name : experiment::contextColumns(*experiment))
      contexts << QString::fromStdString(name);
  auto* dialog = new ExportDialog(chosen.front(), shownText(row->record.name), contexts, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &ExportDialog::chosen, &changes_, &RunActions::exportRun);
  dialog->open();
}

void RunsPage::trash() {
  changes_.trash(table_->chosen());
}

void RunsPage::restore() {
  changes_.restore(table_->chosen());
}

void RunsPage::erase() {
  const QStringList chosen = table_->chosen();
  if (chosen.isEmpty()) return;
  auto* question = new QMessageBox(
      QMessageBox::Warning, tr("Delete for good"),
      tr("Runs to delete with their curves and checkpoints: %1. This cannot be undone.")
          .arg(chosen.size()),
      QMessageBox::Cancel, this);
  auto* erase = question->addButton(tr("Delete for good"), QMessageBox::DestructiveRole);
  question->setDefaultButton(QMessageBox::Cancel);
  question->setAttribute(Qt::WA_DeleteOnClose);
  connect(question, &QMessageBox::buttonClicked, this, [this, chosen, erase](auto* clicked) {
    if (clicked == erase) changes_.erase(chosen);
  });
  question->open();
}

}  // namespace parapet::ui
