// SPDX-License-Identifier: Apache-2.0
// Losses with negatives: sums and gradients against their reference, and its gradients against
// central differences, for every setting that decides which candidates a query meets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "engine/base/workers.h"
#include "engine/selftest/cases.h"
#include "engine/selftest/loss_reference.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using tensor::Device;
using tensor::NegativesLossOp;
using Values = std::vector<double>;

constexpr float kLossScale = 0.125f;

/// The settings that a case varies.
struct NegativesCase {
  NegativesLossOp op = NegativesLossOp::kSoftmax;
  Shape shape;
  std::int64_t extra = 0;
  bool weighted = false;
  int groups = 1;
  bool inBatch = true;
  std::int64_t items = 0;  ///< so many different ones are masked; 0: nothing is masked
  std::int64_t users = 0;  ///< likewise
  bool shifted = false;
  std::int64_t hardest = 0;
  float temperature = 1.0f;
  bool learnt = false;  ///< the op reads the logarithm of the temperature
  float ownWeight = 1.0f, margin = 0.0f, negativeWeight = 1.0f;
  tensor::Precision precision = tensor::Precision::kFp32;

  [[nodiscard]] std::string name() const {
    constexpr const char* kPrefixes[] = {"", "bpr ", "bce ", "ccl "};
    std::string text = kPrefixes[static_cast<std::size_t>(numberOf(op))] + shape.name();
    if (extra > 0) text += fmt::format(" extra {}", extra);
    if (weighted) text += " weighted";
    if (groups > 1) text += fmt::format(" in {} groups", groups);
    if (!inBatch) text += " drawn ones alone";
    if (items > 0) text += fmt::format(" of {} items", items);
    if (users > 0) text += fmt::format(" of {} users", users);
    if (shifted) text += " shifted";
    if (hardest > 0) text += fmt::format(" hardest {}", hardest);
    if (temperature != 1.0f) text += fmt::format(" temperature {}", temperature);
    if (learnt) text += " learnt";
    if (ownWeight != 1.0f) text += fmt::format(" own weight {}", ownWeight);
    if (margin != 0.0f) text += fmt::format(" margin {}", margin);
    if (negativeWeight != 1.0f) text += fmt::format(" negative weight {}", negativeWeight);
    if (rounds()) text += " bf16";
    return text;
  }
  [[nodiscard]] bool rounds() const { return precision == tensor::Precision::kBf16; }
  /// A sum over the candidates in f32, and one over the width. Scores of operands that err by 2⁻⁹
  /// err by as much of Σ|q·c|, and are divided by the temperature; weights and vectors of the
  /// gradients are rounded once more.
  [[nodiscard]] double tolerance() const {
    const auto terms = static_cast<double>(shape.rows + extra + shape.width + 16);
    return terms * kUnit + (rounds() ? 4 * 0x1p-9 : 0.0);
  }
};

/// The operands of a case, on the host and on the device.
class NegativesOperands {
 public:
  NegativesOperands(const Device& device, const NegativesCase& of)
      : of_(of),
        candidateRows_(of.shape.rows + of.extra),
        queries_(samples(41, of.shape.size())),
        candidates_(samples(42, candidateRows_ * of.shape.width)),
        weight_(samples(43, of.weighted ? of.shape.rows : 0, 0.0f, 3.0f)),
        shift_(samples(44, of.shifted ? candidateRows_ : 0, -9.0f, -1.0f)),
        ownShift_(samples(45, of.shifted ? of.shape.rows : 0, -9.0f, 1.0f)),
        queriesHere_(device, queries_),
        candidatesHere_(device, candidates_),
        weightHere_(device, weight_),
        shiftHere_(device, shift_),
        ownShiftHere_(device, ownShift_),
        logTemperature_(device, std::vector<float>{std::log(of.temperature)}) {
    for (int g = 0; of.groups > 1 && g <= of.groups; ++g)
      groups_.push_back(static_cast<std::int32_t>(of.shape.rows * g / of.groups));
    if (of.items > 0) items_ = sampleRows(46, candidateRows_, of.items);
    if (of.users > 0) users_ = sampleRows(47, of.shape.rows, of.users);
    groupsHere_.emplace(device, groups_);
    itemRing_.emplace(device, ringOf(items_));
    userRing_.emplace(device, ringOf(users_));
  }

