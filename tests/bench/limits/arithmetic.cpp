// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>

#include "engine/base/workers.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/limits/limits.h"
#include "tests/bench/limits/vector.h"

namespace parapet::bench {
namespace {

// Enough independent sums to hide the latency of a multiply-add on two units, few enough for
// sixteen registers.
constexpr std::size_t kSums = 12;
constexpr std::int64_t kSteps = 4'000'000;

float multiplyAdds() {
  std::array<Vector, kSums> sums;
  for (std::size_t i = 0; i < kSums; ++i) sums[i] = broadcast(1e-3f * static_cast<float>(i));
  // Towards 0.1, so that no number becomes denormal or infinite.
  const Vector factor = broadcast(0.999f), term = broadcast(1e-4f);
  for (std::int64_t step = 0; step < kSteps; ++step)
    for (Vector& of : sums) of = of * factor + term;
  Vector total = sums[0];
  for (std::size_t i = 1; i < kSums; ++i) total += sums[i];
  return sum(total);
}

void runFma(const Settings& settings) {
  Workers workers(settings.threads);
  const Timing timing = measure(settings.budget, [&] {
    workers.parallelFor(settings.threads, [](std::int64_t) { keep(multiplyAdds()); });
  });
  const double flops = 2.0 * static_cast<double>(kSteps) * kSums * kLanes * settings.threads;
  nlohmann::json line = toJson(timing);
  line["threads"] = settings.threads;
  line["gflops"] = flops / timing.median / 1e9;
  printLine(line);
}

}  // namespace

void addFma(CLI::App& program) {
  CLI::App* command = program.add_subcommand("fma", "Peak of multiply-adds in registers");
  const auto settings = std::make_shared<Settings>();
  settings->addTo(*command);
  command->callback([settings] { runFma(*settings); });
}

}  // namespace parapet::bench
