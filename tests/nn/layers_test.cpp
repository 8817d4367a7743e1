// SPDX-License-Identifier: Apache-2.0
// Layers and bags in graphs: whole gradients against central differences of the step's own loss
// (the ops themselves are held against reference implementations in double precision among the
// conformance cases), and what layers do differently in training and in evaluation.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>
#include <functional>

#include "engine/nn/nodes/nodes.h"
#include "tests/nn/sample_model.h"

using namespace parapet;
using experiment::NumericTransform;
using nn::Graph;
using nn::ParameterIndex;
using nn::Value;

namespace {

constexpr std::int64_t kRows = 10, kTableRows = 9, kDim = 4;
constexpr std::int32_t kBags = 0, kIds = 1, kNumbers = 2, kSelected = 3, kLabels = 4;  // features

/// Rows with a bag of ids, an id, a number, a label and perhaps a weight each.
struct Rows {
  std::vector<std::int32_t> bag, offsets{0}, ids;
  std::vector<std::int32_t> selected, selectedOffsets{0}, selectedLabels;  ///< of the bag
  std::vector<float> bagWeights, numbers, labels;
  std::vector<data::FeatureIds> features;

  Rows() {
    const Random random(3, RandomPurpose::kSampling);
    std::uint64_t index = 0;
    const auto id = [&] { return static_cast<std::int32_t>(random.below(index++, kTableRows)); };
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (std::int64_t value = 0; value < row % 4; ++value) {
        bag.push_back(id());
        bagWeights.push_back(0.5f + random.uniform(index++));
      }
      for (std::int32_t position = offsets.back(); position < std::ssize(bag); position += 2) {
        selected.push_back(position);
        selectedLabels.push_back((position * 5) % static_cast<std::int32_t>(kTableRows));
      }
      selectedOffsets.push_back(static_cast<std::int32_t>(selected.size()));
      offsets.push_back(static_cast<std::int32_t>(bag.size()));
      ids.push_back(id());
      numbers.push_back(10.0f * random.uniform(index++) - 5.0f);
      labels.push_back(random.uniform(index++));
    }
    features = {{.ids = bag, .offsets = offsets, .weights = bagWeights}, {.ids = ids}, {}};
    features[kNumbers].dense = numbers;
    features.push_back({.ids = selected, .offsets = selectedOffsets});
    features.push_back({.ids = selectedLabels, .offsets = selectedOffsets});
  }
  [[nodiscard]] nn::StepBatch input() const {
    nn::StepBatch input{.rows = kRows, .features = features, .labels = labels};
    input.seed = 7;
    return input;
  }
};

/// A graph that grows layer by layer. Weights start large, so that no gradient is lost in rounding.
struct Builder {
  Graph graph;
  double rate;

  ParameterIndex parameter(const std::string& name, std::int64_t rows, std::int64_t cols,
                           bool sparse = false) {
    return graph.addParameter({.name = name,
                               .rows = rows,
                               .cols = cols,
                               .initializer = {.min = -0.8, .max = 0.8},
                               .optimizer = sample::sgd(rate),
                               .sparse = sparse});
  }
  ParameterIndex state(const std::string& name, std::int64_t cols, double start) {
    return graph.addParameter(
        {.name = name,
         .rows = 1,
         .cols = cols,
         .initializer = {.kind = experiment::InitializerKind::kConstant, .value = start},
         .trainable = false,
         .isState = true});
  }
  Value lookup(const std::string& name, ParameterIndex table, std::int32_t feature,
               experiment::Combiner combiner = experiment::Combiner::kMean) {
    return nn::lookup(graph, name,
                      {.table = table, .feature = feature, .output = -1, .combiner = combiner});
  }
  Value dense(const std::string& name, Value x, std::int64_t units,
              tensor::ActivationOp activation = tensor::ActivationOp::kTanh) {
    return nn::dense(
        graph, name, x,
        {parameter(name + "_k", graph.cols(x), units), parameter(name + "_b", 1, units)},
        activation);
  }
  nn::NormParameters norm(const std::string& name, std::int64_t width) {
    return {parameter(name + "_gamma", 1, width), parameter(name + "_beta", 1, width)};
  }
  void score(Value x) {
    const Value prediction = dense("score", x, 1, tensor::ActivationOp::kLinear);
    rowLoss(graph, "loss", {}, prediction);
  }
};

