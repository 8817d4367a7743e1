// SPDX-License-Identifier: Apache-2.0
// Attention and the softmax over a table, each beside its products alone, taken by turns: a machine
// that slows down does so for both.
#include <algorithm>
#include <functional>
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

struct SequencesSettings {
  Settings common;
  std::int64_t sequences = 64, length = 128, heads = 2, width = 64, inner = 512;
  std::int64_t rows = 1280, tableRows = 30'522;
  double rate = 0.1;
  bool causal = false, bf16 = false;
};

/// The operands of all, in the shape of a step of a small encoder.
class SequencesBench {
 public:
  explicit SequencesBench(const SequencesSettings& settings)
      : of_(settings),
        positions_(of_.sequences * of_.length),
        dim_(of_.heads * of_.width),
        device_(runDevice()),
        workers_(of_.common.threads),
        launch_{&device_, &workers_,
                of_.bf16 ? tensor::Precision::kBf16 : tensor::Precision::kFp32},
        qkv_(uniform(1, positions_ * 3 * dim_)),
        out_(uniform(2, positions_ * dim_)),
        dout_(uniform(3, positions_ * dim_)),
        dqkv_(device_, positions_ * 3 * dim_),
        logSumExp_(device_, positions_ * of_.heads),
        inner_(uniform(4, positions_ * of_.inner)),
        activated_(device_, positions_ * of_.inner),
        innerBias_(uniform(5, of_.inner)),
        dInnerBias_(device_, of_.inner),
        hidden_(uniform(6, of_.rows * dim_)),
        table_(uniform(7, of_.tableRows * dim_)),
        bias_(uniform(8, of_.tableRows)),
        dHidden_(device_, of_.rows * dim_),
        dTable_(uniform(9, of_.tableRows * dim_)),
        dBias_(uniform(10, of_.tableRows)),
        scratch_(device_, ppTableSoftmaxScratch(of_.rows, of_.tableRows, dim_, 1)),
        logits_(device_, of_.rows * of_.tableRows) {
    for (std::int64_t b = 0; b <= of_.sequences; ++b)
      offsets_.push_back(static_cast<std::int32_t>(b * of_.length));
    for (std::int64_t i = 0; i < of_.rows; ++i)
      labels_.push_back(static_cast<std::int32_t>(i * 7919 % of_.tableRows));
  }

  void attention() { tensor::run(launch_, arguments()); }
  void attentionGradient() {
    tensor::run(launch_, PpAttentionGradient{
                             .forward = arguments(), .dout = dout_.data(), .dqkv = dqkv_.data()});
  }
  void gelu() {
    tensor::run(launch_, PpBiasActivation{.rows = positions_,
                                          .width = of_.inner,
                                          .activation = numberOf(tensor::ActivationOp::kGeluTanh),
                                          .x = inner_.data(),
                                          .bias = innerBias_.data(),
                                          .y = activated_.data()});
  }
  void geluGradient() {
    tensor::run(launch_,
                PpBiasActivationGradient{.rows = positions_,
                                         .width = of_.inner,
                                         .activation = numberOf(tensor::ActivationOp::kGeluTanh),
                                         .x = inner_.data(),
                                         .bias = innerBias_.data(),
                                         .y = activated_.data(),
                                         .dy = activated_.data(),
                                         .dx = activated_.data(),
                                         .dbias = dInnerBias_.data()});
  }
  /// The measure that attention is compared with: a product of as many operations, of matrices that
  /// are not small.
  void products(std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n)
      tensor::run(launch_, PpMatmul{.m = positions_,
                                    .n = of_.length,
                                    .k = dim_,
                                    .transposeB = 1,
                                    .a = qkv_.data(),
                                    .strideA = dim_,
                                    .b = out_.data(),
                                    .strideB = dim_,
                                    .c = inner_.data(),
                                    .strideC = of_.length});
  }
  void tableProducts() {
    tensor::run(launch_, PpMatmul{.m = of_.rows,
                                  .n = of_.tableRows,
                                  .k = dim_,
                                  .transposeB = 1,
                                  .a = hidden_.data(),
                                  .strideA = dim_,
                                  .b = table_.data(),
                                  .strideB = dim_,
                                  .c = logits_.data(),
                                  .strideC = of_.tableRows});
    tensor::run(launch_, PpMatmul{.m = of_.rows,
                                  .n = dim_,
                                  .k = of_.tableRows,
                                  .a = logits_.data(),
                                  .strideA = of_.tableRows,
                                  .b = table_.data(),
                                  .strideB = dim_,
                                  .c = dHidden_.data(),
                                  .strideC = dim_});
    tensor::run(launch_, PpMatmul{.m = of_.tableRows,
                                  .n = dim_,
                                  .k = of_.rows,
                                  .transposeA = 1,
                                  .a = logits_.data(),
                                  .strideA = of_.tableRows,
                                  .b = hidden_.data(),
                                  .strideB = dim_,
                                  .beta = 1.0f,
                                  .c = dTable_.data(),
                                  .strideC = dim_});
  }
  void table(bool gradients) {
    tensor::run(launch_, PpTableSoftmax{.rows = of_.rows,
                                        .tableRows = of_.tableRows,
                                        .width = dim_,
                                        .hidden = hidden_.data(),
                                        .table = table_.data(),
                                        .bias = bias_.data(),
                                        .labels = labels_.data(),
                                        .gradientScale = 1e-3f,
                                        .scratch = scratch_.data(),
                                        .dHidden = gradients ? dHidden_.data() : nullptr,
                                        .dTable = gradients ? dTable_.data() : nullptr,
                                        .dBias = gradients ? dBias_.data() : nullptr,
                                        .sums = sums_});
  }
  [[nodiscard]] std::uint64_t scratchBytes() const { return scratch_.bytes(); }

 private:
  tensor::Buffer<float> uniform(std::uint64_t seed, std::int64_t count) {
    tensor::Buffer<float> made(device_, count);
    fillUniform(made.host(), seed, workers_);
    return made;
  }
  [[nodiscard]] PpAttention arguments() {
    const tensor::Dropping dropping = tensor::droppingAt(of_.rate);
    return {.sequences = of_.sequences,
            .positions = positions_,
            .heads = of_.heads,
            .width = of_.width,
            .offsets = offsets_.data(),
            .qkv = qkv_.data(),
            .causal = of_.causal ? 1 : 0,
            .scale = tensor::attentionScale(of_.width),
            .key = 1,
            .maxLength = of_.length,
            .dropBelow = dropping.below,
            .keptScale = dropping.keptScale,
            .out = out_.data(),
            .logSumExp = logSumExp_.data()};
  }

  SequencesSettings of_;
  std::int64_t positions_, dim_;
  tensor::Device device_;
  Workers workers_;
  tensor::Launch launch_;
  tensor::Buffer<float> qkv_, out_, dout_, dqkv_, logSumExp_, inner_, activated_, innerBias_,
      dInnerBias_, hidden_, table_, bias_, dHidden_, dTable_, dBias_, scratch_, logits_;
  std::vector<std::int32_t> offsets_, labels_;
  double sums_[3] = {};
};

