// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parapet::experiment {

// The experiment document as plain structs. A member's default is the document's default.
// `fields.h` describes every member once (key, meaning, accepted values); reader, writer and schema
// follow it.

/// Which column is the target and how it is scaled: scale [lo, hi] maps lo → 0 and hi → 1.
struct Label {
  std::string column = "rating";
  std::optional<std::array<double, 2>> scale;
};

enum class VocabularyKind {
  kDirect,      ///< row = raw id; ids are non-negative integers
  kCompressed,  ///< rows 1, 2, … by descending frequency (ties by id); row 0 is out-of-vocabulary
};

/// Number of rows of a vocabulary.
struct VocabularySize {
  enum class Kind {
    kAuto,              ///< kDirect: max+1; kCompressed: distinct ids + 1
    kMaxPlusOne,        ///< "max+1": largest id in the data + 1
    kCataloguePlusOne,  ///< "catalogue+1": entries of the catalogue (movies file) + 1
    kFixed,             ///< a number
  };
  Kind kind = Kind::kAuto;
  std::int64_t fixed = 0;
  bool operator==(const VocabularySize&) const = default;
};

struct Vocabulary {
  std::string name;
  VocabularyKind kind = VocabularyKind::kDirect;
  VocabularySize size;
  std::int64_t minCount = 1;  ///< kCompressed: rarer ids become out-of-vocabulary
};

enum class SplitKind { kRandom };

/// A part of the split: a number of rows, or a share of them.
struct SplitAmount {
  double value = 0.0;
  bool isRatio = false;  ///< a number in (0, 1) is a share; 0 or an integer ≥ 1 a count
  bool operator==(const SplitAmount&) const = default;
};

struct Split {
  SplitKind kind = SplitKind::kRandom;
  SplitAmount train{0.8, true};
  SplitAmount validation{0.2, true};
  SplitAmount test{0.0, false};
  std::optional<std::uint64_t> seed;  ///< default: training.seed
};

enum class BatchOrder {
  kOnce,   ///< shuffled by the split alone: the same batches in the same order every epoch
  kEpoch,  ///< shuffled anew every epoch, from (seed, epoch)
  kNone,   ///< in the order of the data
};

struct Batch {
  std::optional<std::int64_t> size;  ///< rows of a global batch; exactly one of the two is given
  std::optional<std::int64_t> perDevice;  ///< rows per device: size = perDevice × devices
  bool dropRemainder = false;
  BatchOrder shuffle = BatchOrder::kOnce;
  bool cache = true;  ///< keep gathered batches in memory; with kOnce they are gathered once
};

/// Settings of the generated data set (source "generated").
struct Generator {
  std::int64_t users = 400;
  std::int64_t items = 300;
  std::int64_t events = 20000;
  std::uint64_t seed = 7;
};

struct Dataset {
  std::string source = "movielens";  ///< "movielens" (folder) or "generated"
  std::optional<std::string> path;
  std::optional<Generator> generator;  ///< source "generated" only
  Label label;
  std::optional<std::string> weight;  ///< column of example weights
  double maxBadShare = 0.01;          ///< import fails when a larger share of lines is bad
  std::vector<Vocabulary> vocabularies;
  Split split;
  Batch batch;
};

enum class InitializerKind {
  kUniform,
  kNormal,
  kTruncatedNormal,
  kVarianceScaling,
  kGlorotUniform,
  kConstant
};
enum class VarianceMode { kFanIn, kFanOut, kFanAverage };
enum class VarianceDistribution { kUniform, kNormal, kTruncatedNormal };

/// facts of Keras: embeddings U(−.05, .05), dense glorot_uniform.
struct Initializer {
  InitializerKind kind = InitializerKind::kUniform;
  double min = -0.05, max = 0.05;            ///< kUniform
  double mean = 0.0, stddev = 0.05;          ///< kNormal, kTruncatedNormal
  double scale = 1.0;                        ///< kVarianceScaling
  VarianceMode mode = VarianceMode::kFanIn;  ///< kVarianceScaling
  VarianceDistribution distribution = VarianceDistribution::kTruncatedNormal;  ///< kVarianceScaling
  double value = 0.0;                                                          ///< kConstant
};

enum class OptimizerKind { kSgd, kAdagrad, kAdam };
/// How rows that a batch did not touch are treated by optimizers with momentum.
enum class SparseUpdate {
  kDense,  ///< every row moves by its momentum at every step (Keras)
  kLazy,   ///< only the rows of the batch are updated
};
/// Where Adam adds epsilon.
enum class AdamEpsilon {
  kUncorrected,  ///< α·m/(√v + ε) with α = lr·√(1−β2^t)/(1−β1^t) (Keras)
  kCorrected,    ///< lr·m̂/(√v̂ + ε) (the paper, PyTorch)
};

