// SPDX-License-Identifier: Apache-2.0
// Attention and its gradient against their reference, and its gradient against central differences,
// for sequences that tiles stumble over.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/workers.h"
#include "engine/selftest/cases.h"
#include "engine/selftest/layer_reference.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using tensor::Device;
using Values = std::vector<double>;

/// The settings that a case varies.
struct AttentionCase {
  std::vector<std::int32_t> lengths;
  std::int64_t heads = 1, width = 16;
  bool causal = false;
  double rate = 0.0;
  float size = 1.0f;  ///< of queries, keys and values
  tensor::Precision precision = tensor::Precision::kFp32;

  [[nodiscard]] std::string name() const {
    std::string text = fmt::format("{} × {}×{}", fmt::join(lengths, ","), heads, width);
    if (causal) text += " causal";
    if (rate > 0.0) text += fmt::format(" dropout {}", rate);
    if (size != 1.0f) text += fmt::format(" of size {}", size);
    if (precision == tensor::Precision::kBf16) text += " bf16";
    return text;
  }
  [[nodiscard]] std::int64_t positions() const {
    return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  }
  [[nodiscard]] std::int64_t longest() const {
    return lengths.empty() ? 0 : *std::ranges::max_element(lengths);
  }
  /// A dot product, sums over the keys, and some functions; operands of bf16 err by 2⁻⁹.
  [[nodiscard]] double tolerance() const {
    const auto terms = static_cast<double>(longest() + width + 16);
    return terms * kUnit + (precision == tensor::Precision::kBf16 ? 4 * 0x1p-9 : 0.0);
  }
};

/// The operands of a case, and what the ops make of them.
class AttentionOperands {
 public:
  AttentionOperands(const Device& device, const AttentionCase& of)
      : of_(of),
        device_(device),
        qkv_(samples(61, 3 * of.positions() * of.heads * of.width, -of.size, of.size)),
        dout_(samples(62, of.positions() * of.heads * of.width)),
        offsets_(offsetsOf(of.lengths)),
        qkvHere_(device, qkv_),
        doutHere_(device, dout_),
        offsetsHere_(device, offsets_),
        keyHere_(device, {kKey}) {}

  struct Found {
    std::vector<float> out, logSumExp, dqkv;
  };
  [[nodiscard]] Found run(Workers* workers = nullptr) const {
    const tensor::Launch launch{&device_, workers, of_.precision};
    const auto outSize = static_cast<std::int64_t>(dout_.size());
    auto out = DeviceFloats::unset(device_, outSize),
         logSumExp = DeviceFloats::unset(device_, outSize / of_.width),
         dqkv = DeviceFloats::unset(device_, 3 * outSize);
    PpAttention args = arguments();
    args.out = out.data();
    args.logSumExp = logSumExp.data();
    tensor::run(launch, args);
    args.key = 0;
    args.keyAt = keyHere_.data();
    tensor::run(launch, PpAttentionGradient{
                            .forward = args, .dout = doutHere_.data(), .dqkv = dqkv.data()});
    return {out.read(), logSumExp.read(), dqkv.read()};
  }
  [[nodiscard]] reference::AttentionInputs inputs() const {
    return {offsets_, of_.heads, of_.width, of_.causal, of_.rate, kKey, kFirst, maxLength()};
  }
  [[nodiscard]] Values qkv() const { return toDouble(qkv_); }
  [[nodiscard]] Values dout() const { return toDouble(dout_); }

 private:
  static constexpr std::uint64_t kKey = 77;
  static constexpr std::int64_t kFirst = 5;

  // The first position is value 7 of its batch.
  static std::vector<std::int32_t> offsetsOf(const std::vector<std::int32_t>& lengths) {
    std::vector<std::int32_t> offsets{7};
    for (const std::int32_t length : lengths) offsets.push_back(offsets.back() + length);
    return offsets;
  }
  [[nodiscard]] std::int64_t maxLength() const { return of_.longest() + 3; }
  [[nodiscard]] PpAttention arguments() const {
    const tensor::Dropping dropping = tensor::droppingAt(of_.rate);
    return {.sequences = static_cast<std::int64_t>(of_.lengths.size()),
            .positions = of_.positions(),
            .heads = of_.heads,
            .width = of_.width,
            .offsets = offsetsHere_.data(),
            .qkv = qkvHere_.data(),
            .causal = of_.causal ? 1 : 0,
            .scale = tensor::attentionScale(of_.width),
            .key = kKey,
            .first = static_cast<std::uint64_t>(kFirst),
            .maxLength = maxLength(),
            .dropBelow = dropping.below,
            .keptScale = dropping.keptScale,
            .out = nullptr,
            .logSumExp = nullptr};
  }

  AttentionCase of_;
  Device device_;
  std::vector<float> qkv_, dout_;
  std::vector<std::int32_t> offsets_;
  DeviceFloats qkvHere_, doutHere_;
  DeviceInts offsetsHere_;
  DeviceArray<std::uint64_t> keyHere_;
};

