// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>

#include "engine/base/result.h"
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// A list may lie across the slices of two ranks: the whole batch at once. Sum and gradient come
// from one pass, as with losses of rows. Over several memory spaces each gets the scores of the
// batch and takes the lists that begin among its rows.
class ListLossNode final : public BatchNode {
 public:
  ListLossNode(const Graph& graph, const std::string& name, const experiment::Loss& loss,
               Value prediction, std::int32_t label)
      : BatchNode(graph, name, {prediction}),
        temperature_(static_cast<float>(loss.temperature.initial)),
        label_(label) {
    requireExamples(graph, prediction);
    requireWidth(width(), 1);
    pairs_ = pairsOf(loss.kind);
    addsLoss(loss);
  }

  void forward(StepSlice& slice) const override {
    if (!slice.trains()) add(slice, nullptr);
  }
  void backward(StepSlice& slice) const override { add(slice, slice.gradient(inputs()[0])); }
  std::int64_t flops() const override { return 64; }

  std::int64_t meetingElements(std::int64_t, std::int64_t batchRows) const override {
    return kArrays * batchRows;
  }
  std::int64_t stagedElements(std::int64_t rows, std::int64_t) const override { return rows + 1; }
  int rounds(Pass pass, bool trains) const override {
    return (pass == Pass::kBackward) == trains ? 4 : 0;
  }
  Meeting round(StepSlice& slice, Pass pass, int index) const override;

  std::vector<tensor::OpRequest> ops() const override {
    if (pairs_) return {{PARAPET_OP(pairLoss)}};
    return {{PARAPET_OP(listMle)}};
  }

 private:
  [[nodiscard]] std::optional<tensor::PairLossOp> pairsOf(experiment::LossKind kind) const;
  /// Adds the loss of the lists to that of the step.
  void run(StepSlice& slice, const PpListMle& of) const {
    if (pairs_)
      tensor::run(slice.launch(),
                  PpPairLoss{numberOf(*pairs_), of.lists, of.listCount, of.score, of.label,
                             of.weight, of.temperature, of.gradientScale, of.gradient, of.sum});
    else
      tensor::run(slice.launch(), of);
  }

  // Scores, labels, weights, gradients and a scratch, of the whole batch each.
  static constexpr std::int64_t kArrays = 5;

  void add(StepSlice& slice, float* gradient) const {
    const std::span<const std::int32_t> lists = slice.listsHere();
    // A loss leaves nothing in its value: the order by label is made there.
    run(slice, {.lists = lists.data(),
                .listCount = std::max<std::int64_t>(std::ssize(lists) - 1, 0),
                .score = slice.value(inputs()[0]),
                .label = slice.labels(label_),
                .weight = slice.weights(),
                .temperature = temperature_,
                .gradientScale = gradient ? slice.lossScale(output()) : 0.0f,
                .order = orderIn(slice.value(output())),
                .gradient = gradient,
                .sum = slice.lossSums(output())});
  }
  static std::int32_t* orderIn(float* memory) {
    static_assert(sizeof(float) == sizeof(std::int32_t));
    return reinterpret_cast<std::int32_t*>(memory);
  }

  std::optional<tensor::PairLossOp> pairs_;  ///< else ListMLE
  float temperature_;
  std::int32_t label_;
};

std::optional<tensor::PairLossOp> ListLossNode::pairsOf(experiment::LossKind kind) const {
  switch (kind) {
    case experiment::LossKind::kPairwiseHinge:
      return tensor::PairLossOp::kHinge;
    case experiment::LossKind::kPairwiseLogistic:
      return tensor::PairLossOp::kLogistic;
    case experiment::LossKind::kPairwiseSoftZeroOne:
      return tensor::PairLossOp::kSoftZeroOne;
    case experiment::LossKind::kPairwiseMse:
      return tensor::PairLossOp::kSquared;
    case experiment::LossKind::kListMle:
      return std::nullopt;
    default:
      throw InvalidArgument("[nn.listLoss] " + name() + ": the loss is not listwise");
  }
}

Meeting ListLossNode::round(StepSlice& slice, Pass pass, int index) const {
  const BatchCut cut = slice.cut();
  const std::int64_t rows = cut.rows();
  float* const scores = slice.scratch();
  float *const labels = scores + rows, *const weights = labels + rows,
               *const gradients = weights + rows, *const order = gradients + rows;
  const auto gather = [](const float* in, float* out) {
    return Meeting{Meeting::Kind::kGather, in, out, 1, mesh::ElementType::kF32};
  };
  if (index == 0) return gather(slice.value(inputs()[0]), scores);
  if (index == 1) return gather(slice.labels(label_), labels);
  const bool weighted = slice.weights() != nullptr;
  if (index == 2) return weighted ? gather(slice.weights(), weights) : Meeting{};
  // The lists that begin here, as offsets from the first of them.
  const std::span<const std::int32_t> lists = slice.lists();
  if (lists.empty()) return {};
  const auto first = std::ranges::lower_bound(lists.first(lists.size() - 1), cut.begin());
  const auto last = std::ranges::lower_bound(lists.first(lists.size() - 1), cut.end());
  const std::int64_t from = *first;
  tensor::StagedArray<std::int32_t>& offsets = slice.staged();
  std::int64_t count = 0;
  for (auto list = first; list != last + (first != last ? 1 : 0); ++list)
    offsets.data()[count++] = static_cast<std::int32_t>(*list - from);
  offsets.upload(count);
  const bool wanted = pass == Pass::kBackward && slice.gradient(inputs()[0]);
  tensor::run(slice.launch(), PpFill{gradients, rows, 0.0f});
  run(slice, {.lists = offsets.here(),
              .listCount = std::max<std::int64_t>(count - 1, 0),
              .score = scores + from,
              .label = labels + from,
              .weight = weighted ? weights + from : nullptr,
              .temperature = temperature_,
              .gradientScale = wanted ? slice.lossScale(output()) : 0.0f,
              .order = orderIn(order),
              .gradient = wanted ? gradients + from : nullptr,
              .sum = slice.lossSums(output())});
  if (!wanted) return {};
  return {Meeting::Kind::kScatter, gradients, slice.gradient(inputs()[0]), 1,
          mesh::ElementType::kF32};
}

}  // namespace

Value listLoss(Graph& graph, const std::string& name, const experiment::Loss& loss,
               Value prediction, std::int32_t label) {
  return graph.add<ListLossNode>(name, loss, prediction, label);
}

}  // namespace parapet::nn
