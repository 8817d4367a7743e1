// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
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
  std::optional<std::string> column = "rating";  ///< null: every row has label 1 (implicit data)
  std::optional<std::array<double, 2>> scale;
};

/// How lines of text become cells (source "csv").
struct TextFormat {
  std::optional<std::string> delimiter;     ///< null: the one that fits the first lines
  std::optional<std::string> quote = "\"";  ///< null: quotes are ordinary bytes
  std::optional<bool> header;               ///< null: guessed from the first line
  std::vector<std::string> names;  ///< names of the columns; empty: the header's, or "1", "2", …
};

enum class ColumnRole {
  kUser,     ///< who; exactly one
  kItem,     ///< what; exactly one
  kContext,  ///< when, where, how: one id per row, known when recommendations are requested
  kFeature,  ///< ids of the user or the item, one or several per row
  kTime,     ///< seconds since 1970; at most one
  kNumeric,  ///< one number per row: an input of a model, or the label of a head
};

/// Whether the cells of a column with this role are ids, which have a vocabulary.
constexpr bool holdsIds(ColumnRole role) {
  return role != ColumnRole::kTime && role != ColumnRole::kNumeric;
}

/// What becomes of rows whose cell of a numeric column is empty, or no number where it is a
/// catalogue's.
enum class MissingNumbers {
  kReject,  ///< the line is rejected
  kMean,    ///< the cell becomes the mean of the others
  kZero,    ///< the cell becomes 0
};

/// A column of the data set.
struct Column {
  std::string name;  ///< features and vocabularies use it
  ColumnRole role = ColumnRole::kFeature;
  std::optional<std::string> from{};  ///< column of the source, or a derived one; null: `name`
  std::optional<std::string> vocabulary{};  ///< id columns; columns may share one; null: `name`
  std::optional<std::string> separator{};   ///< kFeature: separates the ids of a cell
  std::optional<std::string> weights{};     ///< kFeature: separates an id and its weight, "7:0.5"
  MissingNumbers missing = MissingNumbers::kReject;  ///< kNumeric

  [[nodiscard]] const std::string& originName() const { return from ? *from : name; }
  [[nodiscard]] const std::string& vocabularyName() const {
    return vocabulary ? *vocabulary : name;
  }
};

enum class DerivedKind {
  kHour,       ///< 0 … 23
  kTimeOfDay,  ///< "night" 0–5, "morning" 6–11, "afternoon" 12–17, "evening" 18–23
  kWeekday,    ///< "monday" … "sunday"
  kWeekend,    ///< "workday", "weekend"
  kMonth,      ///< 1 … 12
  kBuckets,    ///< the interval between `bounds` that contains a number
};

/// A column computed from another one of the source.
struct Derived {
  std::string name;
  DerivedKind kind = DerivedKind::kHour;
  std::string from;            ///< kBuckets: any numeric column; the others: seconds since 1970
  std::vector<double> bounds;  ///< kBuckets: ascending; value = number of bounds ≤ x
  std::int64_t utcOffsetMinutes = 0;  ///< all but kBuckets
};

/// Users and items with fewer rows are left out, repeatedly, until every remaining one has enough.
struct KCore {
  std::int64_t user = 1;
  std::int64_t item = 1;
};

/// What happens to those that no row, or no training row, has.
enum class ColdRows {
  kKeep,  ///< they stay
  kDrop,  ///< they are left out
};

/// What is known of the users or of the items besides the rows: a file with an entry per raw id.
struct Catalogue {
  std::string of = "item";  ///< "item" or "user"
  std::string path;         ///< text or Parquet; a relative one is looked for beside the data first
  std::optional<TextFormat> format{};  ///< of text
  std::optional<std::string> id{};     ///< column of the raw ids; null: called as that of the data
  std::optional<std::string> title{};  ///< column of the titles
  /// Attributes, which are columns of the rows too; null: all but id and title.
  std::optional<std::vector<std::string>> columns{};
  /// Entries without a row of the data: kKeep makes them candidates.
  ColdRows cold = ColdRows::kKeep;
};

/// Pretrained embeddings of a vocabulary's ids, from a file with one line per id (text, Parquet) or
/// a NumPy array beside a file of ids.
struct PretrainedEmbeddings {
  std::string name;
  std::string of;         ///< vocabulary
  std::string path;       ///< a relative one is looked for beside the data first
  std::string id = "id";  ///< column with the raw id
  /// Column with the vector, a list or numbers separated by spaces; null: the only list, or every
  /// other column of a text, which are numbers.
  std::optional<std::string> column{};
  /// NumPy arrays: file whose column `id` has the ids of the rows; null: <name>.ids.csv beside it.
  std::optional<std::string> ids{};
};

