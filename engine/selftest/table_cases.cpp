// SPDX-License-Identifier: Apache-2.0
// Cross entropy over a table, and the best rows of one, against their references; the gradients
// against central differences of the loss.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/workers.h"
#include "engine/selftest/cases.h"
#include "engine/selftest/layer_reference.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using tensor::Device;
using tensor::Precision;
using Values = std::vector<double>;

constexpr float kTableScale = 0.125f;

/// The settings that a case varies.
struct TableCase {
  std::int64_t rows = 0, tableRows = 1, width = 1;
  bool biased = true, weighted = true;
  bool ties = false;  ///< operands of which many logits are equal, and exact
  float size = 1.0f;  ///< of the hidden rows
  Precision precision = Precision::kFp32;

  [[nodiscard]] std::string name() const {
    std::string text = fmt::format("{} × {}×{}", rows, tableRows, width);
    if (!biased) text += " without bias";
    if (!weighted) text += " without weights";
    if (ties) text += " with ties";
    if (size != 1.0f) text += fmt::format(" of size {}", size);
    if (precision == Precision::kBf16) text += " bf16";
    return text;
  }
  /// A dot product, a sum over the table and one over the rows; operands of bf16 err by 2⁻⁹.
  [[nodiscard]] double tolerance() const {
    return static_cast<double>(std::min<std::int64_t>(tableRows, 512) + width + rows + 16) * kUnit +
           (precision == Precision::kBf16 ? 4 * 0x1p-9 : 0.0);
  }
};

/// The operands of a case, here and on the device.
class TableOperands {
 public:
  TableOperands(const Device& device, const TableCase& of)
      : of_(of),
        device_(device),
        hidden_(operands(81, of.rows * of.width, of.size)),
        table_(operands(82, of.tableRows * of.width, 1.0f)),
        bias_(operands(83, of.biased ? of.tableRows : 0, 1.0f)),
        weight_(samples(84, of.weighted ? of.rows : 0, 0.0f, 3.0f)),
        labels_(sampleRows(85, of.rows, of.tableRows)),
        beforeTable_(samples(86, of.tableRows * of.width)),
        beforeBias_(samples(87, of.tableRows)),
        hiddenHere_(device, hidden_),
        tableHere_(device, table_),
        biasHere_(device, bias_),
        weightHere_(device, weight_),
        labelsHere_(device, labels_) {
    // A row without weight adds nothing.
    for (std::size_t i = 0; i < weight_.size(); i += 5) weight_[i] = 0.0f;
    weightHere_ = DeviceFloats(device, weight_);
    // Half of the labels are the best row, so that there are hits.
    for (std::size_t i = 0; i < labels_.size(); i += 2) labels_[i] = bestOf(i);
    labelsHere_ = DeviceInts(device, labels_);
  }

