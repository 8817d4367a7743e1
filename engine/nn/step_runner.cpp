// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/mesh/element_sums.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
StepRunner::StepRunner(const Graph& graph, std::span<Parameter> parameters,
                       const mesh::DeviceMesh& mesh, mesh::Communicator& communicator,
                       Workers& workers, const StepTask& task)
    : graph_(graph),
      mesh_(mesh),
      communicator_(communicator),
      workers_(workers),
      task_(task),
      parameters_(parameters),
      spaces_(graph, parameters, mesh, task) {
  if (communicator.ranks() != mesh.ranks())
    throw InvalidArgument(fmt::format("[nn.StepRunner] a communicator of {} ranks; the mesh has {}",
                                      communicator.ranks(), mesh.ranks()));
  const std::size_t count = spaces_.all.size(), everywhere = mesh.spaces().size();
  for (const auto& space : spaces_.all)
    sliceBegins_.push_back(sliceBegins_.back() + space->program.slices());
  features_.resize(graph.lookups().size());
  counts_.losses.resize(graph.losses().size());
  counts_.lossScales.resize(graph.losses().size());
  counts_.rankOffsets.resize(static_cast<std::size_t>(mesh.ranks()) + 1);
  counts_.rowBegins.assign(graph.rowSpaces().size(), std::vector<std::int64_t>(everywhere + 1));
  meetings_.resize(count);
  slices_.reserve(count);
  times_.computeOfRank.resize(static_cast<std::size_t>(mesh.ranks()));
  sums_.resize(count * sumsOfSpace());
  out_.resize(count);
  in_.resize(count);
  elements_.resize(everywhere);
  rowsOfSpaces_.resize((graph.rowSpaces().size() - 1) * everywhere);
  beside_.reserve(lists().prepare.size() + lists().step.size());
  if (const Status connected = connect(); !connected.ok()) broken_ = connected.error();
}

StepRunner::~StepRunner() = default;

// A device that fails outside a rank's nodes is that of the ranks that it is named by.
template <class Pass>
Status StepRunner::guarded(const Pass& pass) {
  if (broken_) return *broken_;
  beside_.clear();
  const auto nameOf = [this](int rank) {
    return fmt::format("rank {} ({})", rank, mesh_.device(rank).name());
  };
  try {
    const Status done = pass();
    if (done) return done;
    broken_ = done.error();
  } catch (const RankFailure& failure) {
    broken_ =
        Error{ErrorCode::kDevice, fmt::format("{}: {}", nameOf(failure.rank()), failure.what())};
  } catch (const tensor::DeviceFailure& failure) {
    const mesh::LocalRange here = mesh_.localRanks();
    int rank = here.first;
    while (rank + 1 < here.end() && mesh_.device(rank).name() != failure.device()) ++rank;
    broken_ = Error{ErrorCode::kDevice, fmt::format("{}: {}", nameOf(rank), failure.what())};
    // Reading back waits for peers, too: the communicator may know which one is lost.
    if (const Status peers = communicator_.barrier(); !peers.ok())
      broken_ = broken_->wrap(peers.error().message);
  }
  communicator_.abort(broken_->message);
  return *broken_;
}

Status StepRunner::forward(const StepBatch& batch) {
  if (task_.purpose != StepPurpose::kForward)
    throw InvalidArgument("[nn.StepRunner] forward() of a task that trains");
  return guarded([&]() -> Status {
    begin(batch, 0, {0, true});
    PARAPET_TRY(prepare(batch));
    PARAPET_TRY(run(lists().step));
    return finish();
  });
}

