// SPDX-License-Identifier: GPL-3.0-or-later
// Median time to refresh a plot of a million noisy steps, as JSON. With an argument, a picture of
// the plot goes there. Run with QT_QPA_PLATFORM=offscreen where there is no display.
#include <fmt/format.h>

#include <QApplication>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "ui/plots/curve_plot.h"

using namespace parapet::ui;

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  constexpr std::int64_t kSteps = 1'000'000;
  constexpr int kWarmUp = 5, kRepetitions = 51;
  std::vector<parapet::experiment::StepBucket> steps;
  std::uint32_t noise = 1;
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    noise = noise * 1664525u + 1013904223u;
    const double x = static_cast<double>(step);
    const double loss = 5.0 + 4.0 / (1.0 + x / 2e4) + 0.3 * (noise / 4294967296.0 - 0.5);
    steps.push_back({step, step, step / 1000 + 1, loss, loss, loss, x * 1e-3, 0});
  }
  CurvePlot plot("loss", "nats");
  plot.resize(1000, 600);
  plot.appendSteps(plot.addSteps("train"), steps);
  plot.show();
  QApplication::processEvents();
  std::vector<double> times;
  for (int i = 0; i < kWarmUp + kRepetitions; ++i) {
    const double ms = plot.refreshNow();
    if (i >= kWarmUp) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  fmt::print(
      "{{\"bench\": \"replot\", \"steps\": {}, \"width\": {}, \"height\": {}, \"repetitions\": {}, "
      "\"median_ms\": {:.3f}, \"max_ms\": {:.3f}}}\n",
      kSteps, plot.width(), plot.height(), kRepetitions, times[times.size() / 2], times.back());
  if (argc > 1 && !plot.grab().save(QString::fromLocal8Bit(argv[1]))) return 1;
  return 0;
}
