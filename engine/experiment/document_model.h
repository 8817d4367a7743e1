// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/loss_kind.h"
#include "engine/experiment/model_kind.h"

// How weights begin.
namespace parapet::experiment {

enum class InitializerKind {
  kUniform,
  kNormal,
  kTruncatedNormal,
  kVarianceScaling,
  kGlorotUniform,
  kConstant,
  kFile,     ///< a NumPy file [rows, width], f32
  kVectors,  ///< pretrained embeddings of the data set (tables only)
};
enum class VarianceMode { kFanIn, kFanOut, kFanAverage };
enum class VarianceDistribution { kUniform, kNormal, kTruncatedNormal };

/// The defaults are those of Keras: uniform in ±.05 for embeddings, Glorot uniform for layers.
struct Initializer {
  InitializerKind kind = InitializerKind::kUniform;
  double min = -0.05, max = 0.05;            ///< kUniform
  double mean = 0.0, stddev = 0.05;          ///< kNormal, kTruncatedNormal
  double scale = 1.0;                        ///< kVarianceScaling
  VarianceMode mode = VarianceMode::kFanIn;  ///< kVarianceScaling
  VarianceDistribution distribution = VarianceDistribution::kTruncatedNormal;  ///< kVarianceScaling
  double value = 0.0;                                                          ///< kConstant
  std::string path{};                                                          ///< kFile
  std::string vectors{};  ///< kVectors: entry of Dataset::vectors
};

}  // namespace parapet::experiment

