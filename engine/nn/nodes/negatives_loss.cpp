// SPDX-License-Identifier: Apache-2.0
// Losses of each query's own candidate against negatives: the other candidates of the global batch,
// whatever rank has them, or of the query's rank, and the rows that follow the examples.
//
// Q(j) is the share of item j among the negatives that are drawn for a query. With f the score over
// the temperature and p the own item, the standard correction is the softmax of f(j) − log Q(j) over
// the own candidate and the n negatives. The corrected one takes into account that the own candidate
// was not drawn: it is
//
//   −log( e^f(p) / ( e^f(p) + (1/n) Σ_j e^(f(j) − log Q'(j)) ) ),   Q'(j) = Q(j)/(1 − Q(p))
//
// whose gradient is (1 − P̂)·∇[ −f(p) + log (1/n) Σ_j e^(f(j) − log Q'(j)) ], P̂ the probability that
// it gives the own candidate. A factor that all negatives of a query share may as well be taken off
// the own score: own shift = log(1 − Q(p)) − log n.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/base/result.h"
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

using experiment::LogQ;
using experiment::LossKind;

/// Ring of the candidates with the same item; see QueriesAndCandidates::sameItem. `table` has room
/// for a power of two of at least twice as many elements.
void linkSameItems(std::span<const std::int32_t> ids, std::int32_t* ring, std::int32_t* table) {
  const std::size_t slots = std::bit_ceil(2 * ids.size());
  std::fill_n(table, slots, -1);
  for (std::size_t j = 0; j < ids.size(); ++j) {
    constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
    const std::uint64_t hash = (static_cast<std::uint64_t>(ids[j]) * kMix) >> 32;
    std::size_t slot = hash & (slots - 1);
    while (table[slot] >= 0 && ids[at(table[slot])] != ids[j]) slot = (slot + 1) & (slots - 1);
    const auto self = static_cast<std::int32_t>(j);
    ring[j] = table[slot] < 0 ? self : ring[table[slot]];
    if (table[slot] < 0)
      table[slot] = self;
    else
      ring[table[slot]] = self;
  }
}

class NegativesLossNode final : public Node {
 public:
  NegativesLossNode(std::string name, const experiment::Loss& loss, const NegativesInputs& inputs,
                    std::int64_t width, Value output)
      : Node(std::move(name), {inputs.query, inputs.candidate}, output),
        loss_(loss),
        item_(inputs.item),
        temperature_(inputs.temperature),
        width_(width) {}

  void forward(NodeContext& context) const override {
    if (!context.trains()) add(context, nullptr, nullptr);
  }
  void backward(NodeContext& context) const override {
    add(context, context.gradient(inputs()[0]), context.gradient(inputs()[1]));
  }
  NodeScope scope() const override { return NodeScope::kBatch; }
  bool isLoss() const override { return true; }
  std::vector<ParameterIndex> parameters() const override {
    return temperature_ < 0 ? std::vector<ParameterIndex>{} : std::vector{temperature_};
  }
  std::int64_t scratchElements(std::int64_t rows) const override {
    return Scratch::elements(rows, width_, temperature_ >= 0) +
           tensor::negativesScratch(rows, rows, width_);
  }

 private:
  struct Scratch {
    std::int32_t *ring, *table;
    float *shift, *ownShift, *dQuery, *work;

    static std::int64_t elements(std::int64_t rows, std::int64_t width, bool dQuery) {
      return 3 * rows + tableSlots(rows) + (dQuery ? rows * width : 0);
    }
    static std::int64_t tableSlots(std::int64_t rows) {
      return static_cast<std::int64_t>(std::bit_ceil(2 * static_cast<std::uint64_t>(rows)));
    }
    Scratch(float* memory, std::int64_t rows, std::int64_t width, bool keepsQuery)
        : ring(reinterpret_cast<std::int32_t*>(memory)),
          table(ring + rows),
          shift(memory + rows + tableSlots(rows)),
          ownShift(shift + rows),
          dQuery(ownShift + rows),
          work(dQuery + (keepsQuery ? rows * width : 0)) {}
  };

