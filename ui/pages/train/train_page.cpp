// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/train_page.h"

#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/bridge/pause.h"
#include "ui/bridge/run_queue.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_model.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

/// Headline numbers are read, not watched; every change of a label lays out the page again.
constexpr int kHeadMs = 80;

}  // namespace

TrainPage::TrainPage(const Workbench& bench, QWidget* parent)
    : Page(parent),
      bench_(bench),
      feed_(bench.workspace, bench.bridge, bench.runs, curves_),
      pages_(new QStackedWidget(this)) {
  pages_->addWidget(empty_ = buildEmpty());
  pages_->addWidget(buildRun());
  pages_->addWidget(buildFailed());
  pages_->addWidget(buildModel());
  auto* layout = verticalBox(this);
  layout->addWidget(pages_);
  buildActions();
  connectRun();
  callAfterPause(headTimer_, kHeadMs, this, &TrainPage::refreshHead);
  refreshHead();
}

QWidget* TrainPage::buildRun() {
  auto* page = new QWidget(this);
  header_ = new RunHeader(page);
  headline_ = new HeadlineBar(page);
  panel_ = new CurvePanel(curves_, page);
  watched_ = new WatchedPanel(bench_.workspace, bench_.runs, page);
  splitter_ = new QSplitter(Qt::Horizontal, page);
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(17);
  splitter_->addWidget(panel_);
  splitter_->addWidget(watched_);
  // Titles have their share of a wide page.
  splitter_->setStretchFactor(0, 2);
  splitter_->setStretchFactor(1, 1);
  watched_->setMinimumWidth(264);
  splitter_->setSizes({840, 320});
  auto* column = verticalBox(page, 16, {16, 16, 16, 16});
  column->addWidget(header_);
  column->addWidget(headline_);
  column->addWidget(splitter_, 1);
  // On a small screen the page scrolls and the charts keep their height.
  QScrollArea* scroll = scrolling(page, tr("The run"));
  return scroll;
}

QWidget* TrainPage::buildEmpty() {
  auto* page = new QWidget(this);
  auto* title = new QLabel(tr("Nothing has been trained yet"), page);
  title->setFont(textFont(TextSize::kTitle, QFont::Bold));
  auto* text = new QLabel(tr("Set up an experiment and run it, or train the small sample\nto see "
                             "what this page shows. The sample takes a few seconds."),
                          page);
  text->setAlignment(Qt::AlignCenter);
  auto* sample = new QPushButton(tr("Train the sample"), page);
  sample->setObjectName(QStringLiteral("trainSample"));
  sample->setToolTip(tr("Generates 20,000 ratings and trains on them"));
  sample->setDefault(true);
  auto* open = new QPushButton(tr("Set up an experiment"), page);
  open->setToolTip(tr("Go to the Experiment page"));
  for (QPushButton* button : {sample, open}) button->setAccessibleName(button->text());
  connect(sample, &QPushButton::clicked, this, &TrainPage::trainSample);
  connect(open, &QPushButton::clicked, this,
          [this] { emit pageRequested(QStringLiteral("experiment")); });
  auto* buttons = horizontalBox(nullptr, 8);
  buttons->addStretch();
  buttons->addWidget(sample);
  buttons->addWidget(open);
  buttons->addStretch();
  auto* column = new QVBoxLayout(page);
  column->setSpacing(16);
  column->addStretch(2);
  column->addWidget(title, 0, Qt::AlignHCenter);
  column->addWidget(text, 0, Qt::AlignHCenter);
  column->addLayout(buttons);
  column->addStretch(3);
  return page;
}

QWidget* TrainPage::buildFailed() {
  failedTitle_ = new QLabel(this);
  failedTitle_->setObjectName(QStringLiteral("didNotStart"));
  failedText_ = new QLabel(this);
  auto* open = new QPushButton(tr("Show the experiment"), this);
  open->setToolTip(tr("Goes to the page Experiment"));
  backToRun_ = new QPushButton(tr("Show the run before"), this);
  backToRun_->setToolTip(tr("The run that this page showed before"));
  for (QPushButton* button : {open, backToRun_}) button->setAccessibleName(button->text());
  connect(open, &QPushButton::clicked, this,
          [this] { emit pageRequested(QStringLiteral("experiment")); });
  connect(backToRun_, &QPushButton::clicked, this, [this] {
    failed_ = false;
    refreshHead();
  });
  return buildNotice(failedTitle_, failedText_, {open, backToRun_});
}

QWidget* TrainPage::buildModel() {
  auto* title = new QLabel(tr("A model folder does not train"), this);
  title->setObjectName(QStringLiteral("modelDoesNotTrain"));
  auto* text = new QLabel(
      tr("It holds one trained model, without the data and the curves of its run: it answers "
         "questions. To train, open the workspace of the run, or any other."),
      this);
  auto* browse = new QPushButton(tr("Browse the model"), this);
  browse->setToolTip(tr("Goes to the page Browse"));
  browse->setAccessibleName(browse->text());
  connect(browse, &QPushButton::clicked, this,
          [this] { emit pageRequested(QStringLiteral("browse")); });
  return buildNotice(title, text, {browse});
}

