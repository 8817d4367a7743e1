// SPDX-License-Identifier: Apache-2.0
// Losses of each query's own candidate against negatives: the other candidates of the global batch,
// whatever rank has them, or of the query's rank, and the rows that follow the examples.
//
// Over several memory spaces each keeps its queries and gathers the candidates of the batch with
// their ids; the gradients of the candidates are added up over the spaces and go back to where they
// came from. Queries whose negatives all lie in their own space need no exchange.
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
#include <iterator>
#include <limits>

#include "engine/base/result.h"
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

using experiment::LogQ;
using experiment::LossKind;

/// Ring of the candidates with the same id; see PpNegativesLoss. `table` has room
/// for a power of two of at least twice as many elements.
void linkSameIds(std::span<const std::int32_t> ids, std::int32_t* ring, std::int32_t* table) {
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

class NegativesLossNode final : public BatchNode {
 public:
  NegativesLossNode(const Graph& graph, const std::string& name, const experiment::Loss& loss,
                    Value query, Value candidate, const NegativesLossInputs& inputs)
      : BatchNode(graph, name, {query, candidate}),
        loss_(loss),
        item_(inputs.item),
        user_(inputs.user),
        temperature_(inputs.temperature),
        score_(inputs.score) {
    requireExamples(graph, query);
    requireEqualWidths(graph);
    if (temperature_ >= 0) requireWidth(readsDense(graph, temperature_).cols, 1);
    addsLoss(loss);
  }

  void forward(StepSlice& slice) const override {
    if (!slice.trains()) add(slice, nullptr, nullptr);
  }
  void backward(StepSlice& slice) const override {
    add(slice, slice.gradient(inputs()[0]), slice.gradient(inputs()[1]));
  }
  std::int64_t cols() const override { return 1; }
  std::int64_t flops() const override { return 0; }
  std::int64_t flopsPerPair() const override { return 2 * width(); }
  std::int64_t gatheredCols() const override { return meetsWholeBatch() ? width() : 0; }
  std::int64_t scratchElements(std::int64_t rows) const override {
    return keptQueries(rows) + ppNegativesScratch(rows, rows, width());
  }
  std::int64_t stagedElements(std::int64_t rows, std::int64_t ranks) const override {
    return Items::elements(rows, ranks);
  }
  std::int64_t meetingElements(std::int64_t, std::int64_t batchRows) const override {
    return Gathered::elements(batchRows, width()) + scratchElements(batchRows);
  }
  int rounds(Pass pass, bool trains) const override {
    return (pass == Pass::kBackward) == trains ? 3 + hasUsers() : 0;
  }
  Meeting round(StepSlice& slice, Pass pass, int index) const override;

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(negativesLoss), width()},
            {PARAPET_OP(innerProduct), width()},
            {PARAPET_OP(copyColumns), width()}};
  }

 private:
  /// What the host finds out about the candidates of a batch: for itself, and from `ring` to
  /// `groups` for the op.
  struct Items {
    tensor::StagedArray<std::int32_t>& memory;
    std::int64_t rows;  ///< room for so many candidates

    static std::int64_t elements(std::int64_t rows, std::int64_t ranks) {
      return 8 * rows + ranks + 1 + tableSlots(rows);
    }
    static std::int64_t tableSlots(std::int64_t rows) {
      return static_cast<std::int64_t>(std::bit_ceil(2 * static_cast<std::uint64_t>(rows)));
    }
    [[nodiscard]] std::int32_t* ring() const { return memory.data(); }
    [[nodiscard]] float* shift() const { return floats(ring() + rows); }
    [[nodiscard]] float* ownShift() const { return floats(ring() + 2 * rows); }
    [[nodiscard]] std::int32_t* userRing() const { return ring() + 3 * rows; }
    [[nodiscard]] std::int32_t* groups() const { return ring() + 4 * rows; }
    /// Ids of the batch, and of a block of its queries, where candidates are gathered; likewise
    /// those of their users.
    [[nodiscard]] std::int32_t* ids() const { return memory.data() + memory.size() - 4 * rows; }
    [[nodiscard]] std::int32_t* idsOfPiece() const { return ids() + rows; }
    [[nodiscard]] std::int32_t* users() const { return ids() + 2 * rows; }
    [[nodiscard]] std::int32_t* usersOfPiece() const { return ids() + 3 * rows; }
    /// Scratch; it begins where the groups end.
    [[nodiscard]] std::int32_t* table(std::size_t groups) const { return this->groups() + groups; }
    /// Brings them to the device, for `batch` to name.
    void upload(std::span<const std::int32_t> groupsOf, bool masks, bool corrects, bool hasUsers,
                PpNegativesLoss& batch) const {
      std::ranges::copy(groupsOf, groups());
      memory.upload(4 * rows + static_cast<std::int64_t>(groupsOf.size()));
      const std::int32_t* const here = memory.here();
      if (masks) batch.sameItem = here;
      if (hasUsers) batch.sameUser = here + 3 * rows;
      if (corrects) batch.shift = reinterpret_cast<const float*>(here + rows);
      if (corrects) batch.ownShift = reinterpret_cast<const float*>(here + 2 * rows);
      if (groupsOf.empty()) return;
      batch.groups = here + 4 * rows;
      batch.groupCount = std::ssize(groupsOf) - 1;
    }

   private:
    static float* floats(std::int32_t* memory) {
      static_assert(sizeof(float) == sizeof(std::int32_t));
      return reinterpret_cast<float*>(memory);
    }
  };

  /// The candidates of the batch in one memory space, and those of a piece of its queries: their own
  /// ones first.
  struct Gathered {
    float *candidates, *ofPiece, *gradients, *gradientsOfPiece, *rest;

    static std::int64_t elements(std::int64_t batchRows, std::int64_t width) {
      return 4 * batchRows * width;
    }
    Gathered(float* memory, std::int64_t batchRows, std::int64_t width)
        : candidates(memory),
          ofPiece(candidates + batchRows * width),
          gradients(ofPiece + batchRows * width),
          gradientsOfPiece(gradients + batchRows * width),
          rest(gradientsOfPiece + batchRows * width) {}
  };
  /// Queries [begin, end) of the batch that lie in one space and have the same negatives: the other
  /// candidates of [groupBegin, groupEnd), and the extra ones.
  struct Piece {
    std::int64_t begin, end, groupBegin, groupEnd;
  };
  struct Rows {
    std::int64_t begin, end;
  };

  /// The ids by which candidates are left out; without users that is none of theirs.
  struct Ids {
    std::span<const std::int32_t> items, users;
    [[nodiscard]] bool isSameUser(std::int64_t query, std::int64_t j) const {
      return j < std::ssize(users) && users.data()[j] == users.data()[query];
    }
  };

  [[nodiscard]] bool meetsBatch() const { return experiment::meetsBatch(loss_); }
  [[nodiscard]] bool hasUsers() const { return user_ >= 0; }
  [[nodiscard]] bool isSoftmax() const { return experiment::traitsOf(loss_.kind).isSoftmax; }
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

  [[nodiscard]] bool meetsWholeBatch() const {
    return meetsBatch() && loss_.negatives == experiment::NegativeScope::kGlobal;
  }
  [[nodiscard]] bool gathersCandidates(const StepSlice& slice) const {
    return meetsWholeBatch() || slice.examples() < slice.cut().rows();
  }
  /// Elements of the gradients of the queries where those are kept for that of the temperature.
  [[nodiscard]] std::int64_t keptQueries(std::int64_t rows) const {
    return temperature_ >= 0 ? rows * width() : 0;
  }
  /// The greatest size that scores have, whatever is trained.
  [[nodiscard]] double largestScore() const {
    const bool isBounded = score_ == experiment::Score::kCosine && temperature_ < 0;
    return isBounded ? 1.0 / loss_.temperature.initial : std::numeric_limits<double>::infinity();
  }
  /// How often an own candidate counts: β of gBCE. Negatives are uniform if it is calibrated.
  double ownWeight(StepSlice& slice) const;
  /// Users of the examples; empty: any is a negative of any other.
  [[nodiscard]] std::span<const std::int32_t> usersOf(const StepSlice& slice) const {
    if (!hasUsers()) return {};
    return slice.ids(user_).first(static_cast<std::size_t>(slice.examples()));
  }
  /// The arguments that are the same for all queries and candidates.
  PpNegativesLoss lossOf(StepSlice& slice) const;
  /// Adds the loss and writes the gradients that are wanted (not null).
  void run(StepSlice& slice, PpNegativesLoss& batch, float* scratch, float* dQuery,
           float* dCandidate) const;
  /// Where the gradient of ln T is added up, 0 for now; null: not wanted.
  float* beginTemperature(StepSlice& slice) const;
  /// d(loss)/d(ln T) of queries with their gradients: f = q·c/T, so it is −Σ_b dq[b]·q[b].
  void addAlongTemperature(StepSlice& slice, const float* dQuery, const float* query,
                           std::int64_t rows) const;
  void add(StepSlice& slice, float* dQuery, float* dCandidate) const;
  void addPieces(StepSlice& slice, float* dQuery, float* dCandidate) const;
  void addPiece(StepSlice& slice, const Piece& piece, float* dQuery, float* dCandidate,
                NegativesSums& sums) const;
  NegativesSums prepare(StepSlice& slice, const Ids& ids, std::span<const std::int32_t> groups,
                        const float* weights, PpNegativesLoss& batch) const;
  void addQuery(const Group& group, std::int64_t query, float weight, const PpNegativesLoss& batch,
                const Items& items, const Ids& ids, NegativesSums& sums) const;
  /// e^−shift of a candidate.
  [[nodiscard]] double powerOf(const Items& items, std::int64_t j) const {
    return corrects() ? std::exp(-static_cast<double>(items.shift()[j])) : 1.0;
  }
  [[nodiscard]] double equalScores(std::int64_t negatives, double powers, float ownShift,
                                   double ownWeight) const;

  experiment::Loss loss_;
  std::int32_t item_, user_;
  ParameterIndex temperature_;
  experiment::Score score_;
};