  struct Found {
    std::vector<double> sums;
    std::vector<float> dHidden, dTable, dBias;
  };
  [[nodiscard]] Found run(Workers* workers = nullptr) const {
    auto dHidden = DeviceFloats::unset(device_, of_.rows * of_.width);
    DeviceFloats dTable(device_, beforeTable_), dBias(device_, beforeBias_);
    PpTableSoftmax args = arguments();
    args.dHidden = dHidden.data();
    args.dTable = dTable.data();
    args.dBias = dBias.data();
    const std::vector<double> sums = sumsOf(args, workers);
    return {sums, dHidden.read(), dTable.read(), dBias.read()};
  }
  [[nodiscard]] std::vector<double> sumsOf(PpTableSoftmax args, Workers* workers = nullptr) const {
    const bool gradients = args.dHidden || args.dTable || args.dBias;
    auto scratch = DeviceFloats::unset(
        device_, ppTableSoftmaxScratch(of_.rows, of_.tableRows, of_.width, gradients ? 1 : 0));
    DeviceDoubles sums(device_, {1.0, 2.0, 3.0});
    args.scratch = scratch.data();
    args.sums = sums.data();
    tensor::run({&device_, workers, of_.precision}, args);
    (void)scratch.read();  // its guard
    auto found = sums.read();
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= static_cast<double>(i) + 1.0;
    return found;
  }
  /// Without gradients.
  [[nodiscard]] PpTableSoftmax arguments() const {
    return {.rows = of_.rows,
            .tableRows = of_.tableRows,
            .width = of_.width,
            .hidden = hiddenHere_.data(),
            .table = tableHere_.data(),
            .bias = of_.biased ? biasHere_.data() : nullptr,
            .labels = labelsHere_.data(),
            .weight = of_.weighted ? weightHere_.data() : nullptr,
            .gradientScale = kTableScale};
  }
  /// Added to what was there before.
  [[nodiscard]] reference::TableSoftmax expected(const Values& hidden, const Values& table,
                                                 const Values& bias) const {
    const Values weight = toDouble(weight_);
    return reference::tableSoftmax({of_.width, hidden, table, bias, labels_, weight},
                                   static_cast<double>(kTableScale));
  }
  [[nodiscard]] Values hidden() const { return toDouble(hidden_); }
  [[nodiscard]] Values table() const { return toDouble(table_); }
  [[nodiscard]] Values bias() const { return toDouble(bias_); }
  static Exact added(Exact exact, const std::vector<float>& before) {
    for (std::size_t i = 0; i < before.size(); ++i) exact.add(i, static_cast<double>(before[i]));
    return exact;
  }
  [[nodiscard]] Exact withTable(const Exact& gradient) const {
    return added(gradient, beforeTable_);
  }
  [[nodiscard]] Exact withBias(const Exact& gradient) const { return added(gradient, beforeBias_); }

 private:
  [[nodiscard]] std::vector<float> operands(std::uint64_t seed, std::int64_t count,
                                            float size) const {
    return of_.ties ? exactSamples(seed, count) : samples(seed, count, -size, size);
  }
  [[nodiscard]] std::int32_t bestOf(std::size_t row) const {
    const auto width = static_cast<std::size_t>(of_.width);
    const Values hidden = toDouble(std::span(hidden_).subspan(row * width, width)),
                 table = toDouble(table_), bias = toDouble(bias_);
    const std::vector<double> scores = reference::scoresOf(hidden, table, bias).of.value;
    return static_cast<std::int32_t>(std::ranges::max_element(scores) - scores.begin());
  }
  TableCase of_;
  Device device_;
  std::vector<float> hidden_, table_, bias_, weight_;
  std::vector<std::int32_t> labels_;
  std::vector<float> beforeTable_, beforeBias_;
  DeviceFloats hiddenHere_, tableHere_, biasHere_, weightHere_;
  DeviceInts labelsHere_;
};

void requireSlopes(const TableOperands& operands, const reference::TableSoftmax& expected,
                   Measure& measure) {
  const Values h = operands.hidden(), t = operands.table(), b = operands.bias();
  const auto slope = [&](const Values& x, const Exact& gradient, const auto& lossAt) {
    const Exact slopes = centralDifferences(x, lossAt);
    for (std::size_t i = 0; i < x.size(); ++i)
      measure.require(std::abs(static_cast<double>(kTableScale) * slopes.value[i] -
                               gradient.value[i]) < 1e-6 * slopes.magnitude[i],
                      fmt::format("the gradient at {} is not that of the sum", i));
  };
  slope(h, expected.dHidden,
        [&](const Values& at) { return operands.expected(at, t, b).sums.value[0]; });
  slope(t, expected.dTable,
        [&](const Values& at) { return operands.expected(h, at, b).sums.value[0]; });
  slope(b, expected.dBias,
        [&](const Values& at) { return operands.expected(h, t, at).sums.value[0]; });
}