QWidget* TrainPage::buildNotice(QLabel* title, QLabel* text, const QList<QPushButton*>& buttons) {
  auto* page = new QWidget(this);
  title->setFont(textFont(TextSize::kTitle, QFont::Bold));
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignCenter);
  text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* row = horizontalBox(nullptr, 8);
  row->addStretch();
  for (QPushButton* button : buttons) row->addWidget(button);
  row->addStretch();
  auto* column = verticalBox(page, 16, {32, 16, 32, 16});
  column->addStretch(2);
  column->addWidget(title, 0, Qt::AlignHCenter);
  column->addWidget(text);
  column->addLayout(row);
  column->addStretch(3);
  return page;
}

void TrainPage::buildActions() {
  offer(tr("Export the chart as a picture…"), {},
        [this] { panel_->controls().exportAs(QStringLiteral("png")); });
  offer(tr("Export the values of the chart…"), {},
        [this] { panel_->controls().exportAs(QStringLiteral("csv")); });
  offer(tr("Show all of the curves"), {}, [this] { panel_->lossPlot().zoomReset(); });
  offer(tr("Watch a random user"), {}, [this] { watched_->addRandomUser(); });
  offer(tr("Show the newest run"), {}, [this] { showNewest(); });
}

void TrainPage::connectRun() {
  connect(&bench_.runs, &RunController::started, this, &TrainPage::showRun);
  connect(&bench_.runs, &RunController::failed, this, [this](const Error& error) {
    if (bench_.runs.active()) return;
    failed_ = true;
    failedTitle_->setText(
        tr("%1 did not start")
            .arg(shownText(QString::fromStdString(bench_.runs.experiment().name))));
    failedText_->setText(shownText(error.text()));
    refreshHead();
  });
  const auto refreshSoon = [this] {
    if (!headTimer_.isActive()) headTimer_.start();
  };
  connect(&bench_.runs, &RunController::progressChanged, this, refreshSoon);
  connect(&bench_.runs, &RunController::ended, this, [this](const QString& id) {
    refreshHead();
    // From here on the checkpoint answers.
    if (id == runId()) watched_->source().refresh();
  });
  connect(&bench_.runs, &RunController::batchStepped, this,
          [this](const QString& id, const std::shared_ptr<const experiment::BatchReport>& report) {
            if (id == runId()) panel_->showBatch(*report);
          });
  connect(&curves_, &RunCurves::epochsChanged, this, refreshSoon);
  connect(&curves_, &RunCurves::factsChanged, this, [this, refreshSoon] {
    // The bridge collects states already; a second wait would come on top of its own.
    curves_.facts().state != header_->state() ? refreshHead() : refreshSoon();
  });
  connect(&curves_, &RunCurves::reset, this, &TrainPage::refreshHead);
  connect(&curves_, &RunCurves::marksChanged, this, refreshSoon);
  connect(&curves_, &RunCurves::epochsChanged, this, [this] { watched_->source().refresh(); });
  connect(&feed_, &RunFeed::loaded, this, &TrainPage::refreshWatched);
  connect(&feed_, &RunFeed::failed, this, [this](const QString& message) {
    refreshHead();
    // A remembered run that is gone is nothing to complain about.
    if (std::exchange(restored_, false)) return showNewest();
    emit complained(message);
  });
  connect(&feed_, &RunFeed::left, this, [this](const QString& before) {
    if (!before.isEmpty()) read(before);
  });
  connect(&bench_.runs.queue(), &RunQueue::changed, this, &TrainPage::refreshHead);
  connect(header_, &RunHeader::pauseRequested, this,
          [this] { bench_.runs.queue().askPause(runId()); });
  connect(header_, &RunHeader::stopRequested, this,
          [this] { bench_.runs.queue().ask(runId(), store::Request::kStop); });
  connect(header_, &RunHeader::resumeRequested, this, [this] { bench_.runs.resumeRun(runId()); });
  connect(header_, &RunHeader::browseRequested, this,
          [this] { emit browseRequested(runId(), {}); });
  connect(header_, &RunHeader::runsRequested, this,
          [this] { emit pageRequested(QStringLiteral("runs")); });
  connect(header_, &RunHeader::liveRunRequested, this, [this] { showRun(bench_.runs.runId()); });
  connect(watched_, &WatchedPanel::userActivated, this,
          [this](const QString& user) { emit browseRequested(runId(), user); });
  connect(&watched_->source(), &WatchedSource::failed, this, &Page::complained);
  connect(panel_, &CurvePanel::failed, this, &Page::complained);
  connect(panel_, &CurvePanel::detailWanted, &feed_, &RunFeed::showDetail);
  connect(panel_, &CurvePanel::allStepsWanted, &feed_, &RunFeed::showAllSteps);
  connect(panel_, &CurvePanel::allStepsWantedNow, &feed_, &RunFeed::showAllStepsNow);
  connect(&feed_, &RunFeed::loaded, this, [this] {
    if (panel_->needsAllSteps()) feed_.showAllSteps();
  });
  connect(panel_, &CurvePanel::exported, this,
          [this](const QString& path) { emit messageRequested(tr("Written: %1").arg(path)); });
}

