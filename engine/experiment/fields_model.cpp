// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"

namespace parapet::experiment {
namespace {

// Widths beyond this are typing errors: one row of a table would exceed 256 KiB.
constexpr std::int64_t kWidest = 16777216;  // wider than any model; memory is preflight's concern
// Weights are single precision; larger ones overflow in the first product.
constexpr double kLargestWeight = 1e6;

Codec<double> weightValue() {
  return number({.min = -kLargestWeight, .max = kLargestWeight});
}

}  // namespace

template <>
const Record<Initializer>& recordOf<Initializer>() {
  using Kind = InitializerKind;
  static const auto record =
      Record<Initializer>()
          .selector("kind", &Initializer::kind,
                    choice<Kind>({{"uniform", Kind::kUniform},
                                  {"normal", Kind::kNormal},
                                  {"truncated_normal", Kind::kTruncatedNormal},
                                  {"variance_scaling", Kind::kVarianceScaling},
                                  {"glorot_uniform", Kind::kGlorotUniform},
                                  {"constant", Kind::kConstant}}),
                    "Distribution of the initial weights.")
          .field("min", &Initializer::min, weightValue(), "Lower end of the uniform distribution.")
          .of({"uniform"})
          .field("max", &Initializer::max, weightValue(), "Upper end of the uniform distribution.")
          .of({"uniform"})
          .field("mean", &Initializer::mean, weightValue(), "Mean of the normal distribution.")
          .of({"normal", "truncated_normal"})
          .field("stddev", &Initializer::stddev, number({.min = 0.0, .max = kLargestWeight}),
                 "Standard deviation of the normal distribution, before it is cut at two of them.")
          .of({"normal", "truncated_normal"})
          .field("scale", &Initializer::scale,
                 number({.min = 0.0, .max = kLargestWeight, .minExcluded = true}),
                 "The variance is scale over the fan.")
          .of({"variance_scaling"})
          .field("mode", &Initializer::mode,
                 choice<VarianceMode>({{"fan_in", VarianceMode::kFanIn},
                                       {"fan_out", VarianceMode::kFanOut},
                                       {"fan_avg", VarianceMode::kFanAverage}}),
                 "Which fan scales the variance: inputs, outputs, or their mean.")
          .of({"variance_scaling"})
          .field("distribution", &Initializer::distribution,
                 choice<VarianceDistribution>(
                     {{"truncated_normal", VarianceDistribution::kTruncatedNormal},
                      {"normal", VarianceDistribution::kNormal},
                      {"uniform", VarianceDistribution::kUniform}}),
                 "Shape of the distribution.")
          .of({"variance_scaling"})
          .field("value", &Initializer::value, weightValue(), "The value of every weight.")
          .of({"constant"});
  return record;
}

template <>
const Record<Table>& recordOf<Table>() {
  static const auto record =
      Record<Table>()
          .field("name", &Table::name, pathName(), "Name of the embedding table.")
          .required()
          .field("vocabulary", &Table::vocabulary, pathName(), "Vocabulary whose rows it has.")
          .required()
          .field("embedding_dim", &Table::embeddingDim, integer({.min = 1, .max = kWidest}),
                 "Width of an embedding.")
          .field("initializer", &Table::initializer, object<Initializer>(), "Initial weights.")
          .field("optimizer", &Table::optimizer, optional(object<Optimizer>()),
                 "Optimizer of this table. null: that of the experiment.")
          .field("combiner", &Table::combiner,
                 choice<Combiner>({{"mean", Combiner::kMean},
                                   {"sum", Combiner::kSum},
                                   {"sqrtn", Combiner::kSqrtn}}),
                 "How the embeddings of several ids become one.")
          .field("placement", &Table::placement,
                 choice<Placement>(
                     {{"auto", Placement::kAuto}, {"replicated", Placement::kReplicated}}),
                 "How the table lies on the mesh. replicated: whole in every memory space.")
          .field("trainable", &Table::trainable, boolean(), "false: the initial weights stay.");
  return record;
}

template <>
const Record<Feature>& recordOf<Feature>() {
  static const auto record =
      Record<Feature>()
          .field("name", &Feature::name, pathName(), "Name of the feature; may be a path.")
          .required()
          .field("column", &Feature::column, pathName(), "Column of the data set it reads.")
          .required()
          .field("table", &Feature::table, pathName(), "Embedding table it looks up.")
          .required()
          .field("tower", &Feature::tower,
                 choice<Tower>({{"query", Tower::kQuery}, {"candidate", Tower::kCandidate}}),
                 "Tower that it enters.");
  return record;
}

template <>
const Record<Layer>& recordOf<Layer>() {
  static const auto record =
      Record<Layer>()
          .selector("kind", &Layer::kind, word({"dense"}), "Kind of layer.")
          .field("units", &Layer::units, integer({.min = 1, .max = kWidest}),
                 "Width of the output.")
          .field("activation", &Layer::activation,
                 choice<Activation>({{"linear", Activation::kLinear},
                                     {"relu", Activation::kRelu},
                                     {"tanh", Activation::kTanh},
                                     {"sigmoid", Activation::kSigmoid},
                                     {"gelu", Activation::kGelu}}),
                 "Function applied to the output.")
          .field("use_bias", &Layer::useBias, boolean(), "Add a bias before the activation.")
          .field("initializer", &Layer::initializer, object<Initializer>(),
                 "Initial weights of the kernel; the bias starts at 0.");
  return record;
}

template <>
const Record<Model>& recordOf<Model>() {
  static const auto record =
      Record<Model>()
          .selector("kind", &Model::kind, word({"retrieval"}),
                    "retrieval: a query tower and a candidate tower.")
          .field("query", &Model::query, list(object<Layer>()),
                 "Layers over the concatenated features of the query tower.")
          .field("candidate", &Model::candidate, list(object<Layer>()),
                 "Layers over the concatenated features of the candidate tower.")
          .field("score", &Model::score, word({"dot"}),
                 "Score of a pair. dot: the dot product of the towers' outputs.");
  return record;
}

}  // namespace parapet::experiment