tensor::NegativesLossOp opOf(LossKind kind) {
  switch (kind) {
    case LossKind::kBpr:
      return tensor::NegativesLossOp::kBpr;
    case LossKind::kSampledBce:
      return tensor::NegativesLossOp::kBce;
    case LossKind::kCcl:
      return tensor::NegativesLossOp::kCcl;
    default:
      return tensor::NegativesLossOp::kSoftmax;
  }
}

/// With α the share of the other items that a query meets, k of V − 1, and calibration t,
///
///   β = α·(t·(1 − 1/α) + 1/α) = 1 − t·(1 − α)
///
/// V is 1/Q, Q the share of each item among uniform negatives. What is drawn twice counts twice, so
/// that k may be above V − 1; α is 1 then.
/// Source   gSASRec (Petrov, Macdonald 2023), whose negatives are drawn for each position.
double NegativesLossNode::ownWeight(StepSlice& slice) const {
  if (!experiment::traitsOf(loss_.kind).isCalibrated || loss_.calibration == 0.0) return 1.0;
  const std::span<const float> logQ = slice.itemLogQ();
  if (logQ.empty())
    throw InvalidArgument(
        "[nn.StepRunner] the loss is calibrated, and the input has no frequencies of items");
  const double q = std::exp(static_cast<double>(logQ.front()));
  const double drawn =
      loss_.extraNegatives ? static_cast<double>(loss_.extraNegatives->count) : 0.0;
  const double met = q < 1.0 ? std::min(1.0, drawn * q / (1.0 - q)) : 1.0;
  return 1.0 - loss_.calibration * (1.0 - met);
}