Status StepRunner::train(const StepBatch& batch, std::int64_t step, const StepBatch* next,
                         const Part& part) {
  if (task_.purpose != StepPurpose::kTrain)
    throw InvalidArgument("[nn.StepRunner] train() of a task that was made for forward()");
  if (step < 1)
    throw InvalidArgument(fmt::format("[nn.StepRunner] step {}; steps count from 1", step));
  if (part.index != partsDone_ || part.index >= task_.batchesPerStep)
    throw InvalidArgument(
        fmt::format("[nn.StepRunner] part {} of a step; part {} of at most {} comes", part.index,
                    partsDone_, task_.batchesPerStep));
  return guarded([&]() -> Status {
    begin(batch, step, part);
    PARAPET_TRY(prepare(batch));
    // Processes prepare alike, however many workers each has: they exchange ids in the same order.
    const bool canPrepare = lists().preparesNext() && (workers_.count() > 1 || mesh_.isDivided());
    next_ = canPrepare && next && next->batch != 0 ? next : nullptr;
    if (next_) requireBatch(*next_);
    if (task_.batchesPerStep > 1) leaveDenominators();
    PARAPET_TRY(run(lists().step));
    if (next_) batchAhead_ = next_->batch;
    if (part.isLast) PARAPET_TRY(run(lists().update));
    return finish();
  });
}

const float* StepRunner::output(Value value) const {
  return spaces_.outputs.empty() ? spaces_.all[0]->value(value, 0)
                                 : spaces_.outputs[at(value)].data();
}

std::span<const float> StepRunner::outputRows(Value value) const {
  const std::int64_t rows = counts_.rowBegins[at(graph_.rowSpace(value))].back();
  return {output(value), static_cast<std::size_t>(rows * graph_.cols(value))};
}

std::vector<const mesh::TableRoutes*> StepRunner::routes() const {
  std::vector<const mesh::TableRoutes*> routes;
  for (const ShardedStack& stack : spaces_.stacks) routes.push_back(&stack.routes());
  return routes;
}

double totalLoss(const Graph& graph, std::span<const LossSums> losses) {
  double total = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < losses.size(); ++i)
    if (losses[i].denominator > 0.0)
      total = (std::isnan(total) ? 0.0 : total) + graph.losses()[i].weight * losses[i].mean();
  return total;
}

// ---- Counts

// Ranks that share a memory are one where memories meet.
Status StepRunner::connect() {
  if (mesh_.spaces().size() == 1) return {};
  std::vector<int> firstRanks;
  for (const mesh::SpaceRanks& space : mesh_.spaces()) firstRanks.push_back(space.firstRank);
  PARAPET_ASSIGN(betweenSpaces_, communicator_.group(firstRanks));
  return {};
}

void StepRunner::requireBatch(const StepBatch& batch) const {
  const auto rows = static_cast<std::size_t>(batch.rows);
  const auto require = [&](bool holds, const char* what, std::size_t found) {
    if (!holds)
      throw InvalidArgument(fmt::format("[nn.StepRunner] {} {} for {} rows", found, what, rows));
  };
  if (batch.rows < 0 || batch.rows > task_.capacityRows)
    throw InvalidArgument(
        fmt::format("[nn.StepRunner] {} rows; the capacity is {}", batch.rows, task_.capacityRows));
  for (std::size_t i = 0; i < graph_.lookups().size(); ++i)
    if (lists().runs[i] && at(graph_.lookups()[i].feature) >= batch.features.size())
      throw InvalidArgument(fmt::format("[nn.StepRunner] {} features; the graph reads feature {}",
                                        batch.features.size(), graph_.lookups()[i].feature));
  const bool readsLabels = std::ranges::any_of(graph_.losses(), &LossSpec::readsLabels);
  const bool needsLabels = (lists().trains() && readsLabels) || !batch.labels.empty();
  require(!needsLabels || batch.labels.size() == rows, "labels", batch.labels.size());
  if (batch.exampleRows() > batch.rows ||
      (batch.exampleRows() < batch.rows && batch.weights.empty()))
    throw InvalidArgument(
        fmt::format("[nn.StepRunner] {} examples in {} rows; extra negatives need weight 0",
                    batch.exampleRows(), batch.rows));
  require(batch.weights.empty() || batch.weights.size() == rows, "weights", batch.weights.size());
  if (batch.positions.empty() && task_.lists.count == 0) return;
  const std::int64_t lists = std::ssize(batch.lists) - 1;
  if (lists < 1 || lists > task_.lists.count || batch.lists.back() != batch.exampleRows() ||
      std::ssize(batch.positions) != batch.exampleRows())
    throw InvalidArgument(
        fmt::format("[nn.StepRunner] {} lists and {} positions of {} examples; the capacity is {} "
                    "lists, and each example has a position",
                    lists, batch.positions.size(), batch.exampleRows(), task_.lists.count));
}