enum class VocabularyKind {
  kDirect,      ///< row = raw id; ids are non-negative integers
  kCompressed,  ///< rows 1, 2, … by descending frequency (ties by id); row 0 is out-of-vocabulary
  kHash,        ///< row = 1 + hash(id) mod (size − 1); ids may share a row
};

/// Count of rows of a vocabulary.
struct VocabularySize {
  enum class Kind {
    kAuto,              ///< kDirect: max+1; kCompressed: distinct ids + 1
    kMaxPlusOne,        ///< "max+1": largest id in the data + 1
    kCataloguePlusOne,  ///< "catalogue+1": entries of the catalogue (movies file) + 1
    kFixed,             ///< `fixed` rows
  };
  Kind kind = Kind::kAuto;
  std::int64_t fixed = 0;
  bool operator==(const VocabularySize&) const = default;
};

/// The OOV policy: what becomes of an id that a vocabulary does not know.
enum class OovKind {
  kRow,      ///< row 0
  kBuckets,  ///< one of `oovBuckets` rows after the known ones, by the hash of the id
  kError,    ///< the line is rejected, and so is one without an id
};

struct Vocabulary {
  std::string name;
  VocabularyKind kind = VocabularyKind::kDirect;
  VocabularySize size;
  std::int64_t minCount = 1;  ///< kCompressed: rarer ids become out-of-vocabulary
  /// kDirect, kCompressed; null: kError for direct rows, else kRow.
  std::optional<OovKind> oov;
  std::int64_t oovBuckets = 1;  ///< kBuckets; the rows are part of the vocabulary's size

  [[nodiscard]] OovKind oovKind() const {
    return oov.value_or(kind == VocabularyKind::kDirect ? OovKind::kError : OovKind::kRow);
  }
};

enum class SplitKind {
  kRandom,       ///< amounts of all rows, after one seeded shuffle
  kLeaveLast,    ///< the last rows of every user, by time
  kLeaveRandom,  ///< rows of every user, drawn by seed
  kBatches,      ///< the first batches of a set that is reshuffled every time: the parts overlap
  kTemporal,     ///< before and after moments, the same for all users
  kColumn,       ///< as a column of the source says
  kFiles,        ///< a file for each part
};

/// Size of a part of the split: a count of rows, or a share of them.
struct SplitAmount {
  double value = 0.0;
  /// A share in (0, 1], else a count of rows. In a document 1.0 is the share, 1 the count.
  bool isRatio = false;
  bool operator==(const SplitAmount&) const = default;
};

/// Amounts are rows or shares of all rows; kLeaveLast and kLeaveRandom: rows per user; kBatches:
/// batches, or shares of all batches. kTemporal cuts by seconds if they are given, else by amounts.
struct Split {
  SplitKind kind = SplitKind::kRandom;
  SplitAmount train{0.8, true};  ///< kRandom, kBatches; elsewhere all that the other parts leave
  SplitAmount validation{0.2, true};
  SplitAmount test{0.0, false};
  std::optional<std::uint64_t> seed;                           ///< default: training.seed
  std::optional<std::int64_t> validationSeconds, testSeconds;  ///< kTemporal: lengths of the parts
  std::int64_t gapSeconds = 0;  ///< kTemporal: left out before validation and before test
  /// kTemporal: first second after the test part; null: the one after the last row.
  std::optional<std::int64_t> end;
  std::string column = "part";  ///< kColumn: its cells are names of parts (split_part.h)
  /// kFiles: paths; a relative one is looked for beside the data first. Without validation or test,
  /// there is no such part.
  std::optional<std::string> trainFile, validationFile, testFile;
  /// All but kRandom and kBatches: held-out rows whose user or item has no training row; those
  /// that are kept count as misses.
  ColdRows coldUsers = ColdRows::kKeep, coldItems = ColdRows::kKeep;
};

enum class BatchOrder {
  kOnce,   ///< shuffled by the split alone: the same batches in the same order every epoch
  kEpoch,  ///< reshuffled every epoch, from (seed, epoch)
  kNone,   ///< in the order of the data
};