  [[nodiscard]] PpNegativesLoss here() const {
    return {.kind = numberOf(of_.op),
            .rows = of_.shape.rows,
            .candidateRows = candidateRows_,
            .width = of_.shape.width,
            .queries = queriesHere_.data(),
            .candidates = candidatesHere_.data(),
            .weight = weight_.empty() ? nullptr : weightHere_.data(),
            .groups = groups_.empty() ? nullptr : groupsHere_->data(),
            .groupCount = std::max<std::int64_t>(std::ssize(groups_) - 1, 0),
            .inBatch = of_.inBatch ? 1 : 0,
            .sameItem = items_.empty() ? nullptr : itemRing_->data(),
            .sameUser = users_.empty() ? nullptr : userRing_->data(),
            .shift = shift_.empty() ? nullptr : shiftHere_.data(),
            .ownShift = ownShift_.empty() ? nullptr : ownShiftHere_.data(),
            .hardest = of_.hardest,
            .ownWeight = of_.ownWeight,
            .margin = of_.margin,
            .negativeWeight = of_.negativeWeight,
            .temperature = of_.learnt ? 1.0f : of_.temperature,
            .logTemperature = of_.learnt ? logTemperature_.data() : nullptr};
  }
  [[nodiscard]] reference::NegativesLoss expected(const Values& queries,
                                                  const Values& candidates) const {
    const Values weight = toDouble(weight_), shift = toDouble(shift_),
                 ownShift = toDouble(ownShift_);
    return reference::negativesLoss(
        of_.op,
        {of_.shape.rows, of_.shape.width, queries, candidates, weight, groups_, of_.inBatch, items_,
         users_, shift, ownShift, of_.hardest, static_cast<double>(temperature()),
         static_cast<double>(of_.ownWeight), static_cast<double>(of_.margin),
         static_cast<double>(of_.negativeWeight), of_.tolerance()},
        static_cast<double>(kLossScale));
  }
  [[nodiscard]] Values queries() const { return toDouble(queries_); }
  [[nodiscard]] Values candidates() const { return toDouble(candidates_); }

 private:
  [[nodiscard]] float temperature() const {
    return of_.learnt ? std::exp(std::log(of_.temperature)) : of_.temperature;
  }
  /// The next candidate with the same id, around the end.
  static std::vector<std::int32_t> ringOf(const std::vector<std::int32_t>& ids) {
    std::vector<std::int32_t> ring;
    for (std::size_t j = 0; j < ids.size(); ++j) {
      std::size_t next = (j + 1) % ids.size();
      while (ids[next] != ids[j]) next = (next + 1) % ids.size();
      ring.push_back(static_cast<std::int32_t>(next));
    }
    return ring;
  }

  NegativesCase of_;
  std::int64_t candidateRows_;
  std::vector<float> queries_, candidates_, weight_, shift_, ownShift_;
  DeviceFloats queriesHere_, candidatesHere_, weightHere_, shiftHere_, ownShiftHere_;
  DeviceFloats logTemperature_;
  std::vector<std::int32_t> groups_, items_, users_;
  std::optional<DeviceInts> groupsHere_, itemRing_, userRing_;
};

/// An op's sum and gradients.
struct NegativesFound {
  double sum = 0.0;
  std::vector<float> dQueries, dCandidates;

  NegativesFound(const tensor::Launch& launch, PpNegativesLoss args) {
    const Device& device = *launch.device;
    auto queries = DeviceFloats::unset(device, args.rows * args.width),
         candidates = DeviceFloats::unset(device, args.candidateRows * args.width);
    DeviceFloats scratch = scratchOf(device, args);
    DeviceDoubles sumHere(device, {0.0});
    args.gradientScale = kLossScale;
    args.scratch = scratch.data();
    args.dQueries = queries.data();
    args.dCandidates = candidates.data();
    args.sum = sumHere.data();
    tensor::run(launch, args);
    sum = sumHere.read()[0];
    dQueries = queries.read();
    dCandidates = candidates.read();
    (void)scratch.read();  // its guard
  }
  static DeviceFloats scratchOf(const Device& device, const PpNegativesLoss& args) {
    return DeviceFloats::unset(device,
                               ppNegativesScratch(args.rows, args.candidateRows, args.width));
  }
};

