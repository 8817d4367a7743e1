// SPDX-License-Identifier: GPL-3.0-or-later
// How the window stays alive while it trains on every core: the lateness of a 10 ms heartbeat in
// the GUI thread, and the processor time of everything that is not training (drawing, bridge,
// store), as JSON. Also the time from nothing to a usable window. Run with
// QT_QPA_PLATFORM=offscreen where there is no display:  liveness_bench [SECONDS]
#include <fmt/format.h>
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "app/parapet/parts.h"
#include "engine/base/workers.h"
#include "ui/models/document_source.h"
#include "ui/style/theme.h"

namespace {

using namespace parapet;

constexpr int kBeatMs = 10;
constexpr int kLateMs = 50;

/// Processor seconds of each thread of this process so far.
std::map<std::string, double> threadSeconds() {
  const auto ticksPerSecond = static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::map<std::string, double> seconds;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t afterName = text.rfind(')');
    if (afterName == std::string::npos) continue;
    // After the name come the state (field 3) and, as fields 14 and 15, user and system ticks.
    std::istringstream fields(text.substr(afterName + 2));
    std::string skipped;
    for (int field = 3; field < 14; ++field) fields >> skipped;
    double user = 0.0, system = 0.0;
    fields >> user >> system;
    seconds[task.path().filename().string()] = (user + system) / ticksPerSecond;
  }
  return seconds;
}

experiment::Experiment longRun(int cores) {
  auto source = ui::documentOfRecipe("sample", {});
  experiment::Experiment experiment = experiment::parse(source->document).experiment;
  experiment.dataset.generator = experiment::Generator{20'000, 5000, 3'000'000, 7};
  experiment.dataset.batch.size = 4000;
  experiment.mesh.devices = {fmt::format("cpu*{}", cores)};
  experiment.training.epochs = 1'000'000;
  experiment.training.validateEvery = 0;
  experiment.training.checkpoints.best.reset();
  return experiment;
}

/// Threads by their use between two readings, the busiest first; the GUI thread left out.
std::vector<double> usesBesidesGui(const std::map<std::string, double>& before,
                                   const std::map<std::string, double>& after) {
  const std::string gui = fmt::format("{}", ::getpid());
  std::vector<double> uses;
  for (const auto& [thread, seconds] : after) {
    if (thread == gui) continue;
    const auto earlier = before.find(thread);
    uses.push_back(seconds - (earlier == before.end() ? 0.0 : earlier->second));
  }
  std::sort(uses.rbegin(), uses.rend());
  return uses;
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
  if (!QTest::qWaitFor([&] { return bench.runs.progress().stage == "training"; }, 60'000)) return 1;
  QTest::qWait(2000);

  const int seconds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  QTimer beat;
  beat.setTimerType(Qt::PreciseTimer);
  QElapsedTimer sinceBeat, total;
  std::int64_t beats = 0, late = 0, worst = 0;
  QObject::connect(&beat, &QTimer::timeout, [&] {
    const std::int64_t lateness = sinceBeat.restart() - kBeatMs;
    worst = std::max(worst, lateness);
    ++beats;
    if (lateness > kLateMs) ++late;
  });
  const auto before = threadSeconds();
  sinceBeat.start();
  total.start();
  beat.start(kBeatMs);
  QTest::qWait(seconds * 1000);
  beat.stop();
  const auto after = threadSeconds();
  const double wall = static_cast<double>(total.elapsed()) / 1e3;
  const std::string gui = fmt::format("{}", ::getpid());
  const std::vector<double> uses = usesBesidesGui(before, after);
  // The run's thread, its workers and its input are the busiest; the rest (store, bridge, drawing,
  // timers, watched users) is the window's to answer for.
  const auto trainers = static_cast<std::size_t>(cores) + 1;
  double training = 0.0, others = after.at(gui) - before.at(gui);
  for (std::size_t i = 0; i < uses.size(); ++i) (i < trainers ? training : others) += uses[i];
  bench.runs.stop();
  (void)QTest::qWaitFor([&] { return !bench.runs.active(); }, 60'000);
  fmt::print(
      "{{\"bench\": \"liveness\", \"cores\": {}, \"seconds\": {:.1f}, \"usable_window_ms\": {}, "
      "\"beats\": {}, "
      "\"late_beats\": {}, \"late_share\": {:.5f}, \"worst_late_ms\": {}, \"training_cores\": "
      "{:.2f}, "
      "\"gui_share_of_a_core\": {:.4f}, \"not_training_share_of_a_core\": {:.4f}}}\n",
      cores, wall, usableMs, beats, late,
      static_cast<double>(late) / static_cast<double>(std::max<std::int64_t>(1, beats)), worst,
      training / wall, (after.at(gui) - before.at(gui)) / wall, others / wall);
  return 0;
}