struct Batch {
  std::optional<std::int64_t> size;       ///< of a global batch; exactly one of the two is given
  std::optional<std::int64_t> perDevice;  ///< examples per device: size = perDevice × devices
  bool dropRemainder = false;
  BatchOrder shuffle = BatchOrder::kOnce;
  bool cache = true;  ///< keep gathered batches in memory; with kOnce they are gathered once
  /// For listwise losses: so many rows of one user form a group. Null: no groups.
  std::optional<std::int64_t> groupSize;
  /// After epoch 1 every epoch repeats this many batches, the first ones of epoch 1, as Keras does
  /// with an exhausted generator. Null: every epoch reads all rows.
  std::optional<std::int64_t> replayBatches;
  /// Rows that are shuffled together. A larger set is shuffled by runs of rows, so that it is read
  /// once per epoch and only one window of it is in memory.
  std::int64_t window = 1 << 22;
};

enum class GeneratorKind {
  kMovies,  ///< ratings of movies (MovieLens-100K layout)
  kClicks,  ///< impressions with click labels, contexts and multi-valued features
  kEvents,  ///< listening events, Yambda-shaped
};

/// Settings of the generated data set (source "generated").
struct Generator {
  GeneratorKind kind = GeneratorKind::kMovies;
  std::int64_t users = 400;
  std::int64_t items = 300;
  std::int64_t events = 20000;
  std::uint64_t seed = 7;
  /// How much the context of a row decides, 0 (nothing) to 1. Kinds "clicks" and "events" only.
  double contextStrength = 0.5;
};

/// How lines of text become sequences of pieces (source "text"): [CLS] pieces [SEP].
struct TextPieces {
  std::string vocabulary;        ///< a file with a piece per line; relative: beside the data first
  bool lowercase = true;         ///< lower case without accents, as uncased vocabularies want it
  std::int64_t minBytes = 0;     ///< shorter lines are left out; the line end does not count
  std::int64_t maxLength = 128;  ///< longer sequences are truncated; [CLS] and [SEP] count
};

/// Name of the only column of a data set of texts and of its vocabulary.
inline constexpr const char* kTokensColumn = "tokens";

struct Dataset {
  std::string source = "movielens";  ///< "movielens", "csv", "parquet", "text" or "generated"
  std::optional<std::string> path;   ///< folder or file
  std::optional<TextFormat> format;  ///< source "csv" only
  std::optional<TextPieces> text{};  ///< source "text" only
  std::optional<std::string> slice;  ///< "[:5%]", "[1000:]": rows of the source, before any filter
  std::optional<Generator> generator;  ///< source "generated" only
  std::vector<Column> columns;         ///< empty: those of the source (user, item, time)
  std::vector<Derived> derived;
  std::optional<std::string> filter;  ///< rows that stay: data::Filter
  std::optional<KCore> kCore;
  std::vector<Catalogue> catalogues;
  std::vector<PretrainedEmbeddings> vectors;
  Label label;
  std::optional<std::string> weight;  ///< column of example weights
  double maxRejectedShare = 0.01;     ///< the import fails when a larger share of lines is rejected
  std::vector<Vocabulary> vocabularies;
  Split split;
  Batch batch;

  /// Whether it says where the rows come from: a path, the files of the split, or a generator.
  [[nodiscard]] bool namesData() const;
  /// Whether rows are lines of text, which have neither user nor item nor label.
  [[nodiscard]] bool isText() const { return source == "text"; }
  /// Role of a column; nullopt if the document has no such column.
  [[nodiscard]] std::optional<ColumnRole> roleOf(const std::string& column) const;
  /// Vocabulary of an id column; nullptr if the document has no such column. Without `columns`
  /// there are "user" and "item".
  [[nodiscard]] const std::string* vocabularyOf(const std::string& column) const;
  /// Names of the id columns, and of the numeric columns.
  [[nodiscard]] std::vector<std::string> idColumns() const;
  [[nodiscard]] std::vector<std::string> numericColumns() const;
};

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

enum class ScheduleKind {
  kConstant,
  kPolynomial,  ///< (lr − end)·(1 − s/T)^power + end, s = min(step, T); cycle: T·ceil(step/T)
  kExponential,     ///< lr·rate^(step/T); staircase: step/T rounded down
  kCosine,          ///< lr·((1 − alpha)·(1 + cos(π·s/T))/2 + alpha)
  kCosineRestarts,  ///< the same over periods T, T·factor, …, each starting at lr·decay^period
  kInverseTime,     ///< lr/(1 + rate·step/T); staircase: step/T rounded down
  kPiecewise,       ///< values[i] while step ≤ boundaries[i], then the last value
};