PpNegativesLoss NegativesLossNode::lossOf(StepSlice& slice) const {
  PpNegativesLoss loss{};
  loss.kind = numberOf(opOf(loss_.kind));
  loss.width = width();
  loss.inBatch = meetsBatch() ? 1 : 0;
  loss.hardest = loss_.hardNegatives.value_or(0);
  loss.ownWeight = static_cast<float>(ownWeight(slice));
  loss.margin = static_cast<float>(loss_.margin);
  loss.negativeWeight = static_cast<float>(loss_.negativeWeight);
  loss.sum = slice.lossSums(output());
  if (temperature_ < 0)
    loss.temperature = static_cast<float>(loss_.temperature.initial);
  else
    loss.logTemperature = slice.weight(temperature_);
  return loss;
}

void NegativesLossNode::run(StepSlice& slice, PpNegativesLoss& batch, float* scratch, float* dQuery,
                            float* dCandidate) const {
  if (dQuery || dCandidate) batch.gradientScale = slice.lossScale(output());
  batch.scratch = scratch;
  batch.dQueries = dQuery;
  batch.dCandidates = dCandidate;
  tensor::run(slice.launch(), batch);
}

void NegativesLossNode::addAlongTemperature(StepSlice& slice, const float* dQuery,
                                            const float* query, std::int64_t rows) const {
  tensor::run(slice.launch(), PpInnerProduct{.a = dQuery,
                                             .b = query,
                                             .count = rows * width(),
                                             .factor = -1.0f,
                                             .out = slice.parameterGradient(temperature_)});
}

