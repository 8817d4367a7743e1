// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/experiment/fields.h"
#include "engine/experiment/layer_kind.h"
#include "engine/experiment/renamed_keys.h"

namespace parapet::experiment {

using namespace record;
namespace {

// Products of two widths fit 64 bits with room to spare; whether they fit the memory is checked by
// preflight.
constexpr std::int64_t kMaxWidth = std::int64_t{1} << 24;
// Weights are single precision; larger ones overflow in the first product.
constexpr double kMaxWeight = 1e6;

Codec<double> weightValue() {
  return number({.min = -kMaxWeight, .max = kMaxWeight});
}

}  // namespace

const Record<Initializer>& describe(Type<Initializer>) {
  using Kind = InitializerKind;
  static const auto record =
      Record<Initializer>()
          .selector("kind", &Initializer::kind,
                    choice<Kind>({{"uniform", Kind::kUniform},
                                  {"normal", Kind::kNormal},
                                  {"truncated_normal", Kind::kTruncatedNormal},
                                  {"variance_scaling", Kind::kVarianceScaling},
                                  {"glorot_uniform", Kind::kGlorotUniform},
                                  {"constant", Kind::kConstant},
                                  {"file", Kind::kFile},
                                  {"vectors", Kind::kVectors}}),
                    "Distribution of the initial weights. file: a NumPy array. vectors: pretrained "
                    "embeddings of the data set (tables only).")
          .field("min", &Initializer::min, weightValue(), "Lower end of the uniform distribution.")
          .of({"uniform"})
          .field("max", &Initializer::max, weightValue(), "Upper end of the uniform distribution.")
          .of({"uniform"})
          .field("mean", &Initializer::mean, weightValue(), "Mean of the normal distribution.")
          .of({"normal", "truncated_normal"})
          .field("stddev", &Initializer::stddev, number({.min = 0.0, .max = kMaxWeight}),
                 "Standard deviation of the normal distribution, before truncation at two of them.")
          .of({"normal", "truncated_normal"})
          .field("scale", &Initializer::scale,
                 number({.min = 0.0, .max = kMaxWeight, .minExcluded = true}),
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
          .of({"constant"})
          .field("path", &Initializer::path, text(),
                 "NumPy file (.npy) of f32 elements with the shape of the weights.")
          .of({"file"})
          .field("vectors", &Initializer::vectors, text(),
                 "Entry of dataset.vectors for the table's vocabulary, as wide as the table.")
          .of({"vectors"});
  return record;
}

const Record<WarmStart>& describe(Type<WarmStart>) {
  static const auto record =
      Record<WarmStart>()
          .field("run", &WarmStart::run, text(), "Run: an id, or a unique prefix of one.")
          .required()
          .field("table", &WarmStart::table, optional(pathName()),
                 "Table of that run, as wide as this one. null: the one of the same name.")
          .field("step", &WarmStart::step, optional(integer({.min = 0})),
                 "Step of its checkpoint. null: the newest.");
  return record;
}

const Record<Table>& describe(Type<Table>) {
  static const auto record =
      Record<Table>()
          .field("name", &Table::name, pathName(), "Name of the embedding table.")
          .required()
          .field("vocabulary", &Table::vocabulary, pathName(), "Vocabulary whose rows it embeds.")
          .required()
          .field("embedding_dim", &Table::embeddingDim, integer({.min = 1, .max = kMaxWidth}),
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
                 choice<Placement>({{"auto", Placement::kAuto},
                                    {"replicated", Placement::kReplicated},
                                    {"row", Placement::kRow},
                                    {"row_block", Placement::kRowBlock},
                                    {"column", Placement::kColumn},
                                    {"table", Placement::kTable}}),
                 "Placement on the mesh. auto: planned. replicated: a copy in every memory space. "
                 "row: "
                 "row-wise (modulo), row r on shard r mod S. row_block: row-wise (block). column: "
                 "column-wise. table: table-wise, the whole table on one device.")
          .field("axes", &Table::axes, list(text()),
                 "Mesh axes over which it is sharded; it is replicated over the others. []: all.")
          .field("device", &Table::device, optional(text()),
                 "Its device, with placement \"table\". null: planned.")
          .field("cache_rows", &Table::cacheRows, optional(integer({.min = 1})),
                 "For tables larger than the memory of a GPU: the table lies in the host's memory, "
                 "and each device keeps so many rows of its shard, those that steps used last. "
                 "null: the device has all rows.")
          .field("trainable", &Table::trainable, boolean(), "false: the initial weights stay.")
          .field("warm_start", &Table::warmStart, optional(object<WarmStart>()),
                 "Rows that begin as in a table of another run, matched by raw id; the others have "
                 "the initializer. null: all have it.");
  return record;
}

const Record<History>& describe(Type<History>) {
  // Hardly a combiner tells more items than these apart, and a batch holds all of them.
  constexpr std::int64_t kMaxLength = 1 << 16;
  static const auto record =
      Record<History>()
          .field("length", &History::length, integer({.min = 1, .max = kMaxLength}),
                 "Max. items: the last ones before the example.")
          .field("within_seconds", &History::withinSeconds, optional(integer({.min = 1})),
                 "Only rows of so many seconds before the example. null: however long before.")
          .field("rows", &History::rows,
                 choice<HistoryRows>({{"train", HistoryRows::kTrain}, {"all", HistoryRows::kAll}}),
                 "train: training rows alone, whatever the example is. all: every imported row "
                 "before the example, held-out ones included.")
          .field(
              "order", &History::order, eventOrder(),
              "What comes before an example. time: the user's rows of an earlier time. data: its "
              "rows further up in the data, for data without times.");
  return record;
}

const Record<Feature>& describe(Type<Feature>) {
  static const auto shape = optional(list(integer({.min = 1}), 1));
  static const auto record =
      Record<Feature>()
          .renamed(renamesOf("/features/*"))
          .field("name", &Feature::name, pathName(),
                 "Name of the feature; may be a path, and then features nest by it.")
          .required()
          .field("column", &Feature::column, pathName(), "Column of the data set it reads.")
          .required()
          .field("table", &Feature::table, nameOrNull(),
                 "Embedding table it looks up. null: the column is numeric.")
          .required()
          .field("tower", &Feature::tower,
                 choice<Tower>({{"query", Tower::kQuery}, {"candidate", Tower::kCandidate}}),
                 "The tower that reads it. query: the user and the context. candidate: the item.")
          .field(
              "history", &Feature::history, optional(object<History>()),
              "The items that the user had before the example, combined by the table; the column "
              "is that of the items. null: the column of the example itself.")
          .field(
              "max_length", &Feature::maxLength, optional(integer({.min = 1})),
              "Max. ids of a row; longer rows are truncated, and counted. null: all ids are used.")
          .field(
              "truncation_side", &Feature::truncationSide,
              choice<TruncationSide>(
                  {{"end", TruncationSide::kEnd}, {"start", TruncationSide::kStart}}),
              "Where a longer row is truncated. end: its first ids stay. start: its last ids stay.")
          .field("weighted", &Feature::weighted, boolean(),
                 "Use the weights of the column's ids, if it has any.")
          .field(
              "sequence", &Feature::sequence, boolean(),
              "Keep a row of each id, in their order (of a history the oldest first), for layers "
              "of sequences. false: the table combines them.")
          .field("transform", &Feature::transform,
                 choice<NumericTransform>({{"none", NumericTransform::kNone},
                                           {"log1p", NumericTransform::kLog1p},
                                           {"standardize", NumericTransform::kStandardize},
                                           {"quantile", NumericTransform::kQuantile}}),
                 "Function applied to a numeric column. log1p: sign(x)·log(1 + |x|). standardize: "
                 "(x − mean) / standard deviation. quantile: the share of the rows below. Both are "
                 "fitted to the training rows and kept in the checkpoint.")
          .field("input_shape", &Feature::inputShape, shape,
                 "Checked when given: [global batch], or [global batch, longest row].")
          .field("output_shape", &Feature::outputShape, shape,
                 "Checked when given: [global batch, width].");
  return record;
}

namespace {

std::string layerKindsMeaning() {
  std::string meaning = "Kind of layer.";
  for (const LayerTraits& row : layerTraits())
    meaning += fmt::format(" {}: {}.", row.word, row.purpose);
  return meaning;
}

/// A field belongs to the kinds whose rows name it; "name" and "inputs", which none names, to all.
class LayerRecord : public Record<Layer> {
 public:
  LayerRecord() {
    selector("kind", &Layer::kind, choiceOf(layerTraits()), layerKindsMeaning())
        .defaults([](Layer& layer) {
          if (const auto set = traitsOf(layer.kind).setDefaults) set(layer);
        })
        .field("name", &Layer::name, optional(pathName()),
               "Name by which later layers read it. null: none.")
        .field("inputs", &Layer::inputs, list(pathName()),
               "Features, folders of features and earlier layers that it reads, concatenated. "
               "[]: the previous layer, or for the first one all features.")
        .field("units", &Layer::units, integer({.min = 1, .max = kMaxWidth}),
               "Width of the output; of a transformer_block that between its two dense layers.")
        .field("activation", &Layer::activation,
               choice<Activation>({{"linear", Activation::kLinear},
                                   {"relu", Activation::kRelu},
                                   {"tanh", Activation::kTanh},
                                   {"sigmoid", Activation::kSigmoid},
                                   {"gelu", Activation::kGelu},
                                   {"gelu_tanh", Activation::kGeluTanh},
                                   {"silu", Activation::kSilu}}),
               "Function applied to the product and bias.")
        .field("use_bias", &Layer::useBias, boolean(), "Add a bias before the activation.")
        .field("initializer", &Layer::initializer, object<Initializer>(),
               "Initial weights of the kernels; biases start at 0.")
        .field("projection_dim", &Layer::projectionDim,
               optional(integer({.min = 1, .max = kMaxWidth})),
               "Rank of the kernel: a product of two narrow ones. null: a full kernel.")
        .field("diag_scale", &Layer::diagScale, number({.min = 0.0}),
               "Added to the diagonal of the kernel.")
        .field("x0", &Layer::x0, optional(pathName()),
               "The value to cross with. null: the input of the first of consecutive crosses.")
        .field("gate_input", &Layer::gateInput, optional(pathName()),
               "The value whose product with the kernel gives a logit of each input; the weights "
               "are the softmax of the logits. null: the inputs, concatenated.")
        .field("self_interaction", &Layer::selfInteraction, boolean(),
               "Include the product of each input with itself.")
        .field("rate", &Layer::rate, number({.min = 0.0, .max = 1.0, .maxExcluded = true}),
               "Share of the numbers that are dropped in training. attention: of its "
               "probabilities. transformer_block: of those, and of what is added to its input.")
        .field("momentum", &Layer::momentum, number({.min = 0.0, .max = 1.0}),
               "Share of the moving statistics that a step keeps.")
        .field("epsilon", &Layer::epsilon, number({.min = 0.0, .minExcluded = true}),
               "Added to the variance.")
        .field("max_length", &Layer::maxLength, optional(integer({.min = 1, .max = kMaxWidth})),
               "Positions that have a row. null: as many as the sequence may have.")
        .field(
            "count_from", &Layer::countFrom,
            choice<CountFrom>({{"start", CountFrom::kStart}, {"end", CountFrom::kEnd}}),
            "Position that has the first row. start: the oldest. end: so that the newest has the "
            "last one, as where shorter sequences are padded before.")
        .field("heads", &Layer::heads, integer({.min = 1, .max = kMaxWidth}),
               "Heads of the attention; they divide the width of the input.")
        .field("causal", &Layer::causal, boolean(),
               "A position reads itself and those before it. false: all of its sequence.")
        .field("norm", &Layer::norm,
               choice<NormOrder>({{"pre", NormOrder::kPre}, {"post", NormOrder::kPost}}),
               "Where its norms are. pre: before the attention and before the dense layers. post: "
               "after each has been added to its input.")
        .field("glu", &Layer::glu, boolean(),
               "true: the first dense layer is multiplied by a second, linear one of its input "
               "(SwiGLU with the activation silu).")
        .field("gated_residual", &Layer::gatedResidual, boolean(),
               "true: what the attention and the dense layers add to their input x is multiplied "
               "by sigmoid(x·W + b) first (LiGR).")
        .field("by", &Layer::by,
               choice<PoolKind>({{"mean", PoolKind::kMean},
                                 {"sum", PoolKind::kSum},
                                 {"last", PoolKind::kLast},
                                 {"attention", PoolKind::kAttention}}),
               "How the positions become one row. attention: weighted by a softmax of their "
               "products with a trained vector, or with a second input of the example.")
        .field("trainable", &Layer::trainable, boolean(),
               "false: the initial weights stay. A batch_norm goes on with the statistics of its "
               "batches.");
    for (Field& field : fields_)
      for (const LayerTraits& row : layerTraits())
        if (row.has(field.key)) field.kinds.emplace_back(row.word);
  }
};

}  // namespace

const Record<Layer>& describe(Type<Layer>) {
  static const LayerRecord record;
  return record;
}

const Record<Head>& describe(Type<Head>) {
  static const auto record =
      Record<Head>()
          .field("name", &Head::name, pathName(), "Name of the head; its metrics carry it.")
          .required()
          .field("inputs", &Head::inputs, list(pathName(), 1),
                 "What it reads, concatenated: \"query\", \"candidate\", features, layers.")
          .required()
          .field("layers", &Head::layers, list(object<Layer>(), 1),
                 "Layers of the head; the last one is 1 wide.")
          .required()
          .field("loss", &Head::loss, object<Loss>(), "What the head minimises.")
          .field("label", &Head::label, optional(pathName()),
                 "Numeric column with its labels. null: the label of the data set.");
  return record;
}

const Record<Masking>& describe(Type<Masking>) {
  static const auto record =
      Record<Masking>()
          .field("rate", &Masking::rate,
                 number({.min = 0.0, .max = 1.0, .minExcluded = true, .maxExcluded = true}),
                 "Share of the positions that are selected; special tokens never are.")
          .field("max_selections", &Masking::maxSelections, integer({.min = 1, .max = kMaxWidth}),
                 "Max. selected positions of a sequence.")
          .field("mask", &Masking::mask, number({.min = 0.0, .max = 1.0}),
                 "Share of the selected positions whose token becomes [MASK].")
          .field("random", &Masking::random, number({.min = 0.0, .max = 1.0}),
                 "Share of the selected positions whose token becomes any of the vocabulary; the "
                 "others stay.")
          .field("method", &Masking::method,
                 choice<MaskingMethod>(
                     {{"bernoulli", MaskingMethod::kBernoulli}, {"exact", MaskingMethod::kExact}}),
                 "bernoulli: each position with probability rate. exact: rate of the positions of "
                 "each sequence, rounded, at least one.");
  return record;
}

const Record<Model>& describe(Type<Model>) {
  static const auto record =
      Record<Model>()
          .selector("kind", &Model::kind, choiceOf(kModelTraits),
                    "retrieval: a query tower and a candidate tower. ranking: one network over "
                    "all features. masked_lm: an encoder of texts that predicts masked tokens.")
          .field("query", &Model::query, list(object<Layer>()),
                 "Layers over the concatenated features of the query tower.")
          .of({"retrieval"})
          .field("candidate", &Model::candidate, list(object<Layer>()),
                 "Layers over the concatenated features of the candidate tower.")
          .of({"retrieval"})
          .field("score", &Model::score,
                 choice<Score>({{"dot", Score::kDot}, {"cosine", Score::kCosine}}),
                 "Score of a pair. dot: the dot product of the towers' outputs. cosine: that of "
                 "the outputs divided by their norms.")
          .of({"retrieval"})
          .field(
              "layers", &Model::layers, list(object<Layer>()),
              "ranking: layers over the concatenated features; the last one is 1 wide: the score. "
              "masked_lm: the encoder, over the positions of the tokens.")
          .of({"ranking", "masked_lm"})
          .field(
              "masked_layers", &Model::maskedLayers, list(object<Layer>()),
              "Layers over the masked positions. Their output is multiplied with the table of the "
              "tokens, so it is as wide as that.")
          .of({"masked_lm"})
          .field("heads", &Model::heads, list(object<Head>()),
                 "Further outputs with losses of their own.")
          .of({"retrieval", "ranking"})
          .field("masking", &Model::masking, optional(object<Masking>()),
                 "Of texts: which positions are to be predicted. null: the defaults.")
          .field(
              "weights", &Model::weights, optional(text()),
              "Initial weights: a safetensors file with the tensors of BERT as Hugging Face names "
              "them, or a folder with model.safetensors. A relative path is looked for beside "
              "the data first. null: the initializers.")
          .of({"masked_lm"});
  return record;
}

}  // namespace parapet::experiment