/// Schedule::decaySteps of a decay over the whole run.
inline constexpr std::int64_t kStepsOfRun = 0;

/// Learning rate over the steps of a run (the first has step 0), after a linear warm-up.
struct Schedule {
  ScheduleKind kind = ScheduleKind::kConstant;
  std::int64_t warmupSteps = 0;    ///< from warmupFrom·lr to lr; the schedule starts after them
  double warmupFrom = 0.0;         ///< share of lr at step 0
  std::int64_t decaySteps = 1000;  ///< T; kStepsOfRun: those of the run after the warm-up
  double end = 1e-4;               ///< kPolynomial: the final rate
  double power = 1.0;              ///< kPolynomial
  bool cycle = false;              ///< kPolynomial
  double rate = 0.96;              ///< kExponential, kInverseTime
  bool staircase = false;          ///< kExponential, kInverseTime
  double alpha = 0.0;              ///< kCosine, kCosineRestarts: final share of lr
  double factor = 2.0;             ///< kCosineRestarts: length of a period over the previous one
  double restartDecay = 1.0;       ///< kCosineRestarts: initial rate over that of the previous one
  std::vector<std::int64_t> boundaries{};  ///< kPiecewise: ascending steps
  std::vector<double> values{};            ///< kPiecewise: one more than boundaries
};

enum class OptimizerKind { kSgd, kAdagrad, kRowwiseAdagrad, kAdam, kAdamW, kFtrl };
/// What optimizers with momentum do with rows that a batch did not touch.
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
  bool scaleWithDevices = false;      ///< the rate of a run is learningRate · devices
  double momentum = 0.0;              ///< kSgd
  double initialAccumulator = 0.1;    ///< kAdagrad, kRowwiseAdagrad, kFtrl
  double epsilon = 1e-7;              ///< kAdagrad, kRowwiseAdagrad, kAdam, kAdamW
  bool epsilonInsideRoot = true;      ///< Adagrads: √(acc + ε) (Keras) or √acc + ε (PyTorch)
  double beta1 = 0.9, beta2 = 0.999;  ///< kAdam, kAdamW
  AdamEpsilon epsilonMode = AdamEpsilon::kUncorrected;  ///< kAdam, kAdamW
  /// All but kFtrl, which does not change rows without a gradient.
  SparseUpdate sparseUpdate = SparseUpdate::kDense;
  double learningRatePower = -0.5;      ///< kFtrl
  double l1 = 0.0, l2 = 0.0, beta = 0;  ///< kFtrl
  /// w −= lr·decay·w before the step: of every row, or with kLazy of the rows of the batch.
  double weightDecay = 0.0;
  std::vector<std::string> decayExclude{};  ///< patterns of parameters without decay, see matches()
  std::optional<double> clipValue{};        ///< max. |element| of a gradient
  std::optional<double> clipNorm{};         ///< max. norm of the gradient of a parameter
  std::optional<double> globalClipNorm{};   ///< max. norm of all gradients of this optimizer
  std::optional<Schedule> schedule{};       ///< null: that of the experiment
};

enum class Combiner { kMean, kSum, kSqrtn };
enum class Placement {
  kAuto,        ///< the planner decides
  kReplicated,  ///< a copy in every memory space
  kRow,         ///< row-wise (modulo): row r on shard r mod S
  kRowBlock,    ///< row-wise (block): S blocks of ⌈V/S⌉ rows
  kColumn,      ///< column-wise: S blocks of columns
  kTable,       ///< table-wise: the whole table on one device
};

/// The rows of a table that a run begins with: those of a table of another run, matched by raw id.
struct WarmStart {
  std::string run;                     ///< id, or a unique prefix of one
  std::optional<std::string> table{};  ///< of that run; null: of the same name
  std::optional<std::int64_t> step{};  ///< of its checkpoint; null: the newest
};

struct Table {
  std::string name;
  std::string vocabulary;
  std::int64_t embeddingDim = 32;
  Initializer initializer;
  std::optional<Optimizer> optimizer;  ///< default: the experiment's optimizer
  Combiner combiner = Combiner::kMean;
  Placement placement = Placement::kAuto;
  /// Mesh axes over which it is split; over the others it is replicated. Empty: all axes.
  std::vector<std::string> axes;
  std::optional<std::string> device;  ///< kTable: its device; null: planned
  bool trainable = true;
  std::optional<WarmStart> warmStart{};  ///< null: the initializer alone
};

