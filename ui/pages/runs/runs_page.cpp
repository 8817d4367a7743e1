// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/runs_page.h"

#include <QHeaderView>

#include "ui/bridge/shown_text.h"
#include "ui/style/usable.h"

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
  connect(&source_, &RunsSource::failed, this, &Page::messageRequested);
  connect(&model_, &RunsModel::renamed, &changes_, &RunActions::rename);
  connect(&model_, &RunsModel::notesChanged, &changes_, &RunActions::setNotes);
  connect(&changes_, &RunActions::changed, &source_, &RunsSource::refresh);
  connect(&changes_, &RunActions::failed, this, [this](const QString& message) {
    // What the table shows may be what the store refused.
    source_.refresh();
    emit messageRequested(message);
  });
  connect(&changes_, &RunActions::trashed, this, [this](const QStringList& ids) {
    undo_->offer(ids.size() == 1 ? tr("Moved a run to the trash")
                                 : tr("Moved %1 runs to the trash").arg(ids.size()),
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
    emit messageRequested(paths.size() == 1 ? tr("Written: %1").arg(paths.front())
                                            : tr("%1 files written").arg(paths.size()));
  });
  connect(undo_, &UndoBar::undoRequested, &changes_, &RunActions::restore);
  connect(table_, &RunsTable::chosenChanged, this, &RunsPage::refreshChosen);
  connect(table_, &RunsTable::opened, this, &Page::showRunRequested);
  connect(&filter_, &QAbstractItemModel::rowsInserted, this, &RunsPage::refreshEmpty);
  connect(&filter_, &QAbstractItemModel::rowsRemoved, this, &RunsPage::refreshEmpty);
  connect(&model_, &QAbstractItemModel::dataChanged, this, [this] {
    refreshChosen();
    overlay_->refresh();
  });
  connect(&bench_.runs, &RunController::stateChanged, this, &RunsPage::refreshChosen);
  connect(&bench_.runs, &RunController::ended, this, &RunsPage::refreshChosen);
  connect(details_, &QTabWidget::currentChanged, this, &RunsPage::refreshDetails);
  connect(overlay_, &OverlayPanel::failed, this, &Page::messageRequested);
  connect(overlay_, &OverlayPanel::exported, this,
          [this](const QString& path) { emit messageRequested(tr("Written: %1").arg(path)); });
  connect(search_, &QLineEdit::textChanged, &filter_, &RunsFilter::setText);
  connect(search_, &QLineEdit::textChanged, this, &RunsPage::refreshEmpty);
}

void RunsPage::refreshChosen() {
  const QStringList chosen = table_->chosen();
  const RunRow* one = chosen.size() == 1 ? model_.find(chosen.front()) : nullptr;
  const bool any = !chosen.isEmpty(), inTrash = filter_.trash();
  for (QAction* single : {actions_.showInTrain, actions_.browse, actions_.clone, actions_.fork,
                          actions_.exporting, actions_.rename})
    setUsable(*single, one != nullptr, any ? tr("Choose a single run") : tr("Choose a run first"));
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
  refreshStrip(chosen);
  refreshDetails();
}

void RunsPage::refreshStrip(const QStringList& chosen) {
  const RunRow* one = chosen.size() == 1 ? model_.find(chosen.front()) : nullptr;
  stripNext_->setVisible(one && !filter_.trash());
  if (!one) {
    stripText_->setText(chosen.isEmpty()
                            ? tr("Choose a run to see what can be done with it, two or more to "
                                 "compare them.")
                            : tr("%1 runs chosen").arg(chosen.size()));
    return;
  }
  const RunAdvice advice = adviceFor(one->record);
  stripText_->setText(QStringLiteral("%1 · %2").arg(shownText(one->record.name), advice.why));
  stripText_->setToolTip(advice.why);
  stripNext_->setText(advice.nextText);
  stripNext_->setAccessibleName(advice.nextText);
  setUsable(*stripNext_, advice.next != RunAdvice::Next::kResume || actions_.resume->isEnabled(),
            whyDisabled(*actions_.resume));
}

void RunsPage::refreshDetails() {
  const QStringList chosen = table_->chosen();
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

void RunsPage::refreshEmpty() {
  const bool empty = read_ && filter_.rowCount() == 0;
  lists_->setCurrentIndex(empty ? 1 : 0);
  const bool noRuns = model_.rowCount() == 0;
  below_->setVisible(!noRuns);
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

}  // namespace parapet::ui