struct Optimizer {
  OptimizerKind kind = OptimizerKind::kAdagrad;
  double learningRate = 0.001;
  double momentum = 0.0;              ///< kSgd
  double initialAccumulator = 0.1;    ///< kAdagrad
  double epsilon = 1e-7;              ///< kAdagrad, kAdam
  bool epsilonInsideRoot = true;      ///< kAdagrad: √(acc + ε) (Keras) or √acc + ε (PyTorch)
  double beta1 = 0.9, beta2 = 0.999;  ///< kAdam
  AdamEpsilon epsilonMode = AdamEpsilon::kUncorrected;  ///< kAdam
  SparseUpdate sparseUpdate = SparseUpdate::kDense;     ///< kAdam, kSgd with momentum
};

enum class Combiner { kMean, kSum, kSqrtn };
enum class Placement { kAuto, kReplicated, kRow, kColumn, kTable };

struct Table {
  std::string name;
  std::string vocabulary;
  std::int64_t embeddingDim = 32;
  Initializer initializer;
  std::optional<Optimizer> optimizer;  ///< default: the experiment's optimizer
  Combiner combiner = Combiner::kMean;
  Placement placement = Placement::kAuto;
  bool trainable = true;
};

enum class Tower { kQuery, kCandidate };

struct Feature {
  std::string name;
  std::string column;
  std::string table;
  Tower tower = Tower::kQuery;
};

enum class Activation { kLinear, kRelu, kTanh, kSigmoid, kGelu };

/// A layer of a tower. Only "dense" so far.
struct Layer {
  std::string kind = "dense";
  std::int64_t units = 32;
  Activation activation = Activation::kLinear;
  bool useBias = true;
  Initializer initializer{.kind = InitializerKind::kGlorotUniform};
};

/// Two towers: features of a tower are concatenated and passed through its layers; the score of a
/// pair is the dot product of the towers' outputs.
struct Model {
  std::string kind = "retrieval";
  std::vector<Layer> query;
  std::vector<Layer> candidate;
  std::string score = "dot";
};

enum class Reduction {
  kMean,  ///< Σ(ℓ·w)/B: weights do not enter the denominator (Keras sum_over_batch_size)
  kWeightedMean,  ///< Σ(ℓ·w)/Σw
  kSum,           ///< Σ(ℓ·w)
};

struct Loss {
  std::string kind = "mse";
  Reduction reduction = Reduction::kMean;
};

struct Schedule {
  std::string kind = "constant";
};

struct Mesh {
  std::vector<std::string> devices{"cpu*1"};
  std::optional<std::vector<std::int64_t>> shape;  ///< default: one axis over all devices
  std::vector<std::string> axes{"data"};
  std::optional<std::int64_t> threads{};  ///< workers of the process; default: one per core
};

struct EarlyStopping {
  std::string metric = "val_loss";
  std::int64_t patience = 5;  ///< validations without improvement
  double minDelta = 0.0;
};

struct Checkpoints {
  std::optional<std::int64_t>
      every;  ///< epochs between checkpoints; default: only at the end and at the best
  std::int64_t keep = 3;
  std::optional<std::string> best =
      "val_loss";  ///< metric whose best checkpoint is kept; null: none
};

struct Training {
  std::int64_t epochs = 10;
  std::int64_t validateEvery = 1;  ///< epochs; 0 = never
  std::uint64_t seed = 42;
  std::optional<EarlyStopping> earlyStopping;
  Checkpoints checkpoints;
  std::string precision = "fp32";
};

struct Evaluation {
  std::vector<std::int64_t> k{10, 50, 100};
  bool excludeSeen = false;
  std::optional<double>
      relevantFrom;  ///< raw label from which a held-out row counts as relevant; default: every row
};

struct Reference {
  std::optional<std::string> curve;  ///< name of a published curve, e.g. "seed-000"
};

struct Experiment {
  std::int64_t parapet = 1;  ///< version of the document format
  std::string name;
  Dataset dataset;
  std::vector<Table> tables;
  std::vector<Feature> features;
  Model model;
  Loss loss;
  Optimizer optimizer;
  Schedule schedule;
  Mesh mesh;
  std::map<std::string, std::vector<std::string>> layout;
  Training training;
  Evaluation evaluation;
  Reference reference;
};

}  // namespace parapet::experiment