/// Fills what the loss reads of items, and adds up what can be said without scores.
/// `groups`: see PpNegativesLoss; empty: one. `weights`: of the queries, for the host.
NegativesSums NegativesLossNode::prepare(StepSlice& slice, const Ids& ids,
                                         std::span<const std::int32_t> ofGroups,
                                         const float* weights, PpNegativesLoss& batch) const {
  const Items items{slice.staged(), slice.cut().rows()};
  if (masks()) linkSameIds(ids.items, items.ring(), items.table(ofGroups.size()));
  if (hasUsers()) linkSameIds(ids.users, items.userRing(), items.table(ofGroups.size()));
  if (corrects()) {
    const std::span<const float> logQ = slice.itemLogQ();
    if (logQ.empty() && !ids.items.empty())
      throw InvalidArgument(
          "[nn.StepRunner] log-Q is on, and the input has no frequencies of items");
    for (std::size_t j = 0; j < ids.items.size(); ++j) items.shift()[j] = logQ[at(ids.items[j])];
  }
  NegativesSums sums;
  const std::int32_t whole[] = {0, static_cast<std::int32_t>(batch.rows)};
  const std::span<const std::int32_t> groups =
      ofGroups.empty() ? std::span<const std::int32_t>(whole) : ofGroups;
  double extraPowers = 0.0;
  for (std::int64_t j = batch.rows; j < batch.candidateRows; ++j) extraPowers += powerOf(items, j);
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    Group group{groups[g], groups[g + 1], extraPowers, batch.candidateRows - batch.rows};
    for (std::int64_t j = group.begin; batch.inBatch && j < group.end; ++j)
      group.powers += powerOf(items, j);
    if (batch.inBatch) group.met += group.end - group.begin;
    for (std::int64_t b = group.begin; b < group.end; ++b)
      addQuery(group, b, weights ? weights[b] : 1.0f, batch, items, ids, sums);
  }
  items.upload(ofGroups, masks(), corrects(), hasUsers(), batch);
  return sums;
}

void NegativesLossNode::addQuery(const Group& group, std::int64_t query, float weight,
                                 const PpNegativesLoss& batch, const Items& items, const Ids& ids,
                                 NegativesSums& sums) const {
  std::int64_t negatives = group.met, hits = 0;
  double powers = group.powers;
  const auto isMet = [&](std::int64_t j) {
    return j >= batch.rows || (batch.inBatch && j >= group.begin && j < group.end);
  };
  const auto leaveOut = [&](std::int64_t j) {
    --negatives;
    powers -= powerOf(items, j);
  };
  if (batch.inBatch) leaveOut(query);
  for (std::int64_t j = hasUsers() ? items.userRing()[query] : query; j != query;
       j = items.userRing()[j])
    if (isMet(j)) leaveOut(j);
  for (std::int64_t j = masks() ? items.ring()[query] : query; j != query; j = items.ring()[j])
    if (isMet(j) && !ids.isSameUser(query, j)) {
      leaveOut(j);
      ++hits;
    }
  if (corrects()) {
    const float ownLogQ = items.shift()[query];
    const double q = std::exp(static_cast<double>(ownLogQ));
    const bool corrected = loss_.logQ == LogQ::kCorrected && negatives > 0 && q < 1.0;
    items.ownShift()[query] =
        corrected ? static_cast<float>(std::log1p(-q) - std::log(static_cast<double>(negatives)))
                  : ownLogQ;
  }
  sums.masked += hits;
  sums.equalScores += static_cast<double>(weight) *
                      equalScores(negatives, powers, corrects() ? items.ownShift()[query] : 0.0f,
                                  static_cast<double>(batch.ownWeight));
}

/// The loss of a query whose scores are all the same, the least if it depends on their size. NaN if it
/// depends on which negatives are kept.
double NegativesLossNode::equalScores(std::int64_t negatives, double powers, float ownShift,
                                      double ownWeight) const {
  if (negatives <= 0) return 0.0;
  switch (opOf(loss_.kind)) {
    case tensor::NegativesLossOp::kBpr:
      return std::log(2.0);
    case tensor::NegativesLossOp::kBce: {
      const auto met =
          static_cast<double>(std::min(negatives, loss_.hardNegatives.value_or(negatives)));
      const double s = std::clamp(std::log(ownWeight / met), -largestScore(), largestScore());
      return (ownWeight * std::log1p(std::exp(-s)) + met * std::log1p(std::exp(s))) / (met + 1.0);
    }
    case tensor::NegativesLossOp::kCcl:  // 1 − s falls up to the margin, and above it if w < 1
      return std::min(1.0, loss_.negativeWeight) * (1.0 - loss_.margin);
    case tensor::NegativesLossOp::kSoftmax:
      break;
  }
  if (loss_.hardNegatives && *loss_.hardNegatives < negatives) {
    if (corrects()) return std::numeric_limits<double>::quiet_NaN();
    powers = static_cast<double>(*loss_.hardNegatives);
  }
  return std::log1p(powers * std::exp(static_cast<double>(ownShift)));
}

