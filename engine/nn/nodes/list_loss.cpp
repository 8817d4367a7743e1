// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/result.h"
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

// A list may lie across the slices of two ranks: the whole batch at once. Sum and gradient come
// from one pass, as with losses of rows. Over several memory spaces each gets the scores of the
// batch and takes the lists that begin among its rows.
class ListLossNode : public Node {
 public:
  ListLossNode(std::string name, double temperature, Value prediction, std::int32_t label,
               Value output)
      : Node(std::move(name), {prediction}, output),
        temperature_(static_cast<float>(temperature)),
        label_(label) {}

  void forward(NodeContext& context) const override {
    if (!context.trains()) add(context, nullptr);
  }
  void backward(NodeContext& context) const override {
    add(context, context.gradient(inputs()[0]));
  }
  NodeScope scope() const override { return NodeScope::kBatch; }
  bool isLoss() const override { return true; }

  std::int64_t meetingElements(std::int64_t, std::int64_t batchRows) const override {
    return kArrays * batchRows;
  }
  std::int64_t stagedElements(std::int64_t rows, std::int64_t) const override { return rows + 1; }
  int rounds(const NodeContext& context, Pass pass) const override {
    return (pass == Pass::kBackward) == context.trains() ? 4 : 0;
  }
  Meeting round(NodeContext& context, Pass pass, int index) const override;

 private:
  /// Adds the loss of the lists to that of the step.
  virtual void run(NodeContext& context, const tensor::ScoredLists& lists, float scale,
                   std::int32_t* order, float* gradient) const = 0;

  // Scores, labels, weights, gradients and a scratch, of the whole batch each.
  static constexpr std::int64_t kArrays = 5;

  void add(NodeContext& context, float* gradient) const {
    const tensor::ScoredLists lists{context.listsHere(), context.value(inputs()[0]),
                                    context.labels(label_), context.weights(), temperature_};
    const float scale = gradient ? context.lossScale(output()) : 0.0f;
    // A loss leaves nothing in its value: the order by label is made there.
    run(context, lists, scale, orderIn(context.value(output())), gradient);
  }
  static std::int32_t* orderIn(float* memory) {
    static_assert(sizeof(float) == sizeof(std::int32_t));
    return reinterpret_cast<std::int32_t*>(memory);
  }

  float temperature_;
  std::int32_t label_;
};

Meeting ListLossNode::round(NodeContext& context, Pass pass, int index) const {
  const BatchCut cut = context.cut();
  const std::int64_t rows = cut.rows();
  float* const scores = context.scratch();
  float *const labels = scores + rows, *const weights = labels + rows,
               *const gradients = weights + rows, *const order = gradients + rows;
  const auto gather = [](const float* in, float* out) {
    return Meeting{Meeting::Kind::kGather, in, out, 1, mesh::ElementType::kF32};
  };
  if (index == 0) return gather(context.value(inputs()[0]), scores);
  if (index == 1) return gather(context.labels(label_), labels);
  const bool weighted = context.weights() != nullptr;
  if (index == 2) return weighted ? gather(context.weights(), weights) : Meeting{};
  // The lists that begin here, as offsets from the first of them.
  const std::span<const std::int32_t> lists = context.lists();
  if (lists.empty()) return {};
  const auto first = std::ranges::lower_bound(lists.first(lists.size() - 1), cut.begin());
  const auto last = std::ranges::lower_bound(lists.first(lists.size() - 1), cut.end());
  const std::int64_t from = *first;
  tensor::StagedArray<std::int32_t>& offsets = context.staged();
  std::int64_t count = 0;
  for (auto list = first; list != last + (first != last ? 1 : 0); ++list)
    offsets.data()[count++] = static_cast<std::int32_t>(*list - from);
  offsets.upload(count);
  const bool wanted = pass == Pass::kBackward && context.gradient(inputs()[0]);
  tensor::fill(context.launch(), gradients, rows, 0.0f);
  const tensor::ScoredLists here{{offsets.here(), static_cast<std::size_t>(count)},
                                 scores + from,
                                 labels + from,
                                 weighted ? weights + from : nullptr,
                                 temperature_};
  run(context, here, wanted ? context.lossScale(output()) : 0.0f, orderIn(order),
      wanted ? gradients + from : nullptr);
  if (!wanted) return {};
  return {Meeting::Kind::kScatter, gradients, context.gradient(inputs()[0]), 1,
          mesh::ElementType::kF32};
}

class PairLossNode final : public ListLossNode {
 public:
  template <class... Arguments>
  explicit PairLossNode(tensor::PairLossOp op, Arguments&&... arguments)
      : ListLossNode(std::forward<Arguments>(arguments)...), op_(op) {}

  std::vector<tensor::OpRequest> ops() const override { return {{PARAPET_OP(pairLoss)}}; }

 private:
  void run(NodeContext& context, const tensor::ScoredLists& lists, float scale, std::int32_t*,
           float* gradient) const override {
    tensor::pairLoss(context.launch(), op_, lists, scale, gradient, context.lossSums(output()));
  }

  tensor::PairLossOp op_;
};

class ListMleNode final : public ListLossNode {
 public:
  using ListLossNode::ListLossNode;

  std::vector<tensor::OpRequest> ops() const override { return {{PARAPET_OP(listMle)}}; }

 private:
  void run(NodeContext& context, const tensor::ScoredLists& lists, float scale, std::int32_t* order,
           float* gradient) const override {
    tensor::listMle(context.launch(), lists, scale, order, gradient, context.lossSums(output()));
  }
};

}  // namespace

std::unique_ptr<Node> makeListLoss(std::string name, experiment::LossKind kind, double temperature,
                                   Value prediction, std::int32_t label, Value output) {
  const auto ofPairs = [&](tensor::PairLossOp op) {
    return std::make_unique<PairLossNode>(op, std::move(name), temperature, prediction, label,
                                          output);
  };
  switch (kind) {
    case experiment::LossKind::kPairwiseHinge:
      return ofPairs(tensor::PairLossOp::kHinge);
    case experiment::LossKind::kPairwiseLogistic:
      return ofPairs(tensor::PairLossOp::kLogistic);
    case experiment::LossKind::kPairwiseSoftZeroOne:
      return ofPairs(tensor::PairLossOp::kSoftZeroOne);
    case experiment::LossKind::kPairwiseMse:
      return ofPairs(tensor::PairLossOp::kSquared);
    case experiment::LossKind::kListMle:
      return std::make_unique<ListMleNode>(std::move(name), temperature, prediction, label, output);
    default:
      throw InvalidArgument("[nn.listLoss] " + name + ": the loss is not listwise");
  }
}

}  // namespace parapet::nn