void TrainPage::showRun(const QString& runId) {
  chosen_ = true;
  restored_ = failed_ = false;
  newest_.cancel();
  read(runId);
}

void TrainPage::read(const QString& runId) {
  feed_.setWidth(panel_->lossPlot().pixelWidth());
  feed_.show(runId);
  emit runShown(runId);
}

void TrainPage::showNewest() {
  if (bench_.runs.active()) return showRun(bench_.runs.runId());
  newest_.start(
      [&store = bench_.workspace.store()](const WorkContext&) { return store.find("latest"); },
      [this](const Result<store::RunRecord>& run) {
        if (run) read(QString::fromStdString(run->id));
      });
}

void TrainPage::trainSample() {
  const auto recipe = experiment::findRecipe("sample");
  if (!recipe) return emit complained(shownText(recipe.error().text()));
  const auto document = experiment::parseJson(recipe->text);
  if (!document) return emit complained(shownText(document.error().text()));
  bench_.runs.start(experiment::parse(*document).experiment, QStringLiteral("sample"));
}

void TrainPage::refreshHead() {
  headTimer_.stop();
  if (workspace::Workspace::isModel(bench_.workspace.folder())) return pages_->setCurrentIndex(3);
  pages_->setCurrentIndex(failed_ ? 2 : curves_.empty() ? 0 : 1);
  backToRun_->setVisible(!curves_.empty());
  if (failed_ || curves_.empty()) return;
  const bool own = feed_.isOwn();
  const RunProgress& progress = bench_.runs.progress();
  const RunEta eta = own ? RunEta{progress.etaLowSeconds, progress.etaHighSeconds} : RunEta{};
  headline_->show(headlineOf(curves_, eta), decisionOf(curves_));
  const RunFacts& facts = curves_.facts();
  const bool canResume = isResumable(facts.state) && !bench_.runs.active();
  const bool another = bench_.runs.active() && !own && !bench_.runs.runId().isEmpty();
  header_->show(facts, canResume, another ? bench_.runs.runId() : QString());
  const store::RunRecord* other = bench_.runs.queue().findElsewhere(runId());
  const auto asked = bench_.runs.queue().asked(runId());
  const bool paused = other && other->state == experiment::RunState::kPaused;
  header_->showElsewhere(other != nullptr, paused ? tr("Continue") : tr("Pause"),
                         !asked                            ? QString()
                         : *asked == store::Request::kStop ? tr("Its process was asked to stop it")
                                                           : tr("Its process was asked and has not "
                                                                "answered yet"));
}

void TrainPage::refreshWatched() {
  // A model of texts knows no users.
  watched_->setVisible(!experiment::readsText(curves_.facts().model));
  watched_->source().setRun(runId(), curves_.facts().excludeSeen
                                         ? retrieval::SeenItems::kExcludeTrain
                                         : retrieval::SeenItems::kKeep);
}

void TrainPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  feed_.setPolling(true);
  watched_->source().setActive(true);
  if (!chosen_ && runId().isEmpty()) showNewest();
}

void TrainPage::hideEvent(QHideEvent* event) {
  Page::hideEvent(event);
  feed_.setPolling(false);
  watched_->source().setActive(false);
}

QString TrainPage::terminalCommand() const {
  if (runId().isEmpty()) return QStringLiteral("parapet-cli train sample");
  return QStringLiteral("parapet-cli show %1").arg(runId());
}

nlohmann::json TrainPage::saveState() const {
  nlohmann::json users = nlohmann::json::array();
  for (const QString& user : watched_->model().users()) users.push_back(user.toStdString());
  return {{"users", users}, {"curves", panel_->saveState()}, {"run", runId().toStdString()}};
}

void TrainPage::restoreState(const nlohmann::json& state) {
  if (!state.is_object()) return;
  QStringList users;
  for (const auto& user : state.value("users", nlohmann::json::array()))
    if (user.is_string()) users << QString::fromStdString(user.get<std::string>());
  panel_->restoreState(state.value("curves", nlohmann::json::object()));
  const std::string run = state.value("run", std::string());
  // A state of another workspace names a run and users of its own.
  if (!run.empty() && !bench_.workspace.store().find(run).ok()) return;
  watched_->setUsers(users);
  if (run.empty() || chosen_) return;
  showRun(QString::fromStdString(run));
  restored_ = true;
}

}  // namespace parapet::ui