void NegativesLossNode::add(StepSlice& slice, float* dQuery, float* dCandidate) const {
  const std::int64_t rows = slice.rows(), examples = slice.examples();
  PpNegativesLoss batch = lossOf(slice);
  batch.rows = examples;
  batch.candidateRows = rows;
  batch.queries = slice.value(inputs()[0]);
  batch.candidates = slice.value(inputs()[1]);
  batch.weight = slice.weights();
  const bool ofDevice = loss_.negatives == experiment::NegativeScope::kDevice;
  const auto groups = ofDevice ? slice.rankOffsets() : std::span<const std::int32_t>{};
  slice.addNegatives(output(), prepare(slice, {slice.ids(item_), usersOf(slice)}, groups,
                                       slice.hostWeights(), batch));

  float* const dTemperature = beginTemperature(slice);
  if (dTemperature && !dQuery) dQuery = slice.scratch();
  run(slice, batch, slice.scratch() + keptQueries(rows), dQuery, dCandidate);
  if (dQuery)
    tensor::run(slice.launch(),
                PpFill{dQuery + examples * width(), (rows - examples) * width(), 0.0f});
  if (dTemperature) addAlongTemperature(slice, dQuery, batch.queries, examples);
}

float* NegativesLossNode::beginTemperature(StepSlice& slice) const {
  float* const gradient =
      slice.trains() && temperature_ >= 0 ? slice.parameterGradient(temperature_) : nullptr;
  if (gradient) tensor::run(slice.launch(), PpFill{gradient, 1, 0.0f});
  return gradient;
}

Meeting NegativesLossNode::round(StepSlice& slice, Pass pass, int index) const {
  const bool isBackward = pass == Pass::kBackward;
  float* const dQuery = isBackward ? slice.gradient(inputs()[0]) : nullptr;
  float* const dCandidate = isBackward ? slice.gradient(inputs()[1]) : nullptr;
  if (!gathersCandidates(slice)) {
    if (index == 0) addPieces(slice, dQuery, dCandidate);
    return {};
  }
  const Gathered all(slice.scratch(), slice.cut().rows(), width());
  const Items items{slice.staged(), slice.cut().rows()};
  const auto gatherIds = [&](std::int32_t feature, std::int32_t* to) {
    return Meeting{Meeting::Kind::kGather,  slice.ids(feature).data(), to, 1,
                   mesh::ElementType::kI32, mesh::Memory::kHost};
  };
  if (index == 0) return gatherIds(item_, items.ids());
  if (hasUsers() && index == 1) return gatherIds(user_, items.users());
  if (index == 1 + hasUsers())
    return {Meeting::Kind::kGather, slice.value(inputs()[1]), all.candidates, width(),
            mesh::ElementType::kF32};
  if (dCandidate)
    tensor::run(slice.launch(), PpFill{all.gradients, slice.cut().rows() * width(), 0.0f});
  addPieces(slice, dQuery, dCandidate ? all.gradients : nullptr);
  if (!dCandidate) return {};
  return {Meeting::Kind::kScatter, all.gradients, dCandidate, width(), mesh::ElementType::kF32};
}