void attentionCase(const Device& device, const AttentionCase& of, Measure& measure) {
  const AttentionOperands operands(device, of);
  const AttentionOperands::Found found = operands.run();
  const Values qkv = operands.qkv(), dout = operands.dout();
  const reference::Attention expected = reference::attention(operands.inputs(), qkv);
  measure.values("out", found.out, expected.out);
  measure.values("logSumExp", found.logSumExp, expected.logSumExp);
  const Exact gradient = reference::attentionGradient(operands.inputs(), qkv, dout);
  measure.values("dqkv", found.dqkv, gradient);
  if (qkv.size() > 600 || of.size != 1.0f) return;
  const Exact slopes = centralDifferences(qkv, [&](const Values& at) {
    return innerProduct(reference::attention(operands.inputs(), at).out.value, dout);
  });
  for (std::size_t i = 0; i < qkv.size(); ++i)
    measure.require(std::abs(slopes.value[i] - gradient.value[i]) < 1e-6 * slopes.magnitude[i],
                    fmt::format("the gradient at {} is not that of the output", i));
}

void attentionOnWorkers(const Device& device, const AttentionCase& of, Measure& measure) {
  const AttentionOperands operands(device, of);
  Workers workers(3);
  const AttentionOperands::Found alone = operands.run(), together = operands.run(&workers);
  measure.same("out", together.out, alone.out);
  measure.same("logSumExp", together.logSumExp, alone.logSumExp);
  measure.same("dqkv", together.dqkv, alone.dqkv);
}

// The draws of a sequence do not depend on which sequences stand before it.
void attentionOfAPart(const Device& device, Measure& measure) {
  const std::int64_t heads = 2, width = 4, maxLength = 9;
  const std::vector<std::int32_t> offsets{0, 5, 5, 14, 20};
  const auto qkv = samples(63, 20 * 3 * heads * width);
  const DeviceFloats qkvHere(device, qkv);
  const DeviceInts offsetsHere(device, offsets);
  auto whole = DeviceFloats::unset(device, 20 * heads * width),
       part = DeviceFloats::unset(device, 15 * heads * width),
       logSumExp = DeviceFloats::unset(device, 20 * heads);
  const tensor::Dropping dropping = tensor::droppingAt(0.4);
  const std::uint64_t key = 9;
  PpAttention args{.sequences = 4,
                   .positions = 20,
                   .heads = heads,
                   .width = width,
                   .offsets = offsetsHere.data(),
                   .qkv = qkvHere.data(),
                   .scale = tensor::attentionScale(width),
                   .key = key,
                   .maxLength = maxLength,
                   .dropBelow = dropping.below,
                   .keptScale = dropping.keptScale,
                   .out = whole.data(),
                   .logSumExp = logSumExp.data()};
  tensor::run({&device}, args);
  const DeviceArray<std::uint64_t> keyHere(device, {key});
  args.sequences = 3;
  args.positions = 15;
  args.offsets = offsetsHere.data() + 1;
  args.qkv = qkvHere.data() + 5 * 3 * heads * width;
  args.key = 0;
  args.keyAt = keyHere.data();
  args.first = 1;
  args.out = part.data();
  tensor::run({&device}, args);
  const auto all = whole.read();
  measure.same("out", part.read(),
               std::span(all).subspan(static_cast<std::size_t>(5 * heads * width)));
}

}  // namespace

void addAttentionCases(const Device& device, std::vector<Case>& cases) {
  const auto add = [&](const AttentionCase& of) {
    cases.push_back(makeCase("attention", of.name(), of.tolerance(),
                             [=](Measure& measure) { attentionCase(device, of, measure); }));
    if (of.precision == tensor::Precision::kBf16) cases.back().unit = 0x1p-9;
  };
  const std::vector<std::vector<std::int32_t>> lengths{
      {}, {0}, {1}, {1, 0, 2}, {7, 3, 0, 1}, {64}, {63, 65}, {128, 5}, {129}, {200, 0, 70}};
  for (const auto& of : lengths)
    for (const bool causal : {false, true})
      for (const double rate : {0.0, 0.3}) {
        add({.lengths = of, .heads = 2, .width = 16, .causal = causal, .rate = rate});
        add({.lengths = of, .heads = 1, .width = 5, .causal = causal, .rate = rate});
      }
  for (const std::int64_t width : {1, 3, 24, 32, 33, 64, 100})
    for (const std::int64_t heads : {1, 3})
      for (const bool causal : {false, true})
        add({.lengths = {9, 1, 0, 17}, .heads = heads, .width = width, .causal = causal});
  for (const bool causal : {false, true})
    add({.lengths = {150, 20}, .heads = 2, .width = 16, .causal = causal, .size = 12.0f});
  for (const double rate : {0.0, 0.1})
    add({.lengths = {40, 0, 130},
         .heads = 2,
         .width = 32,
         .rate = rate,
         .precision = tensor::Precision::kBf16});
  for (const bool causal : {false, true}) {
    const AttentionCase of{.lengths = {128, 3, 90, 0, 128, 77},
                           .heads = 4,
                           .width = 16,
                           .causal = causal,
                           .rate = 0.1};
    cases.push_back(makeCase(
        "attention", fmt::format("same bits on any number of workers{}", causal ? " causal" : ""),
        0.0, [=](Measure& measure) { attentionOnWorkers(device, of, measure); }));
  }
  cases.push_back(makeCase("attention", "a part of a batch draws as the whole", 0.0,
                           [=](Measure& measure) { attentionOfAPart(device, measure); }));
}

}  // namespace parapet::selftest
