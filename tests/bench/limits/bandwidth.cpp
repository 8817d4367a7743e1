// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>

#include "engine/tensor/buffer.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/common/samples.h"
#include "tests/bench/limits/limits.h"
#include "tests/bench/limits/vector.h"

namespace parapet::bench {
namespace {

constexpr std::int64_t kUnroll = 8;
constexpr std::int64_t kStride = kUnroll * kLanes;
// A small array is read again until a measured run lasts tens of milliseconds: how long a thread
// takes to wake is no part of a bandwidth.
constexpr std::int64_t kLeastFloats = std::int64_t{1} << 28;

struct Arguments {
  Settings settings;
  std::int64_t bytes = std::int64_t{1} << 30;
};

// The slice of thread `index` in [0, count): whole strides.
struct Slice {
  std::int64_t begin, end;
  static Slice of(std::int64_t count, std::int64_t index, std::int64_t threads) {
    const std::int64_t strides = count / kStride;
    return {strides * index / threads * kStride, strides * (index + 1) / threads * kStride};
  }
};

float sumOf(const float* values, Slice slice) {
  std::array<Vector, kUnroll> sums{};
  for (std::int64_t i = slice.begin; i < slice.end; i += kStride)
    for (std::int64_t j = 0; j < kUnroll; ++j)
      sums[static_cast<std::size_t>(j)] += load(values + i + j * kLanes);
  Vector total{};
  for (const Vector of : sums) total += of;
  return sum(total);
}

void report(const Arguments& arguments, const Timing& timing, double bytes) {
  nlohmann::json line = toJson(timing);
  line["threads"] = arguments.settings.threads;
  line["bytes"] = arguments.bytes;
  line["gigabytes_per_second"] = bytes / timing.median / 1e9;
  printLine(line);
}

tensor::Buffer<float> filled(std::int64_t count, float value, Workers& workers) {
  tensor::Buffer<float> buffer(tensor::hostDevice(), count);
  fillConstant(buffer.host(), value, workers);
  return buffer;
}

void runRead(const Arguments& arguments) {
  const std::int64_t threads = arguments.settings.threads;
  const std::int64_t floats = std::max(arguments.bytes / 4, threads * kStride);
  Workers workers(arguments.settings.threads);
  const auto values = filled(floats, 1.0f, workers);
  const std::int64_t passes = std::max<std::int64_t>(1, kLeastFloats / floats);
  const Timing timing = measure(arguments.settings.budget, [&] {
    workers.parallelFor(threads, [&](std::int64_t index) {
      float total = 0.0f;
      for (std::int64_t pass = 0; pass < passes; ++pass) {
        total += sumOf(values.data(), Slice::of(floats, index, threads));
        // The compiler must not read once for all passes.
        asm volatile("" ::: "memory");
      }
      keep(total);
    });
  });
  report(arguments, timing, 4.0 * static_cast<double>(floats) * static_cast<double>(passes));
}

void runTriad(const Arguments& arguments) {
  const std::int64_t threads = arguments.settings.threads;
  const std::int64_t floats = arguments.bytes / 12;
  Workers workers(arguments.settings.threads);
  auto a = filled(floats, 1.0f, workers);
  const auto b = filled(floats, 2.0f, workers), c = filled(floats, 3.0f, workers);
  const Vector factor = broadcast(3.0f);
  const Timing timing = measure(arguments.settings.budget, [&] {
    workers.parallelFor(threads, [&](std::int64_t index) {
      const Slice slice = Slice::of(floats, index, threads);
      for (std::int64_t i = slice.begin; i < slice.end; i += kLanes)
        store(a.data() + i, load(b.data() + i) + factor * load(c.data() + i));
    });
  });
  report(arguments, timing, 12.0 * static_cast<double>(floats));
}

void addBandwidth(CLI::App& program, const char* name, const char* description,
                  void (*run)(const Arguments&)) {
  CLI::App* command = program.add_subcommand(name, description);
  const auto arguments = std::make_shared<Arguments>();
  arguments->settings.addTo(*command);
  command->add_option("--bytes", arguments->bytes, "Size of what is touched [1 GiB]")
      ->check(CLI::Range(std::int64_t{4096}, std::int64_t{1} << 40));
  command->callback([arguments, run] { run(*arguments); });
}

}  // namespace

void addRead(CLI::App& program) {
  addBandwidth(program, "read", "Bandwidth of reading", runRead);
}

void addTriad(CLI::App& program) {
  addBandwidth(program, "triad", "Bandwidth of a = b + s·c", runTriad);
}

}  // namespace parapet::bench
