// SPDX-License-Identifier: Apache-2.0
// Lists of the catalogue with their metrics, and EASE, each beside the same products by
// the op matmul, taken by turns: a machine that slows down does so for both.
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "engine/base/clock.h"
#include "engine/retrieval/metrics.h"
#include "engine/retrieval/symmetric_inverse.h"
#include "engine/retrieval/top_k.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/ops.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/common/samples.h"
#include "tests/bench/engine/benches.h"
#include "tests/bench/engine/device.h"

namespace parapet::bench {
namespace {

struct EvaluationSettings {
  Settings common;
  std::int64_t queries = 10'000, items = 630'000, dim = 64, k = 100, seen = 200;
};

std::int64_t peakBytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{1024} * usage.ru_maxrss;
}

/// The work of CatalogueRanking::Pass, by blocks as train::Evaluator::rank takes them.
class Evaluation {
 public:
  explicit Evaluation(const EvaluationSettings& of)
      : of_(of),
        device_(runDevice()),
        workers_(of.common.threads),
        queries_(device_, of.queries * of.dim),
        items_(device_, of.items * of.dim),
        eligible_(static_cast<std::size_t>(of.items), 1),
        popularity_(static_cast<std::size_t>(of.items), 1) {
    fillUniform(queries_.host(), 1, workers_);
    fillUniform(items_.host(), 2, workers_);
    eligible_[0] = 0;
    for (std::int64_t i = 0; i < of.seen; ++i)
      seen_.push_back(static_cast<std::int32_t>((i * 2'654'435'761) % of.items));
    std::ranges::sort(seen_);
    seen_.erase(std::ranges::unique(seen_).begin(), seen_.end());
  }

  double rank() {
    constexpr std::int64_t kBlock = retrieval::kQueriesOfTopK;
    const Stopwatch clock;
    retrieval::RankingMetrics metrics({10, of_.k});
    retrieval::ListingMetrics listing({10, of_.k}, {experiment::RankingMetric::kCoverage},
                                      popularity_, eligible_);
    for (std::int64_t first = 0; first < of_.queries; first += kBlock) {
      const std::int64_t count = std::min(kBlock, of_.queries - first);
      const auto lists = retrieval::topK(
          queries_.host().subspan(static_cast<std::size_t>(first * of_.dim),
                                  static_cast<std::size_t>(count * of_.dim)),
          items_.host(), of_.dim, eligible_, of_.k,
          [&](std::int64_t) { return std::span<const std::int32_t>(seen_); }, workers_);
      for (const auto& list : lists) {
        metrics.add(list, seen_);
        listing.add(list);
      }
    }
    return clock.seconds();
  }
  /// The products of the evaluation, each tile of scores thrown away by the next.
  double products() {
    constexpr std::int64_t kRows = 504, kColumns = 2048;
    const std::int64_t rowTiles = (of_.queries + kRows - 1) / kRows;
    const tensor::Launch launch{&device_, nullptr};
    std::vector<std::vector<float>> scores(
        static_cast<std::size_t>(rowTiles),
        std::vector<float>(static_cast<std::size_t>(kRows * kColumns)));
    const Stopwatch clock;
    workers_.parallelFor(rowTiles, [&](std::int64_t tile) {
      const std::int64_t row = tile * kRows, rows = std::min(kRows, of_.queries - row);
      for (std::int64_t column = 0; column < of_.items; column += kColumns) {
        const std::int64_t columns = std::min(kColumns, of_.items - column);
        tensor::run(launch, PpMatmul{.m = rows,
                                     .n = columns,
                                     .k = of_.dim,
                                     .transposeB = 1,
                                     .a = queries_.data() + row * of_.dim,
                                     .strideA = of_.dim,
                                     .b = items_.data() + column * of_.dim,
                                     .strideB = of_.dim,
                                     .c = scores[static_cast<std::size_t>(tile)].data(),
                                     .strideC = kColumns});
      }
    });
    return clock.seconds();
  }

 private:
  const EvaluationSettings of_;
  tensor::Device device_;
  Workers workers_;
  tensor::Buffer<float> queries_, items_;
  std::vector<std::uint8_t> eligible_;
  std::vector<std::int64_t> popularity_;
  std::vector<std::int32_t> seen_;
};

Timing timingOf(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back(),
          static_cast<int>(seconds.size())};
}

void print(const char* what, std::vector<double> seconds, double flops,
           const nlohmann::json& shape) {
  nlohmann::json line = toJson(timingOf(std::move(seconds)));
  line["what"] = what;
  line["gflops"] = 1e-9 * flops / line["seconds"].get<double>();
  line["peak_rss_bytes"] = peakBytes();
  line.update(shape);
  printLine(line);
}

void runEvaluation(const EvaluationSettings& settings) {
  Evaluation bench(settings);
  std::vector<double> lists, products;
  for (int run = 0; run < settings.common.budget.runs; ++run) {
    lists.push_back(bench.rank());
    products.push_back(bench.products());
  }
  const double flops = 2.0 * static_cast<double>(settings.queries) *
                       static_cast<double>(settings.items) * static_cast<double>(settings.dim);
  const nlohmann::json shape{{"queries", settings.queries},
                             {"items", settings.items},
                             {"dim", settings.dim},
                             {"k", settings.k},
                             {"threads", settings.common.threads}};
  print("lists and metrics", lists, flops, shape);
  print("products alone", products, flops, shape);
}

struct EaseSettings {
  Settings common;
  std::int64_t items = 5'000;
};

void runEase(const EaseSettings& settings) {
  const std::int64_t n = settings.items;
  Workers workers(settings.common.threads);
  const tensor::Device device = runDevice();
  std::vector<float> matrix(static_cast<std::size_t>(n * n)), panel, product;
  std::vector<double> inversions, products;
  for (int run = 0; run < settings.common.budget.runs; ++run) {
    std::ranges::fill(matrix, 0.0f);
    // A band of pairs that occur together, and λ.
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = std::max<std::int64_t>(0, i - 50); j <= i; ++j)
        matrix[static_cast<std::size_t>(i * n + j)] = i == j ? 550.0f : 5.0f;
    const Stopwatch clock;
    (void)retrieval::invertSymmetric(matrix, n, &workers);
    inversions.push_back(clock.seconds());
    // As many multiplications and additions: a product n × n/2 × n.
    panel.assign(static_cast<std::size_t>(n * 256), 1.0f);
    product.assign(static_cast<std::size_t>(1024 * n), 0.0f);
    const Stopwatch again;
    for (std::int64_t row = 0; row < n / 2; row += 1024)
      for (std::int64_t inner = 0; inner < n; inner += 256)
        tensor::run({&device, &workers}, PpMatmul{.m = std::min<std::int64_t>(1024, n / 2 - row),
                                                  .n = n,
                                                  .k = 256,
                                                  .transposeB = 1,
                                                  .a = panel.data(),
                                                  .strideA = 256,
                                                  .b = panel.data(),
                                                  .strideB = 256,
                                                  .beta = 1.0f,
                                                  .c = product.data(),
                                                  .strideC = n});
    products.push_back(again.seconds());
  }
  const double flops = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const nlohmann::json shape{{"items", n}, {"threads", settings.common.threads}};
  print("EASE", inversions, flops, shape);
  print("products alone", products, flops, shape);
}

}  // namespace

void addEvaluation(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "evaluation", "Lists of the catalogue and their metrics beside their products");
  const auto settings = std::make_shared<EvaluationSettings>();
  settings->common.addTo(*command);
  command->add_option("--queries", settings->queries)->capture_default_str();
  command->add_option("--items", settings->items)->capture_default_str();
  command->add_option("--dim", settings->dim)->capture_default_str();
  command->add_option("-k", settings->k, "Length of a list")->capture_default_str();
  command->add_option("--seen", settings->seen, "Items left out of a list")->capture_default_str();
  command->callback([settings] { runEvaluation(*settings); });

  CLI::App* ease = program.add_subcommand("ease", "retrieval::invertSymmetric beside its products");
  const auto easeSettings = std::make_shared<EaseSettings>();
  easeSettings->common.addTo(*ease);
  ease->add_option("--items", easeSettings->items)->capture_default_str();
  ease->callback([easeSettings] { runEase(*easeSettings); });
}

}  // namespace parapet::bench
