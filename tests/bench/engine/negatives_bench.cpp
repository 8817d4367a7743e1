// SPDX-License-Identifier: Apache-2.0
// In-batch softmax with both gradients, beside its three products alone, taken by turns: a machine
// that slows down does so for both.
#include <cmath>
#include <memory>

#include "engine/base/clock.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/ops.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/common/samples.h"
#include "tests/bench/engine/benches.h"
#include "tests/bench/engine/device.h"

namespace parapet::bench {
namespace {

struct NegativesSettings {
  Settings common;
  std::int64_t rows = 8192, dim = 64;
  bool bf16 = false;
};

double secondsOf(const std::function<void()>& work) {
  const Stopwatch clock;
  work();
  return clock.seconds();
}

Timing timingOf(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back(),
          static_cast<int>(seconds.size())};
}

/// The operands, and the three ways that are compared.
class NegativesBench {
 public:
  explicit NegativesBench(const NegativesSettings& settings)
      : rows_(settings.rows),
        dim_(settings.dim),
        device_(runDevice()),
        workers_(settings.common.threads),
        launch_{&device_, &workers_,
                settings.bf16 ? tensor::Precision::kBf16 : tensor::Precision::kFp32},
        queries_(device_, rows_ * dim_),
        candidates_(device_, rows_ * dim_),
        dQueries_(device_, rows_ * dim_),
        dCandidates_(device_, rows_ * dim_),
        shift_(device_, rows_),
        scratch_(device_, ppNegativesScratch(rows_, rows_, dim_)) {
    fillUniform(queries_.host(), 1, workers_);
    fillUniform(candidates_.host(), 2, workers_);
    fillUniform(shift_.host(), 3, workers_);
    // Every item eight times.
    for (std::int64_t j = 0; j < rows_; ++j)
      ring_.push_back(static_cast<std::int32_t>(j % 8 == 7 ? j - 7 : std::min(j + 1, rows_ - 1)));
    if (rows_ % 8 != 0) ring_.clear();
  }

  void products() {
    if (scores_.size() == 0) scores_ = tensor::Buffer<float>(device_, rows_ * rows_);
    tensor::run(launch_, PpMatmul{.m = rows_,
                                  .n = rows_,
                                  .k = dim_,
                                  .transposeB = 1,
                                  .a = queries_.data(),
                                  .strideA = dim_,
                                  .b = candidates_.data(),
                                  .strideB = dim_,
                                  .c = scores_.data(),
                                  .strideC = rows_});
    tensor::run(launch_, PpMatmul{.m = rows_,
                                  .n = dim_,
                                  .k = rows_,
                                  .a = scores_.data(),
                                  .strideA = rows_,
                                  .b = candidates_.data(),
                                  .strideB = dim_,
                                  .c = dQueries_.data(),
                                  .strideC = dim_});
    tensor::run(launch_, PpMatmul{.m = rows_,
                                  .n = dim_,
                                  .k = rows_,
                                  .transposeA = 1,
                                  .a = scores_.data(),
                                  .strideA = rows_,
                                  .b = queries_.data(),
                                  .strideB = dim_,
                                  .c = dCandidates_.data(),
                                  .strideC = dim_});
  }
  void loss(bool corrected) {
    PpNegativesLoss args{.kind = PP_NEGATIVES_SOFTMAX,
                         .rows = rows_,
                         .candidateRows = rows_,
                         .width = dim_,
                         .queries = queries_.data(),
                         .candidates = candidates_.data(),
                         .temperature = 0.5f,
                         .gradientScale = 1.0f,
                         .scratch = scratch_.data(),
                         .dQueries = dQueries_.data(),
                         .dCandidates = dCandidates_.data(),
                         .sum = &sum_};
    if (corrected) {
      args.shift = args.ownShift = shift_.data();
      args.sameItem = ring_.empty() ? nullptr : ring_.data();
    }
    tensor::run(launch_, args);
  }
  /// How far the loss and both gradients are from those in fp32, as shares of their size and of their
  /// length.
  nlohmann::json error() {
    std::vector<float> gradients[2];
    double sums[2];
    const tensor::Precision given = launch_.precision;
    for (const bool exact : {false, true}) {
      launch_.precision = exact ? tensor::Precision::kFp32 : given;
      sum_ = 0.0;
      loss(false);
      sums[exact] = sum_;
      for (const auto* buffer : {&dQueries_, &dCandidates_}) {
        const auto values = buffer->host();
        gradients[exact].insert(gradients[exact].end(), values.begin(), values.end());
      }
    }
    launch_.precision = given;
    double difference = 0.0, length = 0.0;
    for (std::size_t i = 0; i < gradients[1].size(); ++i) {
      const auto exact = static_cast<double>(gradients[1][i]);
      difference += std::pow(static_cast<double>(gradients[0][i]) - exact, 2.0);
      length += exact * exact;
    }
    return {{"loss", std::abs(sums[0] - sums[1]) / sums[1]},
            {"gradients", std::sqrt(difference / length)}};
  }
  [[nodiscard]] std::uint64_t scratchBytes() const { return scratch_.bytes(); }

 private:
  std::int64_t rows_, dim_;
  double sum_ = 0.0;
  tensor::Device device_;
  Workers workers_;
  tensor::Launch launch_;
  tensor::Buffer<float> queries_, candidates_, dQueries_, dCandidates_, shift_, scratch_, scores_;
  std::vector<std::int32_t> ring_;
};

void runNegatives(const NegativesSettings& settings) {
  NegativesBench bench(settings);
  std::vector<double> products, plain, corrected;
  bench.products();
  bench.loss(true);
  const Stopwatch clock;
  while (static_cast<int>(products.size()) < settings.common.budget.runs ||
         clock.seconds() < settings.common.budget.seconds) {
    products.push_back(secondsOf([&] { bench.products(); }));
    plain.push_back(secondsOf([&] { bench.loss(false); }));
    corrected.push_back(secondsOf([&] { bench.loss(true); }));
  }
  const nlohmann::json error = bench.error();
  const auto print = [&](const char* what, std::vector<double> seconds) {
    nlohmann::json line = toJson(timingOf(std::move(seconds)));
    line["what"] = what;
    line["rows"] = settings.rows;
    line["dim"] = settings.dim;
    line["threads"] = settings.common.threads;
    line["scratch_bytes"] = bench.scratchBytes();
    line["error"] = error;
    printLine(line);
  };
  print("three products", products);
  print("in-batch softmax", plain);
  print("in-batch softmax, log-Q and masks", corrected);
}

}  // namespace

void addNegatives(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("negatives", "The op negativesLoss beside its three products");
  const auto settings = std::make_shared<NegativesSettings>();
  settings->common.addTo(*command);
  command->add_option("--rows", settings->rows, "Examples of a batch")->capture_default_str();
  command->add_option("--dim", settings->dim, "Width of the vectors")->capture_default_str();
  command->add_flag("--bf16", settings->bf16, "Products of operands rounded to bf16");
  command->callback([settings] { runNegatives(*settings); });
}

}  // namespace parapet::bench