/// What a feature describes: the user and the context, or the item.
enum class Tower { kQuery, kCandidate };

/// Where a bag with more ids than the feature's maximum is truncated.
enum class TruncationSide {
  kEnd,    ///< the first ids stay
  kStart,  ///< the last ids stay
};

/// Function applied to a numeric column.
enum class NumericTransform {
  kNone,
  kLog1p,        ///< sign(x)·log(1 + |x|)
  kStandardize,  ///< (x − mean) / standard deviation, those of the training rows
  kQuantile,     ///< share of the training rows below x, in [0, 1]
};

/// Whether a transform is fitted to the training rows before a run begins.
constexpr bool isFitted(NumericTransform transform) {
  return transform == NumericTransform::kStandardize || transform == NumericTransform::kQuantile;
}

/// Whose rows histories are made of.
enum class HistoryRows {
  kTrain,  ///< training rows alone, whatever the example is
  kAll,    ///< every imported row; held-out ones, too, are known once they have passed
};

/// Which rows of a user come before another.
enum class HistoryOrder {
  kTime,  ///< those of an earlier second; rows of one second are not before each other
  kData,  ///< those further up in the data set
};

/// The items that the user of an example had before it, as a bag. The example itself is never in
/// it, and nothing that is as late as it; an earlier row with the same item is like any other.
struct History {
  std::int64_t length = 20;                     ///< max. items: the last ones before the example
  std::optional<std::int64_t> withinSeconds{};  ///< kTime; null: however long before
  HistoryRows rows = HistoryRows::kTrain;
  HistoryOrder order = HistoryOrder::kTime;
  auto operator<=>(const History&) const = default;
};

struct Feature {
  std::string name;  ///< may be a path: "user/genres"; features nest by it
  std::string column;
  std::string table;  ///< empty: the column is numeric
  Tower tower = Tower::kQuery;
  std::optional<History> history{};  ///< the column is that of the items; null: of the example
  std::optional<std::int64_t> maxLength{};               ///< max. ids of a bag; null: all are used
  TruncationSide truncationSide = TruncationSide::kEnd;  ///< of longer bags
  bool weighted = true;                                  ///< use the weights of the column, if any
  /// The ids are not combined: the value has a row of each, in their order (of a history the oldest
  /// first). Layers of sequences read it, and a kPool makes it one row per example.
  bool sequence = false;
  NumericTransform transform = NumericTransform::kNone;  ///< numeric columns only
  /// Checked when given: [global batch] or [global batch, longest bag]; [global batch, width].
  std::optional<std::vector<std::int64_t>> inputShape{}, outputShape{};
};

enum class Activation {
  kLinear,
  kRelu,
  kTanh,
  kSigmoid,
  kGelu,      ///< x·Φ(x)
  kGeluTanh,  ///< the same with Φ approximated by a tanh
};