void StepRunner::setDenominator(std::size_t loss, double denominator) {
  counts_.losses[loss].denominator = denominator;
  counts_.lossScales[loss] = denominator > 0.0 ? graph_.losses()[loss].weight / denominator : 0.0;
}

void StepRunner::begin(const StepBatch& batch, std::int64_t step, const Part& part) {
  requireBatch(batch);
  step_ = step;
  part_ = part;
  next_ = nullptr;
  counts_.batch = &batch;
  counts_.randomKey = Random(batch.seed, RandomPurpose::kDropout, static_cast<std::uint64_t>(step))
                          .bits64(static_cast<std::uint64_t>(part.index));
  const auto examples = static_cast<double>(batch.exampleRows());
  double weights = examples;
  if (!batch.weights.empty()) {
    weights = 0.0;
    for (const float weight : batch.weights) weights += static_cast<double>(weight);
  }
  // Extra negatives are one more list, of which nothing counts.
  const double extra = batch.exampleRows() < batch.rows ? 1.0 : 0.0;
  const double lists =
      batch.lists.empty() ? 0.0 : static_cast<double>(batch.lists.size()) - 1.0 - extra;
  for (std::size_t i = 0; i < counts_.losses.size(); ++i) {
    const LossSpec& loss = graph_.losses()[i];
    double denominator = 1.0;
    if (loss.reduction == experiment::Reduction::kWeightedMean) denominator = weights;
    if (loss.reduction == experiment::Reduction::kMean)
      denominator = loss.countsLists ? lists : examples;
    counts_.losses[i] = {};
    setDenominator(i, denominator);
  }
  for (int rank = 0; rank < mesh_.ranks(); ++rank)
    counts_.rankOffsets[at(rank) + 1] = static_cast<std::int32_t>(
        batch.positions.empty()
            ? mesh_.slice(rank, batch.exampleRows()).end
            : std::min(rowsBefore(mesh_, rank + 1, batch), batch.exampleRows()));
  for (const auto& space : spaces_.all) space->begin();
  for (std::size_t space = 0; space < mesh_.spaces().size(); ++space) {
    const mesh::SpaceRanks& ranks = mesh_.spaces()[space];
    counts_.rowBegins[kExamples][space + 1] =
        rowsBefore(mesh_, ranks.firstRank + ranks.ranks, batch);
  }
  secondsOfBatch_ = 0.0;
  times_.collective = times_.update = 0.0;
}

// Unless the last step has done it: then the views of the batch may lie elsewhere now.
Status StepRunner::prepare(const StepBatch& batch) {
  const bool isAhead = batchAhead_ != 0 && batchAhead_ == batch.batch;
  batchAhead_ = 0;
  if (isAhead) {
    for (const auto& space : spaces_.all) {
      space->now = 1 - space->now;
      space->stage().rows.resume(batch);
    }
    for (ShardedStack& stack : spaces_.stacks) stack.use(spaces_.all[0]->now);
  } else {
    const Stopwatch clock;
    PARAPET_TRY(run(lists().prepare));
    PARAPET_TRY(flush());
    if (!spaces_.stacks.empty()) times_.collective += clock.seconds();
  }
  PARAPET_TRY(cutRows());
  for (const auto& space : spaces_.all) {
    space->record(batch.rows == lists().capacity.batchRows);
    space->setDrawKeys(counts_.randomKey);
  }
  return {};
}

