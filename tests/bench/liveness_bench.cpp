// SPDX-License-Identifier: GPL-3.0-or-later
// How the window stays alive while it trains on every core, as JSON: the lateness of a 10 ms
// heartbeat in the GUI thread; the processor time, as shares of one core, of the GUI thread, of the
// store, of the window's background threads and, apart, of the recommendations for watched users;
// the time from nothing to a usable window, and from a page to the next one while it trains. The shares are measured twice, with the heartbeat
// and without it. Run with QT_QPA_PLATFORM=offscreen where there is no display:
//   bench_liveness [SECONDS]
#include <fmt/format.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/parapet/parts.h"
#include "engine/base/threads.h"
#include "engine/base/workers.h"
#include "ui/models/document_source.h"
#include "ui/style/theme.h"

namespace {

using namespace parapet;

constexpr int kBeatMs = 10;
constexpr int kLateMs = 50;

/// Processor seconds of this process so far, by what they were used for.
struct Uses {
  double training = 0.0;    ///< the run, its workers, its input
  double gui = 0.0;         ///< drawing, and the bridge's end in the GUI thread
  double store = 0.0;       ///< the writer of the run store
  double background = 0.0;  ///< reading the store for the window, requests, threads of Qt
  double watched = 0.0;     ///< recommendations for watched users
};

/// In the GUI thread.
Uses usesSoFar() {
  Uses uses;
  uses.gui = thisThreadSeconds();
  // Taken last, so that what is left for Qt's threads is not negative.
  const auto named = namedThreadSeconds();
  uses.background = processSeconds() - uses.gui;
  for (const auto& [name, seconds] : named) {
    const bool training = name.starts_with("run") || name == "input";
    const bool watched = name.starts_with("watch");
    if (training) uses.training += seconds;
    if (watched) uses.watched += seconds;
    if (name == "store") uses.store += seconds;
    if (training || watched || name == "store") uses.background -= seconds;
  }
  return uses;
}

/// Shares of one core between two readings.
nlohmann::ordered_json shares(const Uses& before, const Uses& after, double wallSeconds) {
  const auto share = [wallSeconds](double seconds) {
    return std::round(1e4 * seconds / wallSeconds) / 1e4;
  };
  const double gui = after.gui - before.gui, store = after.store - before.store,
               background = after.background - before.background;
  return {{"gui", share(gui)},
          {"store", share(store)},
          {"background", share(background)},
          {"drawing_store_bridge", share(gui + store + background)},
          {"watched_users", share(after.watched - before.watched)},
          {"training", share(after.training - before.training)}};
}

/// Lets the window live for a while. QTest::qWait would wake it every 10 ms.
void live(int seconds) {
  QEventLoop loop;
  QTimer::singleShot(seconds * 1000, &loop, &QEventLoop::quit);
  loop.exec();
}

nlohmann::ordered_json measureShares(int seconds) {
  QElapsedTimer wall;
  wall.start();
  const Uses before = usesSoFar();
  live(seconds);
  return shares(before, usesSoFar(), static_cast<double>(wall.elapsed()) / 1e3);
}

/// A timer of 10 ms in the GUI thread, and how late it was.
class Heartbeat {
 public:
  Heartbeat() {
    timer_.setTimerType(Qt::PreciseTimer);
    QObject::connect(&timer_, &QTimer::timeout, [this] {
      const std::int64_t lateness = since_.restart() - kBeatMs;
      worst_ = std::max(worst_, lateness);
      ++beats_;
      if (lateness > kLateMs) ++late_;
    });
    since_.start();
    timer_.start(kBeatMs);
  }
  [[nodiscard]] nlohmann::ordered_json json() const {
    return {{"beats", beats_}, {"late_beats", late_}, {"worst_late_ms", worst_}};
  }

 private:
  QTimer timer_;
  QElapsedTimer since_;
  std::int64_t beats_ = 0, late_ = 0, worst_ = 0;
};

/// From the wish to see a page until it is painted, in ms: the first time and again.
nlohmann::ordered_json measurePages(ui::MainWindow& window) {
  nlohmann::ordered_json pages;
  for (const char* when : {"first", "again"})
    for (const char* name :
         {"home", "experiment/data", "experiment/tables", "experiment/model", "experiment/training",
          "experiment/mesh", "train", "runs", "browse", "devices", "log"}) {
      live(1);
      QElapsedTimer since;
      since.start();
      window.showPage(name);
      QApplication::processEvents();
      (void)window.grab();
      pages[name][when] = since.elapsed();
    }
  return pages;
}

experiment::Experiment longRun(int cores) {
  auto source = ui::documentOfRecipe("sample", {});
  experiment::Experiment experiment = experiment::parse(source->document).experiment;
  experiment.dataset.generator =
      experiment::Generator{.users = 20'000, .items = 5000, .events = 3'000'000, .seed = 7};
  // Large enough for the kernels to keep all cores busy; small models wait for their input.
  experiment.dataset.batch.size = 16'384;
  for (experiment::Table& table : experiment.tables) table.embeddingDim = 256;
  experiment.mesh.devices = {fmt::format("cpu*{}", cores)};
  experiment.training.epochs = 1'000'000;
  experiment.training.validateEvery = 0;
  experiment.training.checkpoints.best.reset();
  return experiment;
}

}  // namespace

int main(int argc, char** argv) {
  QElapsedTimer start;
  start.start();
  QApplication application(argc, argv);
  ui::applyTheme(ui::Theme::kLight);
  const QTemporaryDir scratch;
  auto parts = window::Parts::make((scratch.path() + "/workspace").toStdString(),
                                   (scratch.path() + "/config").toStdString());
  if (!parts) return 1;
  ui::MainWindow& window = (*parts)->window();
  window.restore();
  window.beginWith("sample");
  window.show();
  QApplication::processEvents();
  const auto usableMs = start.elapsed();

  window.showPage("train");
  ui::Workbench& bench = (*parts)->bench();
  const int cores = Workers::available();
  bench.runs.start(longRun(cores), "bench");
  // The data of the run are generated first, which takes minutes beside other programs.
  const auto trains = [&bench] { return bench.runs.progress().stage == "training"; };
  if (!QTest::qWaitFor(trains, 600'000)) {
    fmt::print(stderr, "no training within ten minutes; now: {}\n",
               bench.runs.progress().stage.toStdString());
    return 1;
  }
  QTest::qWait(2000);

  const int seconds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  nlohmann::ordered_json report{{"bench", "liveness"},
                                {"cores", cores},
                                {"seconds", seconds},
                                {"usable_window_ms", usableMs}};
  {
    const Heartbeat heartbeat;
    report["shares_of_a_core_with_heartbeat"] = measureShares(seconds);
    report["heartbeat"] = heartbeat.json();
  }
  report["shares_of_a_core"] = measureShares(seconds);
  report["page_change_ms"] = measurePages(window);
  bench.runs.stop();
  (void)QTest::qWaitFor([&] { return !bench.runs.active(); }, 60'000);
  fmt::print("{}\n", report.dump(1));
  return 0;
}