  [[nodiscard]] bool meetsBatch() const { return loss_.kind != LossKind::kSampledSoftmax; }
  [[nodiscard]] bool isSoftmax() const { return loss_.kind != LossKind::kBpr; }
  [[nodiscard]] bool masks() const {
    return loss_.accidentalHits == experiment::AccidentalHits::kMask;
  }
  [[nodiscard]] bool corrects() const { return isSoftmax() && loss_.logQ != LogQ::kOff; }

  /// The negatives of a group of queries, as far as they do not depend on the query.
  struct Group {
    std::int64_t begin, end;
    double powers = 0.0;  ///< Σ e^−shift over the candidates that they meet
    std::int64_t met = 0;
  };

  float temperature(NodeContext& context) const;
  void add(NodeContext& context, float* dQuery, float* dCandidate) const;
  NegativesSums prepare(NodeContext& context, tensor::QueriesAndCandidates& batch,
                        const Scratch& scratch) const;
  void addQuery(const Group& group, std::int64_t query, float weight,
                const tensor::QueriesAndCandidates& batch, const Scratch& scratch, float ownLogQ,
                NegativesSums& sums) const;
  [[nodiscard]] double equalScores(std::int64_t negatives, double powers, float ownShift) const;

  experiment::Loss loss_;
  std::int32_t item_;
  ParameterIndex temperature_;
  std::int64_t width_;
};

float NegativesLossNode::temperature(NodeContext& context) const {
  return temperature_ < 0 ? static_cast<float>(loss_.temperature.initial)
                          : std::exp(*context.weight(temperature_));
}

/// Fills what the loss reads of items, and adds up what can be said without scores.
NegativesSums NegativesLossNode::prepare(NodeContext& context, tensor::QueriesAndCandidates& batch,
                                         const Scratch& scratch) const {
  const std::span<const std::int32_t> ids = context.ids(item_);
  if (masks()) {
    linkSameItems(ids, scratch.ring, scratch.table);
    batch.sameItem = scratch.ring;
  }
  if (corrects()) {
    const std::span<const float> logQ = context.itemLogQ();
    if (logQ.empty() && !ids.empty())
      throw InvalidArgument("[nn.StepPlan] log-Q is on, and the input has no frequencies of items");
    for (std::size_t j = 0; j < ids.size(); ++j) scratch.shift[j] = logQ[at(ids[j])];
    batch.shift = scratch.shift;
    batch.ownShift = scratch.ownShift;
  }
  NegativesSums sums;
  const float* const weights = context.weights();
  const std::int32_t whole[] = {0, static_cast<std::int32_t>(batch.rows)};
  const std::span<const std::int32_t> groups =
      batch.groups.empty() ? std::span<const std::int32_t>(whole) : batch.groups;
  const auto powerOf = [&](std::int64_t j) {
    return batch.shift ? std::exp(-static_cast<double>(batch.shift[j])) : 1.0;
  };
  double extraPowers = 0.0;
  for (std::int64_t j = batch.rows; j < batch.candidateRows; ++j) extraPowers += powerOf(j);
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    Group group{groups[g], groups[g + 1], extraPowers, batch.candidateRows - batch.rows};
    for (std::int64_t j = group.begin; batch.inBatch && j < group.end; ++j)
      group.powers += powerOf(j);
    if (batch.inBatch) group.met += group.end - group.begin;
    for (std::int64_t b = group.begin; b < group.end; ++b)
      addQuery(group, b, weights ? weights[b] : 1.0f, batch, scratch,
               batch.shift ? batch.shift[b] : 0.0f, sums);
  }
  return sums;
}

