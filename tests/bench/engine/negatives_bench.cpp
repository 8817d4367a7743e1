// SPDX-License-Identifier: Apache-2.0
// In-batch softmax with both gradients, beside its three products alone, taken by turns: a machine
// that slows down does so for both.
#include <cmath>
#include <memory>

#include "engine/base/clock.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/matmul.h"
#include "engine/tensor/ops/negatives_loss.h"
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
        scratch_(device_, tensor::negativesScratch(rows_, rows_, dim_)) {
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
    const tensor::MatrixRef q{queries_.data(), dim_, false}, c{candidates_.data(), dim_, false};
    tensor::matmul(launch_, rows_, rows_, dim_, q, {c.data, dim_, true}, 0.0f, scores_.data(),
                   rows_);
    tensor::matmul(launch_, rows_, dim_, rows_, {scores_.data(), rows_, false}, c, 0.0f,
                   dQueries_.data(), dim_);
    tensor::matmul(launch_, rows_, dim_, rows_, {scores_.data(), rows_, true}, q, 0.0f,
                   dCandidates_.data(), dim_);
  }
  void loss(bool corrected) {
    tensor::QueriesAndCandidates inputs{rows_, rows_, dim_, queries_.data(), candidates_.data()};
    inputs.temperature = 0.5f;
    if (corrected) {
      inputs.shift = inputs.ownShift = shift_.data();
      inputs.sameItem = ring_.empty() ? nullptr : ring_.data();
    }
    tensor::negativesLoss(launch_, tensor::NegativesLossOp::kSoftmax, inputs, 1.0f, scratch_.data(),
                          dQueries_.data(), dCandidates_.data(), &sum_);
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
      program.add_subcommand("negatives", "tensor::negativesLoss beside its three products");
  const auto settings = std::make_shared<NegativesSettings>();
  settings->common.addTo(*command);
  command->add_option("--rows", settings->rows, "Examples of a batch")->capture_default_str();
  command->add_option("--dim", settings->dim, "Width of the vectors")->capture_default_str();
  command->add_flag("--bf16", settings->bf16, "Products of operands rounded to bf16");
  command->callback([settings] { runNegatives(*settings); });
}

}  // namespace parapet::bench