void tableCase(const Device& device, const TableCase& of, Measure& measure) {
  const TableOperands operands(device, of);
  const auto found = operands.run();
  const reference::TableSoftmax expected =
      operands.expected(operands.hidden(), operands.table(), operands.bias());
  for (std::size_t i = 0; i < 3; ++i)
    if (i != 1 || of.precision == Precision::kFp32)
      measure.value(fmt::format("sums[{}]", i), found.sums[i], expected.sums.value[i],
                    expected.sums.magnitude[i] + static_cast<double>(i) + 1.0);
  measure.values("dHidden", found.dHidden, expected.dHidden);
  measure.values("dTable", found.dTable, operands.withTable(expected.dTable));
  measure.values("dBias", found.dBias, operands.withBias(expected.dBias));
  measure.require(operands.sumsOf(operands.arguments()) == found.sums,
                  "the sums differ when no gradient is wanted");
  auto alone = DeviceFloats::unset(device, of.rows * of.width);
  PpTableSoftmax args = operands.arguments();
  args.dHidden = alone.data();
  (void)operands.sumsOf(args);
  measure.same("dHidden alone", alone.read(), found.dHidden);
  if (of.rows * of.tableRows * of.width <= 400 && of.size == 1.0f && of.biased)
    requireSlopes(operands, expected, measure);
}

void tableOnWorkers(const Device& device, Measure& measure) {
  const TableOperands operands(device, {.rows = 150, .tableRows = 2900, .width = 16});
  Workers workers(3);
  const auto alone = operands.run(), together = operands.run(&workers);
  measure.require(alone.sums == together.sums, "the sums depend on the workers");
  measure.same("dHidden", together.dHidden, alone.dHidden);
  measure.same("dTable", together.dTable, alone.dTable);
  measure.same("dBias", together.dBias, alone.dBias);
}

struct TopKCase {
  std::int64_t queries, candidates, width, k;
  bool biased;
  bool normalised;  ///< scores are log-probabilities
};

/// The order of the best candidates in the reference.
std::vector<std::int32_t> bestOf(const std::vector<double>& scores, std::int64_t k) {
  std::vector<std::int32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::int32_t v) { return scores[static_cast<std::size_t>(v)]; });
  order.resize(static_cast<std::size_t>(k), -1);
  return order;
}

// Tests operands whose scores are exact, so that their order is exact, too.
void topKCase(const Device& device, const TopKCase& of, Measure& measure) {
  const auto q = exactSamples(88, of.queries * of.width),
             c = exactSamples(89, of.candidates * of.width),
             bias = exactSamples(90, of.biased ? of.candidates : 0);
  const DeviceFloats queries(device, q), candidates(device, c), biasHere(device, bias);
  auto rows = DeviceInts::unset(device, of.queries * of.k);
  auto scores = DeviceFloats::unset(device, of.queries * of.k);
  tensor::run({&device}, PpTopK{.queryCount = of.queries,
                                .candidateCount = of.candidates,
                                .width = of.width,
                                .k = of.k,
                                .queries = queries.data(),
                                .candidates = candidates.data(),
                                .bias = of.biased ? biasHere.data() : nullptr,
                                .normalised = of.normalised ? 1 : 0,
                                .rows = rows.data(),
                                .scores = scores.data()});
  const auto foundRows = rows.read();
  const auto foundScores = scores.read();
  const Values query = toDouble(q), candidate = toDouble(c), shift = toDouble(bias);
  for (std::int64_t n = 0; n < of.queries; ++n) {
    const auto at = static_cast<std::size_t>(n * of.k), k = static_cast<std::size_t>(of.k);
    const auto expected =
        reference::scoresOf(std::span(query).subspan(static_cast<std::size_t>(n * of.width),
                                                     static_cast<std::size_t>(of.width)),
                            candidate, shift);
    const auto best = bestOf(expected.of.value, of.k);
    measure.same(fmt::format("rows of query {}", n), std::span(foundRows).subspan(at, k), best);
    for (std::size_t i = 0; i < k; ++i) {
      const auto found = static_cast<double>(foundScores[at + i]);
      if (best[i] < 0) {
        measure.require(std::isinf(found) && found < 0.0, "a score beyond all candidates");
        continue;
      }
      const double score = expected.of.value[static_cast<std::size_t>(best[i])];
      measure.value("score", found, score - (of.normalised ? expected.logSumExp : 0.0),
                    1.0 + std::abs(score) + std::abs(expected.logSumExp));
    }
  }
}