void NegativesLossNode::addQuery(const Group& group, std::int64_t query, float weight,
                                 const tensor::QueriesAndCandidates& batch, const Scratch& scratch,
                                 float ownLogQ, NegativesSums& sums) const {
  // All candidates of an item have the same shift.
  const std::int64_t own = batch.inBatch ? 1 : 0;
  std::int64_t hits = 0;
  for (std::int64_t j = masks() ? scratch.ring[query] : query; j != query; j = scratch.ring[j])
    if (j >= batch.rows || (batch.inBatch && j >= group.begin && j < group.end)) ++hits;
  const std::int64_t negatives = group.met - own - hits;
  const double power = batch.shift ? std::exp(-static_cast<double>(ownLogQ)) : 1.0;
  if (batch.ownShift) {
    const double q = std::exp(static_cast<double>(ownLogQ));
    const bool corrected = loss_.logQ == LogQ::kCorrected && negatives > 0 && q < 1.0;
    scratch.ownShift[query] =
        corrected ? static_cast<float>(std::log1p(-q) - std::log(static_cast<double>(negatives)))
                  : ownLogQ;
  }
  sums.masked += hits;
  sums.equalScores += static_cast<double>(weight) *
                      equalScores(negatives, group.powers - static_cast<double>(own + hits) * power,
                                  batch.ownShift ? scratch.ownShift[query] : 0.0f);
}

/// The loss of a query whose scores are all the same. NaN if it depends on which negatives are kept.
double NegativesLossNode::equalScores(std::int64_t negatives, double powers, float ownShift) const {
  if (negatives <= 0) return 0.0;
  if (!isSoftmax()) return std::log(2.0);
  if (loss_.hardNegatives && *loss_.hardNegatives < negatives) {
    if (corrects()) return std::numeric_limits<double>::quiet_NaN();
    powers = static_cast<double>(*loss_.hardNegatives);
  }
  return std::log1p(powers * std::exp(static_cast<double>(ownShift)));
}

void NegativesLossNode::add(NodeContext& context, float* dQuery, float* dCandidate) const {
  const std::int64_t rows = context.rows(), examples = context.examples();
  const Scratch scratch(context.scratch(), rows, width_, temperature_ >= 0);
  tensor::QueriesAndCandidates batch{examples,
                                     rows,
                                     width_,
                                     context.value(inputs()[0]),
                                     context.value(inputs()[1]),
                                     context.weights(),
                                     temperature(context)};
  if (loss_.negatives == experiment::NegativeScope::kDevice) batch.groups = context.rankOffsets();
  batch.inBatch = meetsBatch();
  batch.hardest = loss_.hardNegatives.value_or(0);
  context.addNegatives(output(), prepare(context, batch, scratch));

  float* const dTemperature =
      context.trains() && temperature_ >= 0 ? context.parameterGradient(temperature_) : nullptr;
  if (dTemperature && !dQuery) dQuery = scratch.dQuery;
  const float scale = dQuery || dCandidate ? context.lossScale(output()) : 0.0f;
  const auto op = isSoftmax() ? tensor::NegativesLossOp::kSoftmax : tensor::NegativesLossOp::kBpr;
  context.addLoss(output(), tensor::negativesLoss(context.launch(), op, batch, scale, scratch.work,
                                                  dQuery, dCandidate));
  if (dQuery) std::fill(dQuery + examples * width_, dQuery + rows * width_, 0.0f);
  if (!dTemperature) return;
  // f = q·c/T, so d(loss)/d(ln T) = −Σ_bj d(loss)/d(f[b, j])·f[b, j] = −Σ_b dq[b]·q[b].
  double along = 0.0;
  for (std::int64_t i = 0; i < examples * width_; ++i)
    along += static_cast<double>(dQuery[i]) * static_cast<double>(batch.queries[i]);
  *dTemperature = static_cast<float>(-along);
}

}  // namespace

std::unique_ptr<Node> makeNegativesLoss(std::string name, const experiment::Loss& loss,
                                        const NegativesInputs& inputs, std::int64_t width,
                                        Value output) {
  return std::make_unique<NegativesLossNode>(std::move(name), loss, inputs, width, output);
}

}  // namespace parapet::nn
