// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/cpu_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/process.h"
#include "engine/tensor/backends.h"
#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/kernels/kernel.h"

namespace parapet::tensor {
namespace {

namespace fs = std::filesystem;

using Floats = std::vector<float>;

PpCall callHere(std::int32_t precision = PP_PRECISION_FP32) {
  PpCall call{};
  call.structSize = sizeof(PpCall);
  call.precision = precision;
  return onThisThread(call);
}

/// Uniform in [−1, 1).
Floats drawn(std::int64_t count, std::uint64_t seed) {
  Floats values;
  for (std::int64_t index = 0; index < count; ++index)
    values.push_back(static_cast<float>(draw(seed, static_cast<std::uint64_t>(index))) / (1 << 23) -
                     1.0f);
  return values;
}

/// Both backends do the same to a copy of `before` each; whether they come to the same within
/// rounding.
template <class Run>
bool agree(const PpOps& ops, const Floats& before, const Run& run) {
  constexpr float kTolerance = 1e-4f;  // sums of a hundred numbers below 1, in another order
  Floats ours = before, portable = before;
  if (run(ops, ours.data()) != PP_OK || run(*cpu::backend().ops, portable.data()) != PP_OK)
    return false;
  return std::ranges::equal(ours, portable, [](float x, float y) {
    return std::abs(x - y) <= kTolerance * (1.0f + std::abs(y));
  });
}

// Rows, columns and depth beyond whole registers and tiles of every instruction set.
constexpr std::int64_t kRows = 43, kColumns = 75, kInner = 107;

template <std::int32_t kPrecision>
bool productsAgree(const PpOps& ops) {
  const PpCall call = callHere(kPrecision);
  const Floats a = drawn(kRows * kInner, 1), b = drawn(kInner * kColumns, 2);
  const Floats c = drawn(kRows * kColumns, 3), bias = drawn(kColumns, 12);
  for (const bool transposeA : {false, true})
    for (const bool transposeB : {false, true})
      for (const float beta : {0.0f, 1.0f}) {
        const auto multiply = [&](const PpOps& with, float* out) {
          const PpMatmul args{.m = kRows,
                              .n = kColumns,
                              .k = kInner,
                              .transposeA = transposeA,
                              .transposeB = transposeB,
                              .a = a.data(),
                              .strideA = transposeA ? kRows : kInner,
                              .b = b.data(),
                              .strideB = transposeB ? kInner : kColumns,
                              .beta = beta,
                              .c = out,
                              .strideC = kColumns,
                              .bias = transposeA ? bias.data() : nullptr,
                              .activation = transposeB ? PP_GELU : PP_LINEAR};
          return with.matmul(&call, &args);
        };
        if (!agree(ops, c, multiply)) return false;
      }
  return true;
}

bool activationsAgree(const PpOps& ops) {
  const PpCall call = callHere();
  const Floats x = drawn(kRows * kColumns, 4), bias = drawn(kColumns, 5);
  const auto agreesOn = [&](std::int32_t activation) {
    return agree(ops, x, [&](const PpOps& with, float* out) {
      const PpBiasActivation args{kRows, kColumns, activation, x.data(), bias.data(), out};
      return with.biasActivation(&call, &args);
    });
  };
  return std::ranges::all_of(std::array{PP_LINEAR, PP_RELU, PP_GELU, PP_GELU_TANH, PP_SILU},
                             agreesOn);
}

bool rowSumsAgree(const PpOps& ops) {
  const PpCall call = callHere();
  const Floats x = drawn(kRows * kColumns, 6), y = drawn(kRows * kColumns, 7);
  return agree(ops, Floats(kRows), [&](const PpOps& with, float* out) {
    const PpDotRows args{kRows,    kColumns, x.data(), nullptr, kRows,
                         y.data(), nullptr,  kRows,    nullptr, out};
    return with.dotRows(&call, &args);
  });
}

bool updatesAgree(const PpOps& ops) {
  const PpCall call = callHere();
  const Floats gradient = drawn(kRows * kColumns, 8);
  return agree(ops, drawn(kRows * kColumns, 9), [&](const PpOps& with, float* weight) {
    Floats accumulator(gradient.size(), 0.1f);
    PpAdagrad args{};
    args.target.weight = weight;
    args.target.tableRows = args.target.count = args.target.terms = kRows;
    args.target.width = kColumns;
    args.target.grad = gradient.data();
    args.learningRate = 0.1f;
    args.epsilon = 1e-7f;
    args.accumulator = accumulator.data();
    return with.adagrad(&call, &args);
  });
}

double measuredGflops(std::int32_t precision, const PpOps& ops) {
  constexpr std::int64_t kSize = 192;
  constexpr int kRuns = 12;
  const PpCall call = callHere(precision);
  const Floats a = drawn(kSize * kSize, 10), b = drawn(kSize * kSize, 11);
  Floats c(a.size());
  const PpMatmul args{.m = kSize,
                      .n = kSize,
                      .k = kSize,
                      .transposeA = 0,
                      .transposeB = 0,
                      .a = a.data(),
                      .strideA = kSize,
                      .b = b.data(),
                      .strideB = kSize,
                      .beta = 0.0f,
                      .c = c.data(),
                      .strideC = kSize};
  double best = 0.0;
  for (int run = 0; run < kRuns; ++run) {
    const Stopwatch taken;
    if (ops.matmul(&call, &args) != PP_OK) return 0.0;
    best = std::max(best, 2e-9 * kSize * kSize * kSize / taken.seconds());
  }
  return best;
}

/// The state that must be the same for a remembered check to hold.
std::string stateOf(const Backend& backend) {
  std::error_code unknown;
  const fs::path file = backend.file;
  return fmt::format("{}, {} bytes of {}", processorName(), fs::file_size(file, unknown),
                     fs::last_write_time(file, unknown).time_since_epoch().count());
}

nlohmann::json read(const fs::path& file) {
  const auto text = file.empty() ? Result<std::string>(std::string()) : readFile(file);
  auto json = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  return json.is_object() ? json : nlohmann::json::object();
}

}  // namespace

CpuCheck checkCpu(const PpOps& ops) {
  using Agree = bool (*)(const PpOps&);
  constexpr std::array<std::pair<const char*, Agree>, 5> kComparisons{
      {{"products", productsAgree<PP_PRECISION_FP32>},
       {"products in bf16", productsAgree<PP_PRECISION_BF16>},
       {"activations", activationsAgree},
       {"row sums", rowSumsAgree},
       {"updates", updatesAgree}}};
  for (const auto& [name, agrees] : kComparisons)
    if (!agrees(ops)) return {.fault = fmt::format("its {} differ from the portable ones", name)};
  return {.gflops = measuredGflops(PP_PRECISION_FP32, ops),
          .bf16Gflops = measuredGflops(PP_PRECISION_BF16, ops)};
}

CpuChecks CpuChecks::ofUser() {
  const fs::path state = stateFolder();
  return CpuChecks(state.empty() ? state : state / "cpu_checks.json");
}

CpuCheck CpuChecks::of(const Backend& backend) const {
  nlohmann::json all = read(file_);
  const std::string state = stateOf(backend);
  if (const auto found = all.find(backend.file); found != all.end()) {
    const nlohmann::json& kept = *found;
    const auto isNumber = [&](const char* key) {
      return kept.is_object() && kept.value(key, nlohmann::json()).is_number();
    };
    if (isNumber("gflops") && isNumber("bf16_gflops") &&
        kept.value("state", nlohmann::json()) == state)
      return {.gflops = kept["gflops"], .bf16Gflops = kept["bf16_gflops"]};
  }
  CpuCheck check = checkCpu(*backend.plugin->device->ops);
  if (file_.empty() || !check.fault.empty()) return check;
  all[backend.file] = {
      {"state", state}, {"gflops", check.gflops}, {"bf16_gflops", check.bf16Gflops}};
  // A check that cannot be remembered is made again.
  std::error_code ignored;
  fs::create_directories(file_.parent_path(), ignored);
  static_cast<void>(writeFileAtomically(
      file_, all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace)));
  return check;
}

void sortByPreference(std::vector<Backend>& backends) {
  constexpr std::array<std::string_view, 4> kKnown{"x86-64-v3", "x86-64-v4", "x86-64-amx",
                                                   kPortable};
  constexpr double kNoticeable = 1.2, kNoticeableInBf16 = 1.5;
  const auto rankOf = [&](const Backend& backend) {
    return std::ranges::find(kKnown, backend.instructionSet()) - kKnown.begin();
  };
  std::ranges::stable_sort(backends, {}, rankOf);
  const auto isFaster = [&](const Backend& one, const Backend& other) {
    const bool isWell = kNoticeable * one.gflops >= other.gflops &&
                        one.bf16Gflops > kNoticeableInBf16 * other.bf16Gflops;
    return one.kind() == other.kind() && (one.gflops > kNoticeable * other.gflops || isWell) &&
           other.gflops > 0.0 && rankOf(one) < std::ssize(kKnown);
  };
  for (std::size_t at = 1; at < backends.size(); ++at)
    for (std::size_t to = at; to > 0 && isFaster(backends[to], backends[to - 1]); --to)
      std::swap(backends[to], backends[to - 1]);
}

}  // namespace parapet::tensor