// The mean over positions is that of the positions. Of selected ones Keras counts the slots: each
// example has as many as it may select, those that it did not with weight 0.
Status StepRunner::cutRows() {
  auto& begins = counts_.rowBegins;
  const std::size_t kinds = begins.size() - 1;
  for (const auto& space : spaces_.all)
    for (std::size_t rows = 1; rows <= kinds; ++rows)
      rowsOfSpaces_[at(space->index) * kinds + rows - 1] =
          space->rowsOf(static_cast<RowSpace>(rows));
  // How many positions the examples of a space have, its process alone knows.
  if (mesh_.isDivided() && kinds > 0) {
    std::ranges::fill(elements_, static_cast<std::int64_t>(kinds));
    PARAPET_TRY(gatherBlocks(rowsOfSpaces_.data(), mesh::ElementType::kI64));
  }
  for (std::size_t rows = 1; rows <= kinds; ++rows)
    for (std::size_t space = 0; space + 1 < begins[rows].size(); ++space)
      begins[rows][space + 1] = begins[rows][space] + rowsOfSpaces_[space * kinds + rows - 1];
  for (std::size_t i = 0; i < counts_.losses.size(); ++i) {
    const LossSpec& loss = graph_.losses()[i];
    const RowSpace rows = graph_.rowSpace(loss.value);
    counts_.losses[i].rows = static_cast<double>(begins[at(rows)].back());
    if (rows == kExamples || loss.reduction == experiment::Reduction::kSum) continue;
    const RowSpaceSpec& spec = graph_.rowSpaces()[at(rows)];
    const bool countsSlots =
        spec.positionsOf >= 0 && loss.reduction != experiment::Reduction::kWeightedMean;
    setDenominator(i, countsSlots
                          ? static_cast<double>(begins[at(kExamples)].back() * spec.maxPerExample)
                          : counts_.losses[i].rows);
  }
  return {};
}

Status StepRunner::gatherBlocks(void* all, mesh::ElementType type) {
  for (const auto& space : spaces_.all) {
    const auto before = elements_.begin() + space->index;
    in_[space->local] =
        mesh::elementsAt(all, std::accumulate(elements_.begin(), before, std::int64_t{0}), type);
    out_[space->local] = all;
  }
  return betweenSpaces_->allGather(in_, out_, elements_, type, mesh::Memory::kHost);
}

void StepRunner::leaveDenominators() {
  const double denominator = counts_.losses[0].denominator;
  for (double& scale : counts_.lossScales) scale *= denominator;
  const bool isSum = graph_.losses()[0].reduction == experiment::Reduction::kSum;
  denominators_ = isSum ? 1.0 : denominators_ + denominator;
}

Status StepRunner::finish() {
  // Every rank takes part in a node that works on the whole batch.
  std::ranges::fill(times_.computeOfRank, secondsOfBatch_);
  times_.pieces = times_.replayed = 0;
  PARAPET_TRY(run(lists().end));
  for (std::size_t lookup = 0; lookup < features_.size(); ++lookup)
    features_[lookup] = FeatureCounts::of(std::span<const double, FeatureCounts::kNumbers>(
        sums_.data() + flagOfSums() + 1 + lookup * FeatureCounts::kNumbers,
        FeatureCounts::kNumbers));
  for (std::size_t loss = 0; loss < counts_.losses.size(); ++loss) {
    const double* const of = sums_.data() + kSumsOfSpace * loss;
    LossSums& sums = counts_.losses[loss];
    sums.numerator = of[0];
    sums.negatives = {of[2], static_cast<std::int64_t>(of[1])};
    sums.hits = of[3];
  }
  return gatherOutputs();
}

// Each process copies the rows of its spaces, which the others then get from it.
Status StepRunner::gatherOutputs() {
  for (Value value = 0; value < std::ssize(spaces_.outputs); ++value) {
    tensor::Buffer<float>& out = spaces_.outputs[at(value)];
    const std::vector<std::int64_t>& begins = counts_.rowBegins[at(graph_.rowSpace(value))];
    const std::int64_t cols = graph_.cols(value);
    if (out.size() == 0) continue;
    for (const auto& space : spaces_.all) {
      const std::size_t index = at(space->index);
      if (const std::int64_t rows = begins[index + 1] - begins[index]; rows > 0)
        space->copyValue(value, rows * cols, out.data() + begins[index] * cols);
    }
    if (!mesh_.isDivided()) continue;
    for (std::size_t space = 0; space < elements_.size(); ++space)
      elements_[space] = (begins[space + 1] - begins[space]) * cols;
    PARAPET_TRY(gatherBlocks(out.data(), mesh::ElementType::kF32));
  }
  return {};
}

}  // namespace parapet::nn