/// A way of computing that is measured, and how many multiply-adds of products it makes.
struct Way {
  const char* what;
  std::function<void()> run;
  std::int64_t products;
  std::vector<double> seconds{};
};

void runSequences(const SequencesSettings& settings) {
  SequencesBench bench(settings);
  const std::int64_t scores =
      settings.sequences * settings.length * settings.length * settings.heads * settings.width;
  const std::int64_t logits = settings.rows * settings.tableRows * settings.heads * settings.width;
  std::vector<Way> ways{
      {"two products", [&] { bench.products(2); }, 2 * scores},
      {"attention", [&] { bench.attention(); }, 2 * scores},
      {"attention gradient", [&] { bench.attentionGradient(); }, 5 * scores},
      {"gelu_tanh", [&] { bench.gelu(); }, 0},
      {"gelu_tanh gradient", [&] { bench.geluGradient(); }, 0},
      {"three products", [&] { bench.tableProducts(); }, 3 * logits},
      {"table softmax", [&] { bench.table(true); }, 3 * logits},
      {"table softmax, forward", [&] { bench.table(false); }, logits},
  };
  for (const Way& way : ways) way.run();
  const Stopwatch clock;
  for (int run = 0;
       run < settings.common.budget.runs || clock.seconds() < settings.common.budget.seconds; ++run)
    for (Way& way : ways) {
      const Stopwatch each;
      way.run();
      way.seconds.push_back(each.seconds());
    }
  for (Way& way : ways) {
    std::ranges::sort(way.seconds);
    const Timing timing{way.seconds[way.seconds.size() / 2], way.seconds.front(),
                        way.seconds.back(), static_cast<int>(way.seconds.size())};
    nlohmann::json line = toJson(timing);
    line["what"] = way.what;
    line["threads"] = settings.common.threads;
    if (way.products > 0)
      line["gflops"] = 2.0 * static_cast<double>(way.products) / timing.median / 1e9;
    line["scratch_bytes"] = bench.scratchBytes();
    printLine(line);
  }
}

}  // namespace

void addSequences(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "sequences", "Attention, GELU and the softmax over a table beside their products");
  const auto settings = std::make_shared<SequencesSettings>();
  settings->common.addTo(*command);
  command->add_option("--sequences", settings->sequences)->capture_default_str();
  command->add_option("--length", settings->length, "Positions of each")->capture_default_str();
  command->add_option("--heads", settings->heads)->capture_default_str();
  command->add_option("--width", settings->width, "Of a head")->capture_default_str();
  command->add_option("--inner", settings->inner, "Width of the GELU")->capture_default_str();
  command->add_option("--rows", settings->rows, "Of the softmax")->capture_default_str();
  command->add_option("--table-rows", settings->tableRows)->capture_default_str();
  command->add_option("--rate", settings->rate, "Of dropped probabilities")->capture_default_str();
  command->add_flag("--causal", settings->causal);
  command->add_flag("--bf16", settings->bf16, "Products of operands rounded to bf16");
  command->callback([settings] { runSequences(*settings); });
}

}  // namespace parapet::bench