void negativesCase(const Device& device, const NegativesCase& of, Measure& measure) {
  const NegativesOperands operands(device, of);
  const Values q = operands.queries(), c = operands.candidates();
  PpNegativesLoss args = operands.here();
  const NegativesFound found({&device, nullptr, of.precision}, args);
  const reference::NegativesLoss expected = operands.expected(q, c);
  measure.value("sum", found.sum, expected.sum.value[0], expected.sum.magnitude[0]);
  measure.values("dQueries", found.dQueries, expected.dQueries);
  measure.values("dCandidates", found.dCandidates, expected.dCandidates);
  DeviceFloats scratch = NegativesFound::scratchOf(device, args);
  DeviceDoubles sum(device, {0.0});
  args.scratch = scratch.data();
  args.sum = sum.data();
  tensor::run({&device, nullptr, of.precision}, args);
  measure.require(sum.read()[0] == found.sum, "the sum differs when no gradient is wanted");
  if (of.shape.rows > 7) return;
  const auto slope = [&](const Values& x, const Exact& gradient, const auto& sumAt) {
    const Exact slopes = centralDifferences(x, sumAt);
    for (std::size_t i = 0; i < x.size(); ++i)
      measure.require(std::abs(static_cast<double>(kLossScale) * slopes.value[i] -
                               gradient.value[i]) < 1e-6 * slopes.magnitude[i],
                      fmt::format("the gradient at {} is not that of the sum", i));
  };
  slope(q, expected.dQueries,
        [&](const Values& at) { return operands.expected(at, c).sum.value[0]; });
  slope(c, expected.dCandidates,
        [&](const Values& at) { return operands.expected(q, at).sum.value[0]; });
}

// Several workers cut the same blocks.
void negativesOnWorkers(const Device& device, Measure& measure) {
  const NegativesCase of{.shape = {700, 16}, .extra = 30, .items = 90, .shifted = true};
  const NegativesOperands operands(device, of);
  Workers workers(3);
  const NegativesFound alone({&device}, operands.here());
  const NegativesFound together({&device, &workers}, operands.here());
  measure.same("dQueries", together.dQueries, alone.dQueries);
  measure.same("dCandidates", together.dCandidates, alone.dCandidates);
  measure.require(alone.sum == together.sum, "the sum depends on the workers");
}

}  // namespace

void addNegativesCases(const Device& device, std::vector<Case>& cases) {
  const auto add = [&](const NegativesCase& of) {
    cases.push_back(makeCase("negativesLoss", of.name(), of.tolerance(),
                             [=](Measure& measure) { negativesCase(device, of, measure); }));
    if (of.rounds()) cases.back().unit = 0x1p-9;
  };
  using enum NegativesLossOp;
  for (const NegativesLossOp op : {kSoftmax, kBpr, kBce, kCcl}) {
    for (const std::int64_t rows : {0, 1, 7, 15, 16, 17, 129, 300})
      for (const std::int64_t width : {1, 3, 16, 33})
        for (const float temperature : {1.0f, 0.02f})
          add({.op = op,
               .shape = {rows, width},
               .weighted = width == 3,
               .temperature = temperature});
    for (const std::int64_t rows : {1, 7, 70, 300})
      for (const std::int64_t extra : {0, 1, 40}) {
        NegativesCase of{.op = op, .shape = {rows, 16}, .extra = extra};
        if (op == kBce) of.ownWeight = 0.25f;
        if (op == kCcl) of.margin = 0.4f;
        if (op == kCcl) of.negativeWeight = 3.0f;
        const auto with = [&](auto change) {
          NegativesCase changed = of;
          change(changed);
          add(changed);
        };
        if (extra > 0) add(of);
        with([](NegativesCase& c) { c.inBatch = false; });
        with([](NegativesCase& c) { c.groups = 3; });
        with([](NegativesCase& c) { c.items = 4; });
        with([](NegativesCase& c) { c.users = 3; });
        with([](NegativesCase& c) {
          c.users = 5;
          c.items = 9;
          c.groups = 2;
        });
        with([](NegativesCase& c) { c.hardest = 5; });
        with([](NegativesCase& c) {
          c.temperature = 0.3f;
          c.learnt = true;
        });
        with([](NegativesCase& c) {
          c.groups = 2;
          c.items = 9;
          c.hardest = 3;
          c.weighted = true;
          c.temperature = 0.1f;
        });
        if (op != kSoftmax) continue;
        with([](NegativesCase& c) { c.shifted = true; });
        with([](NegativesCase& c) {
          c.shifted = true;
          c.items = 9;
          c.hardest = 4;
          c.inBatch = c.extra == 0;
        });
      }
  }
  for (const std::int64_t rows : {7, 300, 1024}) {
    NegativesCase of{.shape = {rows, 64}, .precision = tensor::Precision::kBf16};
    for (const NegativesLossOp op : {kCcl, kBce, kBpr, kSoftmax}) {
      of.op = op;
      add(of);
    }
    NegativesCase corrected = of;
    corrected.items = rows / 2;
    corrected.shifted = corrected.weighted = true;
    corrected.temperature = 0.5f;
    add(corrected);
  }
  cases.push_back(makeCase("negativesLoss", "same bits on any number of workers", 0.0,
                           [=](Measure& measure) { negativesOnWorkers(device, measure); }));
}

}  // namespace parapet::selftest