// A candidate whose score is no number is none.
void topKOfNaN(const Device& device, Measure& measure) {
  const std::vector<float> bias{0.5f, std::numeric_limits<float>::quiet_NaN(), 2.0f};
  const DeviceFloats queries(device, std::vector<float>{1.0f}),
      candidates(device, std::vector<float>{1.0f, 1.0f, 1.0f}), biasHere(device, bias);
  auto rows = DeviceInts::unset(device, 3);
  auto scores = DeviceFloats::unset(device, 3);
  tensor::run({&device}, PpTopK{.queryCount = 1,
                                .candidateCount = 3,
                                .width = 1,
                                .k = 3,
                                .queries = queries.data(),
                                .candidates = candidates.data(),
                                .bias = biasHere.data(),
                                .rows = rows.data(),
                                .scores = scores.data()});
  measure.same("rows", rows.read(), std::vector<std::int32_t>{2, 0, -1});
}

void addTopKCases(const Device& device, std::vector<Case>& cases) {
  for (const std::int64_t queries : {0, 1, 17, 40})
    for (const std::int64_t candidates : {0, 1, 5, 511, 512, 1030})
      for (const std::int64_t k : {1, 10, 100})
        for (const bool normalised : {false, true}) {
          const TopKCase topK{queries, candidates, candidates == 5 ? 3 : 16,
                              k,       k == 10,    normalised};
          const auto name =
              fmt::format("{} of {} × {}×{}{}{}", k, queries, candidates, topK.width,
                          topK.biased ? " with bias" : "", normalised ? " log-probabilities" : "");
          cases.push_back(makeCase("topK", name, 64 * kUnit,
                                   [=](Measure& measure) { topKCase(device, topK, measure); }));
        }
  cases.push_back(
      makeCase("topK", "of a NaN", 0.0, [=](Measure& measure) { topKOfNaN(device, measure); }));
}

}  // namespace

void addTableCases(const Device& device, std::vector<Case>& cases) {
  const auto add = [&](const TableCase& of) {
    cases.push_back(makeCase("tableSoftmax", of.name(), of.tolerance(),
                             [=](Measure& measure) { tableCase(device, of, measure); }));
    if (of.precision == Precision::kBf16) cases.back().unit = 0x1p-9;
  };
  for (const std::int64_t rows : {0, 1, 3, 17, 130})
    for (const std::int64_t tableRows : {1, 3, 16, 511, 512, 513, 1100}) {
      add({.rows = rows, .tableRows = tableRows, .width = 16});
      add({.rows = rows, .tableRows = tableRows, .width = 3, .ties = true});
      add({.rows = rows,
           .tableRows = tableRows,
           .width = 33,
           .biased = false,
           .weighted = false,
           .size = 60.0f});
    }
  add({.rows = 2, .tableRows = 5, .width = 1});
  add({.rows = 70, .tableRows = 5000, .width = 64});
  add({.rows = 1500, .tableRows = 600, .width = 8});  // several blocks of rows
  add({.rows = 40, .tableRows = 700, .width = 32, .precision = Precision::kBf16});
  cases.push_back(makeCase("tableSoftmax", "same bits on any number of workers", 0.0,
                           [=](Measure& measure) { tableOnWorkers(device, measure); }));
  addTopKCases(device, cases);
}

}  // namespace parapet::selftest
