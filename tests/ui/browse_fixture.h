// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <iterator>

#include "engine/retrieval/list_comparison.h"
#include "ui/pages/browse/browse_bar.h"
#include "ui/pages/browse/browse_page.h"

namespace parapet::ui {

using retrieval::SeenItems;

constexpr int kPatienceMs = 60'000;

/// A workspace and what a page works on.
struct Bench {
  explicit Bench(const QString& folder)
      : workspace(std::move(workspace::Workspace::open(folder.toStdString()).value())),
        runs(*workspace, bridge),
        workbench{*workspace, bridge, runs, editor} {}
  std::unique_ptr<workspace::Workspace> workspace;
  RunBridge bridge;
  RunController runs;
  ExperimentEditor editor;
  Workbench workbench;
};

inline experiment::Experiment smallSample(std::uint64_t seed, std::int64_t items) {
  auto document = experiment::parseJson(experiment::findRecipe("sample")->text).value();
  document["dataset"]["generator"] = {
      {"users", 60}, {"items", items}, {"events", 2000}, {"seed", 7}};
  document["dataset"]["split"]["seed"] = 42;  // else it follows the seed of the training
  document["training"]["epochs"] = 2;
  document["training"]["seed"] = seed;
  return experiment::parse(document).experiment;
}

inline std::string trainRun(workspace::Workspace& workspace,
                            const experiment::Experiment& experiment) {
  auto handle = workspace.start(experiment, {});
  if (!handle.ok()) return "";
  const auto outcome = (*handle)->wait();
  return outcome.state == experiment::RunState::kFinished ? outcome.runId : "";
}

inline std::ptrdiff_t threadsOfThisProcess() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// The page Browse over three runs: two of the same data that differ in the seed, and one of other
/// data. Each case begins with the first user of the newest.
class BrowseFixture : public QObject {
 protected:
  void trainRuns() {
    qRegisterMetaType<Error>();
    QVERIFY(folder_.isValid());
    bench_ = std::make_unique<Bench>(folder_.path());
    otherData_ = trainRun(*bench_->workspace, smallSample(42, 50));
    otherRun_ = trainRun(*bench_->workspace, smallSample(7, 80));
    run_ = trainRun(*bench_->workspace, smallSample(42, 80));
    QVERIFY(!run_.empty() && !otherRun_.empty() && !otherData_.empty());
    engine_ = bench_->workspace->recommender(run_, {}).value();
  }
  /// A page of its own with a list of a user.
  void openPage(const Bench& bench, const std::string& run, const QString& user) {
    threadsBefore_ = threadsOfThisProcess();
    page_ = std::make_unique<BrowsePage>(bench.workbench);
    page_->resize(1280, 720);
    page_->show();
    page_->showUser(QString::fromStdString(run), user);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->board().columns().empty(), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(list(0).rowCount() == 10, kPatienceMs);
  }
  /// Until all work of the page, cancelled work as well, has ended and what it handed over was taken:
  /// each piece has a thread that ends after that.
  void waitForWork() {
    do {
      QTRY_VERIFY_WITH_TIMEOUT(threadsOfThisProcess() <= threadsBefore_, kPatienceMs);
      QCoreApplication::processEvents();
    } while (threadsOfThisProcess() > threadsBefore_);
  }
  // Lists of these users, up to date.
  void showUsers(const QStringList& users) {
    page_->session().setUsers(users);
    QTRY_COMPARE_WITH_TIMEOUT(page_->session().answers().size(),
                              static_cast<std::size_t>(users.size()), kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns().back()->user(), users.back(), kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns().front()->user(), users.front(), kPatienceMs);
  }
  retrieval::Recommendation asked(const std::string& user, std::int64_t k, SeenItems seen) {
    return engine_->recommend(std::span(&user, 1), k, seen).value().front();
  }
  void trigger(const QString& action) {
    const auto actions = page_->pageActions();
    const auto found = std::ranges::find(actions, action, &QAction::text);
    QVERIFY2(found != actions.end(), qPrintable(action));
    (*found)->trigger();
  }
  static std::vector<std::int32_t> rowsIn(const retrieval::Recommendation& list) {
    return retrieval::itemsOf(list.items);
  }
  static void compareLists(const retrieval::Recommendation& shown,
                           const retrieval::Recommendation& expected) {
    QCOMPARE(shown.items.size(), expected.items.size());
    QCOMPARE(shown.candidates, expected.candidates);
    for (std::size_t i = 0; i < shown.items.size(); ++i) {
      QCOMPARE(shown.items[i].item, expected.items[i].item);
      QCOMPARE(shown.items[i].score, expected.items[i].score);
      QCOMPARE(shown.items[i].rank, expected.items[i].rank);
    }
  }
  QString shownRun() {
    const RecommenderPtr& model = page_->session().model();
    return model ? QString::fromStdString(model->model().runId) : QString();
  }
  QString strip() { return page_->bar().strip(); }
  RecommendationModel& list(std::size_t column) { return page_->board().columns()[column]->list(); }

  /// The name of a control that a person who cannot see the page would not know.
  static QString controlWithoutAName(const QWidget& page) {
    for (const QWidget* widget : page.findChildren<QWidget*>()) {
      const bool control = widget->inherits("QComboBox") || widget->inherits("QSpinBox") ||
                           widget->inherits("QPushButton") || widget->inherits("QLineEdit") ||
                           widget->inherits("QSlider");
      if (!control || widget->objectName().startsWith("qt_") ||
          widget->parent()->inherits("QSpinBox"))
        continue;
      if (widget->accessibleName().isEmpty()) return widget->metaObject()->className();
      if (widget->toolTip().isEmpty()) return widget->accessibleName();
    }
    return {};
  }

  QTemporaryDir folder_;
  std::unique_ptr<Bench> bench_;
  std::unique_ptr<BrowsePage> page_;
  std::string run_, otherRun_, otherData_;
  RecommenderPtr engine_;
  std::ptrdiff_t threadsBefore_ = 0;  ///< threads of the process without a page
};

}  // namespace parapet::ui
