// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parapet::experiment {

/// The part of a split that a row of a data set belongs to.
enum class SplitPart { kTrain, kValidation, kTest, kUnused };

/// "train", "validation", "test", "unused": as files and the terminal have it.
constexpr const char* splitPartName(SplitPart part) {
  constexpr std::array kNames{"train", "validation", "test", "unused"};
  return kNames[static_cast<std::size_t>(part)];
}

constexpr std::optional<SplitPart> splitPartFromName(std::string_view name) {
  using enum SplitPart;
  for (const SplitPart part : {kTrain, kValidation, kTest, kUnused})
    if (name == splitPartName(part)) return part;
  return std::nullopt;
}

}  // namespace parapet::experiment

// The data set of an experiment: source, columns, vocabularies, split and batches.
namespace parapet::experiment {

/// The column that is the target, and its scale: scale [lo, hi] maps lo → 0 and hi → 1.
struct Label {
  std::optional<std::string> column = "rating";  ///< null: every row has label 1 (implicit data)
  std::optional<std::array<double, 2>> scale;
};

/// The encoding of a text.
enum class TextEncoding { kUtf8, kWindows1252 };

/// How lines of text become cells (source "csv").
struct TextFormat {
  std::optional<std::string> delimiter;     ///< null: the one that fits the first lines
  std::optional<std::string> quote = "\"";  ///< null: quotes are ordinary bytes
  std::optional<bool> header;               ///< null: guessed from the first line
  std::vector<std::string> names;  ///< names of the columns; empty: the header's, or "1", "2", …
  std::optional<TextEncoding> encoding{};  ///< null: UTF-8, else Windows-1252
  std::optional<std::string> decimal{};    ///< "." or ","; null: the one that fits the first lines
  /// Words that stand for an empty cell unless they are quoted; null: data::kNullValues.
  std::optional<std::vector<std::string>> nullValues{};
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

/// The treatment of rows whose cell of a numeric column is empty, or no number where it is a
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
  /// Words that stand for an empty cell of a text; null: those of its format.
  std::optional<std::vector<std::string>> nullValues{};

  [[nodiscard]] const std::string& originName() const { return from ? *from : name; }
  [[nodiscard]] const std::string& vocabularyName() const {
    return vocabulary ? *vocabulary : name;
  }
};

/// How the cells of a column say when.
enum class TimeUnit {
  kSeconds,  ///< since 1970, with a fraction
  kMilliseconds,
  kMicroseconds,
  kNanoseconds,
  kText,        ///< dates with or without a time of day: data::parseTimeText
  kDayFirst,    ///< likewise, and "31/5/2024" as well
  kMonthFirst,  ///< likewise, and "5/31/2024" as well
};

/// A column of the source whose cells are times, but not whole seconds since 1970. Wherever the column is
/// used it is seconds since 1970.
struct TimeColumn {
  std::string column;
  TimeUnit unit = TimeUnit::kMilliseconds;
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

/// The treatment of ids that no row, or no training row, has.
enum class ColdRows {
  kKeep,  ///< they stay
  kDrop,  ///< they are left out
};

/// A table about the users or the items besides the rows: a file with an entry per raw id.
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
  /// kCompressed: ids that fewer training rows have become out-of-vocabulary.
  std::int64_t minCount = 1;
  /// kDirect, kCompressed; null: kError for direct rows, else kRow.
  std::optional<OovKind> oov;
  std::int64_t oovBuckets = 1;  ///< kBuckets; the rows are part of the vocabulary's size

  /// Whether ids that occur have no row of their own: which ones, the training rows tell.
  [[nodiscard]] bool leavesIdsOut() const {
    return kind == VocabularyKind::kCompressed &&
           (minCount > 1 || size.kind == VocabularySize::Kind::kFixed);
  }
  [[nodiscard]] OovKind oovKind() const {
    return oov.value_or(kind == VocabularyKind::kDirect ? OovKind::kError : OovKind::kRow);
  }
};

enum class SplitKind {
  kRandom,       ///< amounts of all rows, after one seeded shuffle
  kLeaveLast,    ///< the last rows of every user
  kLeaveRandom,  ///< rows of every user, drawn by seed
  kBatches,      ///< the first batches of a set that is reshuffled every time: the parts overlap
  kTemporal,     ///< before and after moments, the same for all users
  kColumn,       ///< as a column of the source says
  kFiles,        ///< a file for each part
};

/// The order of a user's rows.
enum class EventOrder {
  kTime,  ///< those of an earlier time; rows of one time are not before each other
  kData,  ///< those further up in the data set
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
  EventOrder order = EventOrder::kTime;                        ///< kLeaveLast
  std::optional<std::uint64_t> seed;                           ///< default: training.seed
  std::optional<std::int64_t> validationSeconds, testSeconds;  ///< kTemporal: lengths of the parts
  std::int64_t gapSeconds = 0;  ///< kTemporal: left out before validation and before test
  /// kTemporal: first second after the test part; null: the one after the last row.
  std::optional<std::int64_t> end;
  std::string column = "part";  ///< kColumn: its cells are names of parts (SplitPart)
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
  /// How much the event before a row decides, 0 (nothing) to 1. Kind "events" only.
  double orderStrength = 0.0;
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

/// Where rows come from.
enum class SourceKind {
  kMovielens,  ///< a MovieLens folder or zip
  kCsv,        ///< lines of text with cells
  kJson,       ///< lines with a JSON object each
  kParquet,    ///< Parquet files
  kText,       ///< lines of prose, a sequence of pieces each
  kGenerated,  ///< made on the spot from a seed
};
/// As documents name it: "movielens".
std::string_view sourceName(SourceKind kind);

struct Dataset {
  SourceKind source = SourceKind::kMovielens;
  std::optional<std::string> path;   ///< folder or file
  std::optional<TextFormat> format;  ///< source "csv" only
  std::optional<TextPieces> text{};  ///< source "text" only
  std::optional<std::string> slice;  ///< "[:5%]", "[1000:]": rows of the source, before any filter
  std::optional<Generator> generator;  ///< source "generated" only
  std::vector<Column> columns;         ///< empty: those of the source (user, item, time)
  std::vector<TimeColumn> times{};
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
  [[nodiscard]] bool isText() const { return source == SourceKind::kText; }
  /// Role of a column; nullopt if the document has no such column.
  [[nodiscard]] std::optional<ColumnRole> roleOf(const std::string& column) const;
  /// Vocabulary of an id column; nullptr if the document has no such column. Without `columns`
  /// there are "user" and "item".
  [[nodiscard]] const std::string* vocabularyOf(const std::string& column) const;
  /// Names of the id columns, and of the numeric columns.
  [[nodiscard]] std::vector<std::string> idColumns() const;
  [[nodiscard]] std::vector<std::string> numericColumns() const;
};

}  // namespace parapet::experiment
