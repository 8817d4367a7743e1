// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

// A list may lie across the slices of two ranks: the whole batch at once. Sum and gradient come
// from one pass, as with losses of rows.
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

 private:
  virtual double sum(NodeContext& context, const tensor::ScoredLists& lists, float scale,
                     float* gradient) const = 0;

  void add(NodeContext& context, float* gradient) const {
    const tensor::ScoredLists lists{context.lists(), context.value(inputs()[0]),
                                    context.labels(label_), context.weights(), temperature_};
    const float scale = gradient ? context.lossScale(output()) : 0.0f;
    context.addLoss(output(), sum(context, lists, scale, gradient));
  }

  float temperature_;
  std::int32_t label_;
};

class PairLossNode final : public ListLossNode {
 public:
  template <class... Arguments>
  explicit PairLossNode(tensor::PairLossOp op, Arguments&&... arguments)
      : ListLossNode(std::forward<Arguments>(arguments)...), op_(op) {}

 private:
  double sum(NodeContext& context, const tensor::ScoredLists& lists, float scale,
             float* gradient) const override {
    return tensor::pairLoss(context.launch(), op_, lists, scale, gradient);
  }

  tensor::PairLossOp op_;
};

class ListMleNode final : public ListLossNode {
 public:
  using ListLossNode::ListLossNode;

 private:
  // A loss leaves nothing in its value: the order by label is made there.
  double sum(NodeContext& context, const tensor::ScoredLists& lists, float scale,
             float* gradient) const override {
    static_assert(sizeof(float) == sizeof(std::int32_t));
    auto* order = reinterpret_cast<std::int32_t*>(context.value(output()));
    return tensor::listMle(context.launch(), lists, scale, order, gradient);
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