enum class LayerKind {
  kDense,           ///< act(x·W + b)
  kFeatureCross,    ///< x0 ⊙ (act(W·x + b) + diagScale·x) + x; low rank: W = U·V
  kDotInteraction,  ///< dot products of all pairs of the inputs, which have equal widths
  kDropout,         ///< in training: 0 with probability rate, else x/(1 − rate)
  kBatchNorm,       ///< by column over the global batch; moving statistics elsewhere
  kLayerNorm,       ///< by row
  kConcat,          ///< concatenated inputs
  kAdd,             ///< sum of the inputs, which have equal widths
  kL2Normalize,     ///< each row divided by its norm
  // Of sequences, whose rows are positions:
  kPosition,          ///< + a trained row of each position, which counts from 0
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

/// A layer of a model. It reads the previous layer (the first one: all features of its part of the
/// model, concatenated) or what `inputs` names.
struct Layer {
  LayerKind kind = LayerKind::kDense;
  std::optional<std::string> name{};  ///< by which other layers read it; null: none does
  /// Features, folders of features ("user" is all of "user/…") and earlier layers; several are
  /// concatenated, except by kDotInteraction and kAdd. Empty: see above.
  std::vector<std::string> inputs{};
  std::int64_t units = 32;  ///< kDense, kTransformerBlock
  /// kDense, kFeatureCross, kTransformerBlock
  Activation activation = Activation::kLinear;
  bool useBias = true;                                               ///< kDense, kFeatureCross
  Initializer initializer{.kind = InitializerKind::kGlorotUniform};  ///< of kernels
  std::optional<std::int64_t> projectionDim{};                       ///< kFeatureCross: low rank
  double diagScale = 0.0;                                            ///< kFeatureCross
  /// kFeatureCross; null: the input of the first of consecutive crosses.
  std::optional<std::string> x0{};
  bool selfInteraction = false;  ///< kDotInteraction: also x·x
  double rate = 0.5;             ///< kDropout, kAttention, kTransformerBlock
  double momentum = 0.99;        ///< kBatchNorm: of the moving statistics
  double epsilon = 1e-3;         ///< kBatchNorm, kLayerNorm, kTransformerBlock
  std::optional<std::int64_t>
      maxLength{};                   ///< kPosition: rows; null: as long as the sequence may be
  std::int64_t heads = 2;            ///< kAttention, kTransformerBlock
  bool causal = false;               ///< the same: a position reads none after it
  NormOrder norm = NormOrder::kPre;  ///< kTransformerBlock
  PoolKind by = PoolKind::kMean;     ///< kPool
  bool trainable = true;             ///< layers with weights
};

enum class Reduction {
  kMean,  ///< Σ(ℓ·w)/B: weights do not enter the denominator (Keras sum_over_batch_size)
  kWeightedMean,  ///< Σ(ℓ·w)/Σw
  kSum,           ///< Σ(ℓ·w)
};

enum class LossKind {
  kMse,                  ///< (s − y)²
  kBce,                  ///< of σ(s) and y in [0, 1]
  kPairwiseHinge,        ///< Σ over pairs of a group with y_i > y_j of max(0, 1 − (s_i − s_j))
  kPairwiseLogistic,     ///< log(1 + exp(−(s_i − s_j)))
  kPairwiseSoftZeroOne,  ///< 1 − σ(s_i − s_j)
  kPairwiseMse,          ///< ((y_i − y_j) − (s_i − s_j))², over all pairs
  kListMle,              ///< −log of the probability of the order by label; one value per group
  kInBatchSoftmax,       ///< cross entropy of each query's candidate among those of the batch
  kSampledSoftmax,       ///< the same among the extra negatives alone
  kBpr,                  ///< −log σ(s_own − s_j), the mean over the negatives j of the query
  kVocabularySoftmax,    ///< cross entropy of a masked piece among all pieces of the vocabulary
};

/// Whether a loss compares the examples of a group (batch.group_size).
constexpr bool isListwise(LossKind kind) {
  return kind >= LossKind::kPairwiseHinge && kind <= LossKind::kListMle;
}

/// Whether a loss holds each query's own candidate against negatives: other candidates that are
/// taken for wrong ones.
constexpr bool usesNegatives(LossKind kind) {
  return kind >= LossKind::kInBatchSoftmax && kind <= LossKind::kBpr;
}

/// Scores are divided by it.
struct Temperature {
  double initial = 1.0;
  bool trainable = false;  ///< losses with negatives: the optimizer trains its logarithm
};

/// Whose candidates of the batch are negatives of a query.
enum class NegativeScope {
  kGlobal,  ///< those of the whole batch
  kDevice,  ///< those of the query's own device
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
  NegativeScope negatives = NegativeScope::kGlobal;       ///< kInBatchSoftmax, kBpr
  LogQ logQ = LogQ::kStandard;                            ///< kInBatchSoftmax, kSampledSoftmax
  AccidentalHits accidentalHits = AccidentalHits::kMask;  ///< losses with negatives
  /// Losses with negatives: so many with the highest scores of each query count. Null: all.
  std::optional<std::int64_t> hardNegatives{};
  std::optional<ExtraNegatives> extraNegatives{};  ///< losses with negatives; null: none
};

/// A further output of a model with a loss of its own.
struct Head {
  std::string name;
  std::vector<std::string> inputs;  ///< "query", "candidate", features, layers
  std::vector<Layer> layers;        ///< the last is 1 wide
  Loss loss;
  std::optional<std::string> label;  ///< a numeric column; null: the label of the data set
};

enum class ModelKind {
  kRetrieval,  ///< two towers; the score of a pair compares their outputs
  kRanking,    ///< one network over all features; its last layer is the score
  kMaskedLm,   ///< an encoder of texts, which predicts pieces that are masked
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
};

/// Which devices of a mesh share their memory.
enum class MemorySpaces {
  kShared,    ///< those whose memory can be shared do
  kSeparate,  ///< each device has a memory of its own
};

struct Mesh {
  std::vector<std::string> devices{"cpu*1"};
  std::optional<std::vector<std::int64_t>> shape;  ///< default: one axis over all devices
  std::vector<std::string> axes{"data"};
  std::optional<std::int64_t> threads{};  ///< of the process; null: one per core
  /// Max. bytes per device for tables, optimizer slots and step buffers; null: its memory.
  std::optional<std::int64_t> capacityBytes{};
  bool stackTables = true;  ///< look up tables with the same sharding together, in one exchange
  bool overlap = true;      ///< exchange the ids of the next batch during the current step
  MemorySpaces spaces = MemorySpaces::kShared;
};

struct EarlyStopping {
  std::string metric = "val_loss";
  std::int64_t patience = 5;  ///< validations without improvement
  double minDelta = 0.0;
};

struct Checkpoints {
  /// Epochs between checkpoints; null: only at the end and at the best.
  std::optional<std::int64_t> every;
  std::int64_t keep = 3;
  /// Metric whose best checkpoint is kept; null: none.
  std::optional<std::string> best = "val_loss";
};

/// Arithmetic of matrix products.
enum class Precision {
  kFp32,
  kBf16,  ///< operands rounded to bfloat16, sums in single precision
};

/// The checkpoint of another run that a run begins with: its weights, optimizer slots and position in
/// the data.
struct Fork {
  std::string run;                     ///< id, or a unique prefix of one
  std::optional<std::int64_t> step{};  ///< of its checkpoint; null: the newest
};

struct Training {
  std::int64_t epochs = 10;
  std::int64_t validateEvery = 1;  ///< epochs; 0 = never
  std::uint64_t seed = 42;
  std::optional<EarlyStopping> earlyStopping;
  Checkpoints checkpoints;
  Precision precision = Precision::kFp32;
  std::optional<Fork> fork{};  ///< null: the run begins with initial weights
};

/// Which queries lists of the catalogue are measured for.
enum class EvaluationUnit {
  kUser,     ///< one of each user with held-out rows: all of its relevant items are to be found
  kExample,  ///< one of each held-out row, in its own context: its item is to be found
};
/// When lists of the catalogue are measured in training.
enum class CatalogueTime {
  kValidation,  ///< at every validation
  kEnd,         ///< at the last validation of the run
  kNever,       ///< only when the run is evaluated afterwards
};
/// Held-out rows of a user and an item that are a pair of the training rows, too.
enum class SeenPairs {
  kKeep,  ///< they are to be found as others are
  kDrop,  ///< they are left out
};
/// Metrics of lists of the catalogue; see retrieval::RankingMetrics.
enum class RankingMetric {
  kRecall,
  kNdcg,
  kHit,
  kMrr,
  kMap,
  kPrecision,
  kCoverage,
  kPopularity,
  kNovelty,
  kGini,
};
/// Rules of a published benchmark for lists of the catalogue, see retrieval::RankingProtocol.
enum class EvaluationProtocol {
  kYambda,        ///< as its paper says
  kYambdaCompat,  ///< as its stored code computes: ndcg@k is 1 with any hit
};
struct Evaluation {
  std::vector<std::int64_t> k{10, 50, 100};
  bool excludeSeen = false;
  /// Smallest raw label of a relevant held-out row. Null: every row is relevant; in groups those
  /// whose scaled label is at least 1, as in Keras.
  std::optional<double> relevanceThreshold;
  /// Null: kExample if the query side reads a context or a history.
  std::optional<EvaluationUnit> unit;
  std::optional<std::int64_t> sample;  ///< queries, drawn by training.seed; null: all
  std::vector<RankingMetric> metrics{RankingMetric::kRecall, RankingMetric::kNdcg,
                                     RankingMetric::kHit, RankingMetric::kMrr};
  /// Id columns of one id a row, and "activity": a table with a line per value each.
  std::vector<std::string> segments;
  SeenPairs seenPairs = SeenPairs::kKeep;
  CatalogueTime catalogue = CatalogueTime::kValidation;
  std::optional<EvaluationProtocol> protocol;  ///< null: what the other settings say
};

struct Reference {
  std::optional<std::string> curve;  ///< name of a published curve
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