// Layers, losses and what the model is made of.
namespace parapet::experiment {

enum class Activation {
  kLinear,
  kRelu,
  kTanh,
  kSigmoid,
  kGelu,      ///< x·Φ(x)
  kGeluTanh,  ///< the same with Φ approximated by a tanh
  kSilu,      ///< x·σ(x)
};

/// A kind's settings, rows, width and weights stand in its row (layer_kind.cpp).
enum class LayerKind {
  kDense,             ///< act(x·W + b)
  kFeatureCross,      ///< x0 ⊙ (act(W·x + b) + diagScale·x) + x; low rank: W = U·V
  kDotInteraction,    ///< dot products of all pairs of the inputs, which have equal widths
  kDropout,           ///< in training: 0 with probability rate, else x/(1 − rate)
  kBatchNorm,         ///< by column over the global batch; moving statistics elsewhere
  kLayerNorm,         ///< by row
  kConcat,            ///< concatenated inputs
  kAdd,               ///< sum of the inputs, which have equal widths
  kMultiply,          ///< product of the inputs by element, which have equal widths
  kGate,              ///< Σ_i softmax(g·W)_i·input_i, g what `gateInput` names (MMoE)
  kL2Normalize,       ///< each row divided by its norm
  kPosition,          ///< + a trained row of each position
  kAttention,         ///< multi-head self-attention
  kTransformerBlock,  ///< attention and two dense layers, each with a norm and added to its input
  kPool,              ///< one row per example
};

/// How the positions of a sequence become one row.
enum class PoolKind {
  kMean,
  kSum,
  kLast,
  kAttention,  ///< weighted by a softmax of scores: with a trained vector, or a value of the example
};

/// Where a transformer block has its norms.
enum class NormOrder {
  kPre,   ///< x + f(norm(x))
  kPost,  ///< norm(x + f(x))
};

/// Where the positions of a sequence are counted from.
enum class CountFrom {
  kStart,  ///< the oldest is 0
  kEnd,  ///< the newest is the last row of the layer, as where shorter sequences are padded before
};

/// A layer of a model. It reads the previous layer (the first one: all features of its part of the
/// model, concatenated) or what `inputs` names.
struct Layer {
  LayerKind kind = LayerKind::kDense;
  std::optional<std::string> name{};  ///< by which other layers read it; null: none does
  /// Features, folders of features ("user" is all of "user/…") and earlier layers; several are
  /// concatenated, except by kDotInteraction, kAdd, kMultiply and kGate. Empty: see above.
  std::vector<std::string> inputs{};
  std::int64_t units = 32;
  Activation activation = Activation::kLinear;
  bool useBias = true;
  Initializer initializer{.kind = InitializerKind::kGlorotUniform};  ///< of kernels
  std::optional<std::int64_t> projectionDim{};                       ///< of a low rank
  double diagScale = 0.0;
  std::optional<std::string> x0{};         ///< null: the input of the first of consecutive crosses
  std::optional<std::string> gateInput{};  ///< null: all inputs side by side
  bool selfInteraction = false;            ///< also x·x
  double rate = 0.5;
  double momentum = 0.99;                   ///< of the moving statistics
  double epsilon = 1e-3;                    ///< added to a variance
  std::optional<std::int64_t> maxLength{};  ///< rows; null: as long as the sequence may be
  CountFrom countFrom = CountFrom::kStart;
  std::int64_t heads = 2;
  bool causal = false;  ///< a position reads none after it
  NormOrder norm = NormOrder::kPre;
  /// The first dense layer is multiplied by a second, linear one (SwiGLU with kSilu).
  bool glu = false;
  bool gatedResidual = false;  ///< x + σ(x·W + b) ⊙ f(x) (LiGR) in place of x + f(x)
  PoolKind by = PoolKind::kMean;
  bool trainable = true;
};

enum class Reduction {
  kMean,  ///< Σ(ℓ·w)/B: weights do not enter the denominator (Keras sum_over_batch_size)
  kWeightedMean,  ///< Σ(ℓ·w)/Σw
  kSum,           ///< Σ(ℓ·w)
};

/// Scores are divided by it.
struct Temperature {
  double initial = 1.0;
  bool trainable = false;  ///< losses with negatives: the optimizer trains its logarithm
};

/// The candidates of the batch that are negatives of a query.
enum class NegativeScope {
  kGlobal,  ///< those of the whole batch
  kDevice,  ///< those of the query's own device
  kNone,    ///< no candidate of the batch: extra negatives alone
};

/// Correction for negatives that come as often as items are popular. Q(j) is the share of item j
/// among the negatives, measured on the training rows.
enum class LogQ {
  kOff,
  kStandard,  ///< log Q(j) is subtracted from the score of every candidate, the own one included
  /// Negatives alone: the own candidate is in the sum with probability 1, it was not drawn.
  kCorrected,
};

/// A negative that is the query's own item, drawn for another example.
enum class AccidentalHits {
  kKeep,  ///< a negative like any other
  kMask,  ///< no negative of this query
};

/// How extra negatives are drawn.
enum class NegativeSource {
  kUniform,     ///< every item of the catalogue alike
  kPopularity,  ///< as often as items are in the training rows
  kMixed,       ///< half of them each way
};

/// Items that every query of a step meets besides the candidates of the batch.
struct ExtraNegatives {
  std::int64_t count = 256;
  NegativeSource from = NegativeSource::kUniform;
};

struct Loss {
  LossKind kind = LossKind::kMse;
  Reduction reduction = Reduction::kMean;
  Temperature temperature{};  ///< listwise losses and those with negatives
  double weight = 1.0;        ///< factor of this loss in the sum over the heads
  NegativeScope negatives = NegativeScope::kGlobal;       ///< losses that meet the batch
  LogQ logQ = LogQ::kStandard;                            ///< kInBatchSoftmax, kSampledSoftmax
  AccidentalHits accidentalHits = AccidentalHits::kMask;  ///< losses with negatives
  /// Losses with negatives: so many with the highest scores of each query count. Null: all.
  std::optional<std::int64_t> hardNegatives{};
  std::optional<ExtraNegatives> extraNegatives{};  ///< losses with negatives; null: none
  /// kSampledBce: 0 leaves probabilities too high as negatives are few, 1 calibrates them.
  double calibration = 0.0;
  double margin = 0.4;  ///< kCcl: cosines of negatives above it count
  /// kCcl: factor of the mean over the negatives. SimpleX weighs uniform ones by up to 150; those of a
  /// batch come as often as items are popular, and above 1 they drive these away from every query.
  double negativeWeight = 1.0;
};

/// Whether the other candidates of the batch are negatives of a query.
inline bool meetsBatch(const Loss& loss) {
  return traitsOf(loss.kind).meetsBatch && loss.negatives != NegativeScope::kNone;
}

/// A further output of a model with a loss of its own.
struct Head {
  std::string name;
  std::vector<std::string> inputs;  ///< "query", "candidate", features, layers
  std::vector<Layer> layers;        ///< the last is 1 wide
  Loss loss;
  std::optional<std::string> label;  ///< a numeric column; null: the label of the data set
};

/// Score of a pair.
enum class Score {
  kDot,     ///< dot product of the towers' outputs
  kCosine,  ///< that of the outputs divided by their norms
};

/// How the positions of a sequence are drawn that a masked language model predicts.
enum class MaskingMethod {
  kBernoulli,  ///< each position with probability `rate`
  kExact,      ///< as many as `rate` of them, rounded; at least one
};

/// Masked positions, drawn anew in every epoch; what is neither masked nor random stays as it is.
struct Masking {
  double rate = 0.15;               ///< share of the positions, special pieces aside
  std::int64_t maxSelections = 20;  ///< max. positions of a sequence
  double mask = 0.8;                ///< share of the selected ones that become [MASK]
  double random = 0.1;              ///< share that becomes any piece of the vocabulary
  MaskingMethod method = MaskingMethod::kBernoulli;
};

struct Model {
  ModelKind kind = ModelKind::kRetrieval;
  std::vector<Layer> query;      ///< kRetrieval
  std::vector<Layer> candidate;  ///< kRetrieval
  Score score = Score::kDot;     ///< kRetrieval
  std::vector<Layer> layers;     ///< kRanking; kMaskedLm: the encoder
  /// kMaskedLm: of the masked positions, before their product with the table of the tokens.
  std::vector<Layer> maskedLayers;
  std::vector<Head> heads;  ///< besides the score with the experiment's loss; not of kMaskedLm
  std::optional<Masking> masking{};  ///< kMaskedLm; null: the defaults of Masking
  /// kMaskedLm: a safetensors file in the layout of BERT, or a folder with model.safetensors, whose
  /// weights a run begins with. Null: the initializers.
  std::optional<std::string> weights{};
};

}  // namespace parapet::experiment