/// One table is read as bags, as single ids and combined in another way.
void bags(Builder& b) {
  const ParameterIndex table = b.parameter("table", kTableRows, kDim, true);
  const Value mean = b.lookup("mean", table, kBags);
  const Value one = b.lookup("one", table, kIds);
  const Value roots = b.lookup("sqrtn", b.parameter("other", kTableRows, kDim, true), kBags,
                               experiment::Combiner::kSqrtn);
  b.score(concat(b.graph, "all", {mean, one, roots, add(b.graph, "sum", {one, mean, roots})}));
}

/// x0 is read by both crosses and by what makes their u; the second one goes through a projection.
void crosses(Builder& b) {
  const Value bag = b.lookup("bag", b.parameter("table", kTableRows, kDim, true), kBags);
  const Value number = numeric(b.graph, "number", kNumbers, NumericTransform::kLog1p);
  const Value x0 = concat(b.graph, "x0", {bag, number});
  const std::int64_t width = b.graph.cols(x0);
  const Value x1 = cross(b.graph, "cross1", x0, x0, b.dense("u1", x0, width), 0.5);
  const Value low = matmul(b.graph, "low", x1, b.parameter("low_k", width, 2));
  const Value x2 = cross(b.graph, "cross2", x0, x1, b.dense("u2", low, width), 0.25);
  b.score(concat(b.graph, "deep and cross", {x2, b.dense("deep", x0, 3), x1}));
}

/// The parts are read by two interactions and directly.
void interactions(Builder& b) {
  const ParameterIndex table = b.parameter("table", kTableRows, kDim, true);
  const Value number = numeric(b.graph, "number", kNumbers, NumericTransform::kLog1p);
  const std::vector<Value> parts{b.lookup("bag", table, kBags, experiment::Combiner::kSum),
                                 b.lookup("one", table, kIds), b.dense("bottom", number, kDim)};
  b.score(concat(
      b.graph, "top",
      {dotInteraction(b.graph, "pairs", parts, tensor::SelfInteraction::kNo), parts[2],
       dotInteraction(b.graph, "with self", parts, tensor::SelfInteraction::kYes), parts[0]}));
}

/// Products and mixtures of values that others read, too; logits of the parts and of another value.
void gates(Builder& b) {
  const ParameterIndex table = b.parameter("table", kTableRows, kDim, true);
  const Value bag = b.lookup("bag", table, kBags), one = b.lookup("one", table, kIds);
  const Value product = multiply(b.graph, "product", bag, one);
  const std::vector<Value> parts{one, product, b.dense("expert", bag, kDim)};
  const Value side = concat(b.graph, "side", parts);
  const Value own = mixture(b.graph, "own", parts,
                            matmul(b.graph, "own logits", side, b.parameter("own_k", 3 * kDim, 3)));
  const Value other = mixture(b.graph, "other", {product, own},
                              matmul(b.graph, "logits", bag, b.parameter("other_k", kDim, 2)));
  const Value alone = mixture(b.graph, "alone", {own}, dot(b.graph, "one logit", bag, one));
  b.score(concat(b.graph, "top", {other, multiply(b.graph, "again", own, other), alone}));
}

/// Norms on either side of a layer that is skipped, and dropout.
void norms(Builder& b) {
  const Value one = b.lookup("one", b.parameter("table", kTableRows, kDim, true), kIds);
  const Value first = b.dense("first", one, 6);
  const Value rows = layerNorm(b.graph, "layer_norm", first, b.norm("layer_norm", 6), 1e-2);
  const Value sum = add(b.graph, "skip", {b.dense("second", rows, 6), rows});
  nn::NormParameters batch = b.norm("batch_norm", 6);
  batch.mean = b.state("moving_mean", 6, 0.0);
  batch.variance = b.state("moving_variance", 6, 1.0);
  const Value normal = batchNorm(b.graph, "batch_norm", sum, batch, 0.75, 1e-2);
  b.score(concat(b.graph, "kept", {dropout(b.graph, "drop", normal, 0.4), first}));
}

Value sequenceOf(Builder& b) {
  return lookup(b.graph, "sequence",
                {.table = b.parameter("table", kTableRows, kDim, true),
                 .feature = kBags,
                 .output = -1,
                 .maxLength = 3,
                 .sequence = true});
}