/// dCandidate: of the rows of the batch where candidates are gathered, else of this space's.
void NegativesLossNode::addPieces(StepSlice& slice, float* dQuery, float* dCandidate) const {
  const BatchCut cut = slice.cut();
  const bool ofDevice = loss_.negatives == experiment::NegativeScope::kDevice;
  const std::int32_t whole[] = {0, static_cast<std::int32_t>(slice.examples())};
  const std::span<const std::int32_t> groups =
      ofDevice ? slice.rankOffsets() : std::span<const std::int32_t>(whole);
  float* const dTemperature = beginTemperature(slice);
  NegativesSums sums;
  const std::int64_t examples = std::clamp(slice.examples(), cut.begin(), cut.end());
  if (dQuery)
    tensor::run(slice.launch(), PpFill{dQuery + (examples - cut.begin()) * width(),
                                       (cut.end() - examples) * width(), 0.0f});
  float* const kept = Gathered(slice.scratch(), cut.rows(), width()).rest;
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    const Piece piece{std::max<std::int64_t>(groups[g], cut.begin()),
                      std::min<std::int64_t>(groups[g + 1], examples), groups[g], groups[g + 1]};
    if (piece.begin >= piece.end) continue;
    const std::int64_t local = (piece.begin - cut.begin()) * width();
    float* const dq = dQuery ? dQuery + local : dTemperature ? kept : nullptr;
    addPiece(slice, piece, dq, dCandidate, sums);
    if (dTemperature)
      addAlongTemperature(slice, dq, slice.value(inputs()[0]) + local, piece.end - piece.begin);
  }
  slice.addNegatives(output(), sums);
}

void NegativesLossNode::addPiece(StepSlice& slice, const Piece& piece, float* dQuery,
                                 float* dCandidate, NegativesSums& sums) const {
  const BatchCut cut = slice.cut();
  const bool gathers = gathersCandidates(slice);
  const Items items{slice.staged(), cut.rows()};
  const Gathered all(slice.scratch(), cut.rows(), width());
  float* const work = all.rest + keptQueries(cut.rows());
  const std::int64_t local = piece.begin - cut.begin(), rows = piece.end - piece.begin;
  // Their own candidates, the others of the group, and the extra ones.
  const Rows parts[] = {{piece.begin, piece.end},
                        {piece.groupBegin, meetsBatch() ? piece.begin : piece.groupBegin},
                        {piece.end, meetsBatch() ? piece.groupEnd : piece.end},
                        {slice.examples(), cut.rows()}};
  std::int64_t count = 0;
  for (const Rows& part : parts) {
    if (gathers) {
      tensor::run(slice.launch(), PpCopyColumns{.rows = part.end - part.begin,
                                                .width = width(),
                                                .in = all.candidates + part.begin * width(),
                                                .strideIn = width(),
                                                .out = all.ofPiece + count * width(),
                                                .strideOut = width()});
      std::copy(items.ids() + part.begin, items.ids() + part.end, items.idsOfPiece() + count);
      if (hasUsers())
        std::copy(items.users() + part.begin, items.users() + part.end,
                  items.usersOfPiece() + count);
    }
    count += part.end - part.begin;
  }
  const float* const weights = slice.weights();
  PpNegativesLoss batch = lossOf(slice);
  batch.rows = rows;
  batch.candidateRows = count;
  batch.queries = slice.value(inputs()[0]) + local * width();
  batch.candidates = gathers ? all.ofPiece : slice.value(inputs()[1]) + local * width();
  batch.weight = weights ? weights + local : nullptr;
  // Extra negatives have no user.
  const std::int64_t ofUsers = count - (cut.rows() - slice.examples());
  const auto first = [](const std::int32_t* from, std::int64_t size) {
    return std::span(from, static_cast<std::size_t>(size));
  };
  Ids ids{first(gathers ? items.idsOfPiece() : slice.ids(item_).data() + local, count), {}};
  if (hasUsers())
    ids.users = first(gathers ? items.usersOfPiece() : slice.ids(user_).data() + local, ofUsers);
  const float* const hostWeights = slice.hostWeights();
  const NegativesSums found =
      prepare(slice, ids, {}, hostWeights ? hostWeights + local : nullptr, batch);
  sums.masked += found.masked;
  sums.equalScores += found.equalScores;
  float* const dPiece = !dCandidate ? nullptr
                        : gathers   ? all.gradientsOfPiece
                                    : dCandidate + local * width();
  run(slice, batch, work, dQuery, dPiece);
  std::int64_t from = 0;
  for (const Rows& part : parts) {
    if (dCandidate && gathers)
      tensor::run(slice.launch(), PpCopyColumns{.rows = part.end - part.begin,
                                                .width = width(),
                                                .in = all.gradientsOfPiece + from * width(),
                                                .strideIn = width(),
                                                .out = dCandidate + part.begin * width(),
                                                .strideOut = width(),
                                                .accumulate = 1});
    from += part.end - part.begin;
  }
}

}  // namespace

Value negativesLoss(Graph& graph, const std::string& name, const experiment::Loss& loss,
                    Value query, Value candidate, const NegativesLossInputs& inputs) {
  return graph.add<NegativesLossNode>(name, loss, query, candidate, inputs);
}

}  // namespace parapet::nn