/// A table is read as a sequence and as single ids; what is read twice is over positions.
void positions(Builder& b) {
  const Value sequence = sequenceOf(b);
  const Value one = b.lookup("one", 0, kIds);
  const Value placed = position(b.graph, "position", sequence, b.parameter("rows", 3, kDim));
  const Value wide = concat(b.graph, "wide", {placed, b.dense("hidden", placed, 3)});
  const Value kept = dropout(b.graph, "drop", wide, 0.3);
  b.score(concat(b.graph, "all",
                 {pool(b.graph, "last", placed, tensor::PoolOp::kLast),
                  pool(b.graph, "mean", kept, tensor::PoolOp::kMean),
                  pool(b.graph, "sum", wide, tensor::PoolOp::kSum), one}));
}

/// Two attentions, one of them causal, with dropped probabilities.
void attentions(Builder& b) {
  const Value x = sequenceOf(b);
  const Value qkv = b.dense("qkv", x, 3 * kDim, tensor::ActivationOp::kLinear);
  const Value all = attention(b.graph, "all", qkv, {.heads = 2});
  const Value sum = add(b.graph, "add", {x, all});
  const Value norm = layerNorm(b.graph, "norm", sum, b.norm("norm", kDim), 1e-2);
  const Value again = b.dense("again", norm, 3 * kDim, tensor::ActivationOp::kLinear);
  const Value before =
      attention(b.graph, "before", again, {.heads = 4, .causal = true, .rate = 0.2});
  b.score(concat(b.graph, "top",
                 {pool(b.graph, "last", before, tensor::PoolOp::kLast),
                  pool(b.graph, "mean", norm, tensor::PoolOp::kMean)}));
}

/// Positions weighted by a trained vector, and by a value of the example, which is read besides.
void weightedPools(Builder& b) {
  const Value x = sequenceOf(b);
  const Value one = b.lookup("one", b.parameter("other", kTableRows, kDim, true), kIds);
  const Value scores = matmul(b.graph, "scores", x, b.parameter("query", kDim, 1));
  const Value matches = dot(b.graph, "matches", x, spread(b.graph, "spread", one, x));
  b.score(concat(b.graph, "top",
                 {weightedPool(b.graph, "by vector", x, scores),
                  weightedPool(b.graph, "by example", x, matches), one}));
}

/// A kernel and a bias that three layers read.
void sharedKernels(Builder& b) {
  const Value one = b.lookup("one", b.parameter("table", kTableRows, kDim, true), kIds);
  const ParameterIndex kernel = b.parameter("kernel", kDim, kDim),
                       bias = b.parameter("bias", 1, kDim);
  Value x = one;
  for (const char* name : {"first", "second", "third"})
    x = biasActivation(b.graph, std::string(name) + "_act", matmul(b.graph, name, x, kernel), bias,
                       tensor::ActivationOp::kTanh);
  b.score(concat(b.graph, "top", {x, one}));
}

/// Every activation, with and without a bias; layers whose input others read, and one that is not
/// trained between those that are.
void denseLayers(Builder& b) {
  using enum tensor::ActivationOp;
  const Value one = b.lookup("one", b.parameter("table", kTableRows, kDim, true), kIds);
  std::vector<Value> outputs{one};
  for (const auto activation : {kLinear, kTanh, kSigmoid, kGelu, kGeluTanh, kSilu}) {
    const std::string name = std::to_string(outputs.size());
    outputs.push_back(b.dense(name, outputs.back(), kDim, activation));
    outputs.push_back(dense(b.graph, name + " without bias", one,
                            {b.parameter(name + "_alone", kDim, kDim)}, activation));
  }
  b.score(concat(b.graph, "top", outputs));
}

/// The nodes of a layer: one, or a product and an activation.
enum class Nodes { kOne, kTwo };
template <Nodes kNodes>
void stackOfLayers(Builder& b) {
  using enum tensor::ActivationOp;
  const Value one = b.lookup("one", b.parameter("table", kTableRows, kDim, true), kIds);
  Value x = one, sum = one;
  for (const auto activation : {kLinear, kRelu, kTanh, kSigmoid}) {
    const std::string name = std::to_string(static_cast<int>(activation));
    const ParameterIndex kernel = b.parameter(name + "_k", kDim, kDim),
                         bias = b.parameter(name + "_b", 1, kDim);
    if constexpr (kNodes == Nodes::kOne)
      x = dense(b.graph, name, x, {kernel, bias}, activation);
    else
      x = biasActivation(b.graph, name + "/activation",
                         matmul(b.graph, name + "/matmul", x, kernel), bias, activation);
    sum = add(b.graph, name + "/sum", {sum, x});
  }
  b.score(sum);
}

/// A table that is looked up as a sequence and as single ids, and classifies the positions.
void tiedTable(Builder& b) {
  const Value x = sequenceOf(b);
  const Value one = b.lookup("one", 0, kIds);
  const Value near = add(b.graph, "near", {x, spread(b.graph, "spread", one, x)});
  tableLoss(b.graph, "loss", {}, b.dense("hidden", near, kDim),
            {.table = 0, .bias = b.parameter("bias", kTableRows, 1), .labels = kBags});
}

/// Some positions of a sequence are classified by its table.
void maskedPositions(Builder& b) {
  const Value encoded = b.dense("encoded", sequenceOf(b), kDim);
  const Value selected = selectPositions(b.graph, "selected", encoded, kSelected, 2);
  tableLoss(b.graph, "masked", {}, b.dense("hidden", selected, kDim),
            {.table = 0, .bias = b.parameter("bias", kTableRows, 1), .labels = kLabels});
}

struct Model {
  const char* name;
  void (*build)(Builder&);
};
constexpr Model kModels[] = {{"bags", bags},
                             {"crosses", crosses},
                             {"interactions", interactions},
                             {"gates", gates},
                             {"norms", norms},
                             {"positions", positions},
                             {"attentions", attentions},
                             {"weighted pools", weightedPools},
                             {"shared kernels", sharedKernels},
                             {"dense layers", denseLayers},
                             {"tied table", tiedTable},
                             {"masked positions", maskedPositions}};

/// A graph with its loss as the last one, ready to be trained.
struct Trained {
  Rows rows;
  sample::Trainer trainer;

  Trained(const std::function<void(Builder&)>& build, double rate, int ranks)
      : trainer(modelOf(build, rate), ranks, 1, kRows + 3, {4, 1, 1, 2, 2}) {}

  static nn::Model modelOf(const std::function<void(Builder&)>& build, double rate) {
    Builder builder{{}, rate};
    build(builder);
    nn::Model model;
    model.graph = std::move(builder.graph);
    model.heads.emplace_back().lossValue = model.graph.losses().back().value;
    return model;
  }
  double step() {
    if (!trainer.plan.train(rows.input(), 1).ok()) throw InternalError("the step failed");
    return nn::totalLoss(trainer.model.graph, trainer.plan.losses());
  }
  [[nodiscard]] std::span<float> weight(std::size_t parameter) {
    return trainer.parameters[parameter].whole().weight.host();
  }
};

}  // namespace

class LayersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void gradientsAgreeWithCentralDifferences_data() {
    QTest::addColumn<int>("model");
    QTest::addColumn<int>("ranks");
    for (int model = 0; model < static_cast<int>(std::size(kModels)); ++model)
      for (const int ranks : {1, 3})
        QTest::addRow("%s, %d ranks", kModels[model].name, ranks) << model << ranks;
  }
  // With rate 1 a step takes the gradient off the weights; with rate 0 it tells the loss, of the
  // same batch statistics and the same dropped elements.
  void gradientsAgreeWithCentralDifferences() {
    QFETCH(int, model);
    QFETCH(int, ranks);
    Trained moved(kModels[model].build, 1.0, ranks), still(kModels[model].build, 0.0, ranks);
    const auto before = moved.trainer.weights();
    QVERIFY(moved.step() == still.step());
    const auto after = moved.trainer.weights();
    constexpr float kStep = 0x1p-6f;
    for (std::size_t p = 0; p < before.size(); ++p) {
      if (!moved.trainer.parameters[p].spec.trainable) continue;
      double largest = 0.0, error = 0.0;
      for (std::size_t i = 0; i < before[p].size(); ++i) {
        float& weight = still.weight(p)[i];
        weight = before[p][i] + kStep;
        const double above = still.step();
        weight = before[p][i] - kStep;
        const double below = still.step();
        weight = before[p][i];
        const double expected = (above - below) / (2.0 * static_cast<double>(kStep));
        const double found = static_cast<double>(before[p][i]) - static_cast<double>(after[p][i]);
        largest = std::max(largest, std::abs(expected));
        error = std::max(error, std::abs(found - expected));
      }
      const std::string message = fmt::format(
          "{}: off by {} of {}", moved.trainer.model.graph.parameters()[p].name, error, largest);
      QVERIFY2(largest > 1e-3, message.c_str());  // or the comparison would say nothing
      // f32 losses over 2⁻⁵ are good to about 1e-5; third derivatives cost the rest.
      QVERIFY2(error <= 5e-3 * largest + 3e-5, message.c_str());
    }
  }

  // Not a bit is another, in the weights of any step: kinks and sums are those of two ops.
  void aDenseLayerTrainsAsItsProductAndActivation() {
    Trained one(stackOfLayers<Nodes::kOne>, 0.25, 2), two(stackOfLayers<Nodes::kTwo>, 0.25, 2);
    QVERIFY(one.trainer.model.graph.nodes().size() < two.trainer.model.graph.nodes().size());
    for (int step = 0; step < 5; ++step) {
      QVERIFY(one.step() == two.step());
      QCOMPARE(one.trainer.weights(), two.trainer.weights());
    }
  }

  // Norms over the batch and dropped elements belong to the global batch, not to a rank's rows.
  void ranksSeeTheSameBatch() {
    Trained one(norms, 0.0, 1), three(norms, 0.0, 3);
    const double loss = one.step();
    QVERIFY(std::abs(three.step() - loss) <= 1e-6 * loss);
    for (std::size_t p = 0; p < one.trainer.parameters.size(); ++p)
      for (std::size_t i = 0; i < one.weight(p).size(); ++i)
        QVERIFY(std::abs(one.weight(p)[i] - three.weight(p)[i]) <= 1e-6f);
  }

  void dropoutDropsInTrainingOnly() {
    Value kept = -1;
    const auto build = [&kept](Builder& b) {
      const Value number = numeric(b.graph, "number", kNumbers, NumericTransform::kNone);
      kept = dropout(b.graph, "drop", number, 0.5);
      b.score(b.dense("hidden", kept, 2));
    };
    Trained trained(build, 0.0, 2);
    sample::Trainer& t = trained.trainer;
    nn::StepRunner forward(t.model.graph, t.parameters, t.mesh, *t.communicator, t.workers,
                           {.targets = {kept}, .capacityRows = kRows});
    QVERIFY(forward.forward(trained.rows.input()).ok());
    const float* out = forward.output(kept);
    for (std::size_t row = 0; row < kRows; ++row) QCOMPARE(out[row], trained.rows.numbers[row]);

    nn::StepRunner train(t.model.graph, t.parameters, t.mesh, *t.communicator, t.workers,
                         {.targets = {t.model.heads[0].lossValue, kept},
                          .capacityRows = kRows,
                          .purpose = nn::StepPurpose::kTrain});
    const auto masksOf = [&](std::uint64_t seed) {
      nn::StepBatch input = trained.rows.input();
      input.seed = seed;
      std::vector<bool> mask;
      if (!train.train(input, 1).ok()) return mask;
      for (std::size_t row = 0; row < kRows; ++row) {
        const float y = train.output(kept)[row];
        mask.push_back(y == 0.0f);
        if (y != 0.0f && y != 2.0f * trained.rows.numbers[row]) mask.clear();
      }
      return mask;
    };
    const auto first = masksOf(1);
    QCOMPARE(first.size(), static_cast<std::size_t>(kRows));
    QVERIFY(std::count(first.begin(), first.end(), true) > 0);
    QVERIFY(std::count(first.begin(), first.end(), false) > 0);
    QVERIFY(masksOf(1) == first);
    QVERIFY(masksOf(2) != first);
  }

  // Everything is known in closed form for a single column.
  void batchNormMovesItsStatisticsAndEvaluatesWithThem() {
    Value normal = -1;
    nn::NormParameters norm{-1, -1};
    const auto build = [&](Builder& b) {
      const Value number = numeric(b.graph, "number", kNumbers, NumericTransform::kNone);
      norm = b.norm("norm", 1);
      norm.mean = b.state("mean", 1, 0.5);
      norm.variance = b.state("variance", 1, 2.0);
      normal = batchNorm(b.graph, "norm", number, norm, 0.75, 1e-3);
      b.score(normal);
    };
    Trained trained(build, 0.0, 2);
    trained.step();
    double mean = 0.0, variance = 0.0;
    for (const float x : trained.rows.numbers) mean += static_cast<double>(x) / kRows;
    for (const float x : trained.rows.numbers)
      variance += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean) / kRows;
    const auto at = [&](ParameterIndex index) {
      return static_cast<double>(trained.weight(static_cast<std::size_t>(index))[0]);
    };
    QVERIFY(std::abs(at(norm.mean) - (0.75 * 0.5 + 0.25 * mean)) <= 1e-6);
    QVERIFY(std::abs(at(norm.variance) - (0.75 * 2.0 + 0.25 * variance)) <= 1e-5);

    sample::Trainer& t = trained.trainer;
    const double movedMean = at(norm.mean), movedVariance = at(norm.variance);
    nn::StepRunner forward(t.model.graph, t.parameters, t.mesh, *t.communicator, t.workers,
                           {.targets = {normal}, .capacityRows = kRows});
    QVERIFY(forward.forward(trained.rows.input()).ok());
    for (std::size_t row = 0; row < kRows; ++row) {
      const double expected = at(norm.gamma) *
                                  (static_cast<double>(trained.rows.numbers[row]) - movedMean) /
                                  std::sqrt(movedVariance + 1e-3) +
                              at(norm.beta);
      QVERIFY(std::abs(static_cast<double>(forward.output(normal)[row]) - expected) <= 1e-5);
    }
    QCOMPARE(at(norm.mean), movedMean);
    QCOMPARE(at(norm.variance), movedVariance);
  }

  void interactionsOfTooManyPartsAreRefused() {
    Builder b{{}, 0.0};
    std::vector<Value> parts;
    for (int part = 0; part < 513; ++part)
      parts.push_back(
          numeric(b.graph, fmt::format("number {}", part), kNumbers, NumericTransform::kNone));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument,
                             dotInteraction(b.graph, "pairs", parts, tensor::SelfInteraction::kNo));
    const Value logits = b.dense("logits", concat(b.graph, "side", parts), 513);
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, mixture(b.graph, "mixture", parts, logits));
  }

  void productsAndMixturesNeedFittingWidths() {
    Builder b{{}, 0.0};
    const Value number = numeric(b.graph, "number", kNumbers, NumericTransform::kNone);
    const Value two = b.dense("two", number, 2), three = b.dense("three", number, 3);
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, multiply(b.graph, "product", two, three));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, mixture(b.graph, "parts", {two, three}, two));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, mixture(b.graph, "logits", {two, two}, three));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, mixture(b.graph, "none", {}, two));
  }

  // A gate whose kernel is 0 weighs all parts alike.
  void aMixtureOfEqualLogitsIsTheMean() {
    Builder b{{}, 0.0};
    const Value x = numeric(b.graph, "x", kNumbers, NumericTransform::kNone);
    const Value y = numeric(b.graph, "y", kNumbers, NumericTransform::kLog1p);
    const ParameterIndex kernel = b.graph.addParameter(
        {.name = "kernel",
         .rows = 1,
         .cols = 2,
         .initializer = {.kind = experiment::InitializerKind::kConstant, .value = 0.0},
         .optimizer = sample::sgd(0.0)});
    const Value mixed = mixture(b.graph, "mixed", {x, y}, matmul(b.graph, "logits", x, kernel));
    b.score(mixed);
    nn::Model model;
    model.graph = std::move(b.graph);
    model.heads.emplace_back().lossValue = model.graph.losses().back().value;
    sample::Trainer trainer(std::move(model), 1, 1, kRows);
    nn::StepRunner forward(trainer.model.graph, trainer.parameters, trainer.mesh,
                           *trainer.communicator, trainer.workers,
                           {.targets = {mixed}, .capacityRows = kRows});
    const Rows rows;
    QVERIFY(forward.forward(rows.input()).ok());
    for (std::size_t row = 0; row < kRows; ++row) {
      const double number = static_cast<double>(rows.numbers[row]);
      const double mean = 0.5 * (number + std::copysign(std::log1p(std::abs(number)), number));
      QVERIFY(std::abs(static_cast<double>(forward.output(mixed)[row]) - mean) <=
              1e-6 * (1.0 + std::abs(mean)));
    }
  }
};

QTEST_GUILESS_MAIN(LayersTest)
#include "layers_test.moc"
