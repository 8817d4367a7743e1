// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"
#include "engine/experiment/renamed_keys.h"
#include "engine/experiment/text_data.h"

namespace parapet::experiment {

using namespace record;
namespace {

constexpr std::size_t kMaxSeparatorBytes = 16;
constexpr std::int64_t kMaxTextLength = 1 << 16;

const std::vector<std::pair<std::string, SourceKind>> kSources{
    {"movielens", SourceKind::kMovielens}, {"csv", SourceKind::kCsv},
    {"json", SourceKind::kJson},           {"parquet", SourceKind::kParquet},
    {"text", SourceKind::kText},           {"generated", SourceKind::kGenerated}};
/// Sources whose rows have columns, users and items.
const std::vector<std::string> kRowSources{"movielens", "csv", "json", "parquet", "generated"};

}  // namespace

std::string_view sourceName(SourceKind kind) {
  return std::ranges::find(kSources, kind, &std::pair<std::string, SourceKind>::second)->first;
}

const Record<Label>& describe(Type<Label>) {
  static const auto record =
      Record<Label>()
          .field("column", &Label::column, optional(text()),
                 "Column that the model predicts. null: every row has label 1.")
          .field("scale", &Label::scale, optional(interval()),
                 "[lo, hi]: lo becomes 0 and hi becomes 1. null: the values as they are.");
  return record;
}

const Record<Vocabulary>& describe(Type<Vocabulary>) {
  static const auto record =
      Record<Vocabulary>()
          .field("name", &Vocabulary::name, pathName(), "Name; that of the column it encodes.")
          .required()
          .selector(
              "kind", &Vocabulary::kind,
              choice<VocabularyKind>({{"direct", VocabularyKind::kDirect},
                                      {"compressed", VocabularyKind::kCompressed},
                                      {"hash", VocabularyKind::kHash}}),
              "direct: the raw id is the row, from 1, or from 0 where contexts alone use it. "
              "compressed: rows by descending frequency, row 0 "
              "for everything else. hash: rows by the hash of the id; several ids may share one.")
          .field("size", &Vocabulary::size, vocabularySize(),
                 "Rows: a number, \"max+1\" (largest id + 1), \"catalogue+1\" (entries of the "
                 "catalogue + 1) or \"auto\".")
          .field("min_count", &Vocabulary::minCount, integer({.min = 1}),
                 "Ids that fewer training rows have become out-of-vocabulary.")
          .of({"compressed"})
          .field(
              "oov", &Vocabulary::oov,
              optional(choice<OovKind>({{"row", OovKind::kRow},
                                        {"buckets", OovKind::kBuckets},
                                        {"error", OovKind::kError}})),
              "OOV policy: what becomes of an unknown id. row: row 0. buckets: one of the "
              "oov_buckets "
              "rows, by its hash. error: the line is rejected. null: error if kind is direct, else "
              "row.")
          .of({"direct", "compressed"})
          .field("oov_buckets", &Vocabulary::oovBuckets, integer({.min = 1, .max = kMaxRows}),
                 "OOV buckets: rows for unknown ids, with oov \"buckets\".")
          .of({"direct", "compressed"});
  return record;
}

const Record<TextFormat>& describe(Type<TextFormat>) {
  static const auto record =
      Record<TextFormat>()
          .field("delimiter", &TextFormat::delimiter, optional(separator(2)),
                 "Separates the cells of a line: one byte, or \"::\"; of spaces, several are one. "
                 "null: detected from the first lines.")
          .field("quote", &TextFormat::quote, optional(separator(1)),
                 "The byte around cells that contain the delimiter; doubled inside a cell. null: "
                 "none.")
          .field("header", &TextFormat::header, optional(boolean()),
                 "Whether the first line names the columns. null: detected.")
          .field("names", &TextFormat::names, list(text()),
                 "Names of the columns, all of them. []: those of the header, or \"1\", \"2\", …")
          .field("encoding", &TextFormat::encoding,
                 optional(choice<TextEncoding>({{"utf-8", TextEncoding::kUtf8},
                                                {"windows-1252", TextEncoding::kWindows1252}})),
                 "utf-8: a line with other bytes is rejected. windows-1252: cells that are not "
                 "UTF-8 are Windows-1252, which has ISO-8859-1 in it. null: detected from the "
                 "first lines.")
          .field("decimal", &TextFormat::decimal, optional(separator(1)),
                 "The decimal mark of numbers, \".\" or \",\". null: detected from the first "
                 "lines.")
          .field("null_values", &TextFormat::nullValues, optional(list(text())),
                 "Words that stand for an empty cell where they are not quoted. null: those that "
                 "databases, R and pandas write, such as NULL, \\N, None, nan, N/A and NA.");
  return record;
}

const Record<TextPieces>& describe(Type<TextPieces>) {
  static const auto record =
      Record<TextPieces>()
          .field("vocabulary", &TextPieces::vocabulary, text(),
                 "WordPiece vocabulary: a file with a token per line. A relative path is looked "
                 "for beside the data first.")
          .required()
          .field("lowercase", &TextPieces::lowercase, boolean(),
                 "Lower case without accents, as uncased vocabularies want it.")
          .field("min_bytes", &TextPieces::minBytes, integer({.min = 0}),
                 "Lines with fewer bytes, the line end aside, are left out.")
          .field("max_length", &TextPieces::maxLength, integer({.min = 3, .max = kMaxTextLength}),
                 "Max. tokens of a sequence, [CLS] and [SEP] included; longer ones are truncated.");
  return record;
}

const Record<Column>& describe(Type<Column>) {
  static const auto record =
      Record<Column>()
          .field("name", &Column::name, pathName(), "Name; features and vocabularies use it.")
          .required()
          .selector(
              "role", &Column::role,
              choice<ColumnRole>({{"user", ColumnRole::kUser},
                                  {"item", ColumnRole::kItem},
                                  {"context", ColumnRole::kContext},
                                  {"feature", ColumnRole::kFeature},
                                  {"time", ColumnRole::kTime},
                                  {"number", ColumnRole::kNumeric}}),
              "What the column is. user, item: who and what. context: known when "
              "recommendations are requested. feature: ids, one or several per row. time: "
              "seconds since 1970. number: a dense (numeric) feature, or the label of a head.")
          .field("from", &Column::from, optional(text()),
                 "Column of the source, or a derived one. null: the one called `name`.")
          .field("vocabulary", &Column::vocabulary, optional(pathName()),
                 "Vocabulary of the ids; columns may share one. null: the one called `name`.")
          .of({"user", "item", "context", "feature"})
          .field("separator", &Column::separator, optional(separator(kMaxSeparatorBytes)),
                 "Separates the ids of a cell. null: a cell has one id.")
          .of({"feature"})
          .field("weights", &Column::weights, optional(separator(kMaxSeparatorBytes)),
                 "Separates an id from its weight, as in 7:0.5. null: no weights.")
          .of({"feature"})
          .field(
              "missing", &Column::missing,
              choice<MissingNumbers>({{"reject", MissingNumbers::kReject},
                                      {"mean", MissingNumbers::kMean},
                                      {"zero", MissingNumbers::kZero}}),
              "What becomes of an empty cell. reject: the line is rejected. mean: the mean of the "
              "others. zero: 0.")
          .of({"number"})
          .field("null_values", &Column::nullValues, optional(list(text())),
                 "Words that stand for an empty cell of a text where they are not quoted. null: "
                 "those of the format.");
  return record;
}

const Record<TimeColumn>& describe(Type<TimeColumn>) {
  static const auto record =
      Record<TimeColumn>()
          .field("column", &TimeColumn::column, text(), "Column of the source.")
          .required()
          .field("unit", &TimeColumn::unit,
                 choice<TimeUnit>({{"seconds", TimeUnit::kSeconds},
                                   {"milliseconds", TimeUnit::kMilliseconds},
                                   {"microseconds", TimeUnit::kMicroseconds},
                                   {"nanoseconds", TimeUnit::kNanoseconds},
                                   {"text", TimeUnit::kText},
                                   {"day_first", TimeUnit::kDayFirst},
                                   {"month_first", TimeUnit::kMonthFirst}}),
                 "How its cells say when: a count since 1970, or text as in 2024-05-31, "
                 "2024-05-31 18:30:05 or 2024-05-31T18:30Z (UTC without an offset). seconds: with "
                 "a fraction, as in 1700000000.25. day_first: text, and 31/5/2024; month_first: "
                 "text, and 5/31/2024.");
  return record;
}

const Record<Derived>& describe(Type<Derived>) {
  static const auto record =
      Record<Derived>()
          .field("name", &Derived::name, pathName(), "Name of the new column.")
          .required()
          .selector(
              "kind", &Derived::kind,
              choice<DerivedKind>({{"hour", DerivedKind::kHour},
                                   {"time_of_day", DerivedKind::kTimeOfDay},
                                   {"weekday", DerivedKind::kWeekday},
                                   {"weekend", DerivedKind::kWeekend},
                                   {"month", DerivedKind::kMonth},
                                   {"buckets", DerivedKind::kBuckets}}),
              "What is computed. buckets: the interval between bounds that contains the value. The "
              "others: computed from seconds since 1970.")
          .field("from", &Derived::from, text(), "Column of the source.")
          .required()
          .field("bounds", &Derived::bounds, list(number(), 1), "Ascending bounds of the buckets.")
          .of({"buckets"})
          .field("utc_offset_minutes", &Derived::utcOffsetMinutes,
                 integer({.min = -14 * 60, .max = 14 * 60}),
                 "Minutes by which local time is ahead of UTC.")
          .of({"hour", "time_of_day", "weekday", "weekend", "month"});
  return record;
}

const Record<KCore>& describe(Type<KCore>) {
  static const auto record =
      Record<KCore>()
          .field("user", &KCore::user, integer({.min = 1}), "Min. rows of every user.")
          .field("item", &KCore::item, integer({.min = 1}), "Min. rows of every item.");
  return record;
}

const Record<PretrainedEmbeddings>& describe(Type<PretrainedEmbeddings>) {
  static const auto record =
      Record<PretrainedEmbeddings>()
          .field("name", &PretrainedEmbeddings::name, pathName(),
                 "Name of the pretrained embeddings.")
          .required()
          .field("of", &PretrainedEmbeddings::of, pathName(), "Vocabulary of their ids.")
          .required()
          .field(
              "path", &PretrainedEmbeddings::path, text(),
              "Text or Parquet file with one id per line, or a NumPy array (.npy) with a file of "
              "ids. A relative path is looked for beside the data first.")
          .required()
          .field("id", &PretrainedEmbeddings::id, text(), "Column of the raw ids.")
          .field("column", &PretrainedEmbeddings::column, optional(text()),
                 "Column of the embeddings: lists, or numbers separated by spaces. null: the only "
                 "list, or all other columns, which are numbers.")
          .field("ids", &PretrainedEmbeddings::ids, optional(text()),
                 "Of a NumPy array: the file with the ids of its rows. null: <name>.ids.csv beside "
                 "<name>.npy.");
  return record;
}

const Record<Catalogue>& describe(Type<Catalogue>) {
  static const auto record =
      Record<Catalogue>()
          .field("of", &Catalogue::of, word({"item", "user"}), "Whose ids the entries describe.")
          .field("path", &Catalogue::path, text(),
                 "Text or Parquet file with an entry per id. A relative path is looked for beside "
                 "the data first.")
          .required()
          .field("format", &Catalogue::format, optional(object<TextFormat>()),
                 "How lines of text become cells. null: guessed.")
          .field("id", &Catalogue::id, optional(text()),
                 "Column of the raw ids. null: the one called as that of the data.")
          .field("title", &Catalogue::title, optional(text()),
                 "Column of the titles. null: there are none.")
          .field(
              "columns", &Catalogue::columns, optional(list(text())),
              "Attributes: they are shown, and dataset.columns, derived and filter may name them "
              "as if the data had them. null: all columns but id and title.")
          .field("cold", &Catalogue::cold,
                 choice<ColdRows>({{"keep", ColdRows::kKeep}, {"drop", ColdRows::kDrop}}),
                 "What happens to entries without a row of the data. keep: they get rows of the "
                 "vocabulary and are candidates of models that read their features. drop: they are "
                 "left out.");
  return record;
}

const Record<Split>& describe(Type<Split>) {
  static const auto record =
      Record<Split>()
          .selector("kind", &Split::kind,
                    choice<SplitKind>({{"random", SplitKind::kRandom},
                                       {"leave_last", SplitKind::kLeaveLast},
                                       {"leave_random", SplitKind::kLeaveRandom},
                                       {"batches", SplitKind::kBatches},
                                       {"temporal", SplitKind::kTemporal},
                                       {"column", SplitKind::kColumn},
                                       {"files", SplitKind::kFiles}}),
                    "How rows are assigned to the parts. random: after one seeded shuffle. "
                    "leave_last, leave_random: the last, or any, rows of every user. batches: the "
                    "first batches of a set that is reshuffled every time, so that parts overlap. "
                    "temporal: by moments that are the same for all users. column: as a column of "
                    "the source says. files: a file for each part.")
          .defaults([](Split& split) {
            if (split.kind == SplitKind::kLeaveLast || split.kind == SplitKind::kLeaveRandom)
              split.validation = split.test = {1.0, false};
            if (split.kind == SplitKind::kColumn || split.kind == SplitKind::kFiles)
              split.validation = {0.0, false};
            if (split.kind == SplitKind::kTemporal) split.validation = split.test = {0.1, true};
          })
          .field("train", &Split::train, splitAmount(),
                 "Training rows (batches: batches): a count, or a share. 1.0 is all of them, 1 is "
                 "one.")
          .of({"random", "batches"})
          .field("validation", &Split::validation, splitAmount(),
                 "Rows measured during training: a count, or a share. leave_*: of the rows of each "
                 "user. column: of the training rows, drawn where the column names none.")
          .of({"random", "leave_last", "leave_random", "batches", "temporal", "column"})
          .field(
              "test", &Split::test, splitAmount(),
              "Rows measured once, at the end: a count, or a share. leave_*: of the rows of each "
              "user.")
          .of({"random", "leave_last", "leave_random", "batches", "temporal"})
          .field("order", &Split::order, eventOrder(),
                 "Which rows of a user are the last. time: those with the latest times. data: "
                 "those furthest down.")
          .of({"leave_last"})
          .field("column", &Split::column, text(),
                 "Column of the source whose cells are \"train\", \"validation\" or \"test\".")
          .of({"column"})
          .field("train", &Split::trainFile, optional(text()),
                 "files: the file of the training rows, beside the data or where the program runs.")
          .of({"files"})
          .field("validation", &Split::validationFile, optional(text()),
                 "files: the file of the rows that are measured during training; null: none.")
          .of({"files"})
          .field(
              "validation_rows", &Split::validation, splitAmount(),
              "Rows measured during training where no file has them: a count, or a share, of the "
              "training rows, drawn by the seed.")
          .of({"files"})
          .field("test", &Split::testFile, optional(text()),
                 "files: the file of the rows that are measured once, at the end; null: none.")
          .of({"files"})
          .field("validation_seconds", &Split::validationSeconds, optional(integer({.min = 0})),
                 "Length of the validation part, before that of the test. null: by `validation`.")
          .of({"temporal"})
          .field("test_seconds", &Split::testSeconds, optional(integer({.min = 0})),
                 "Length of the test part, before the end. null: by `test`.")
          .of({"temporal"})
          .field("gap_seconds", &Split::gapSeconds, integer({.min = 0}),
                 "Seconds left out before validation and before test.")
          .of({"temporal"})
          .field("end", &Split::end, optional(integer({.min = 0})),
                 "First second that is in no part. null: the one after the last row.")
          .of({"temporal"})
          .field("cold_users", &Split::coldUsers,
                 choice<ColdRows>({{"keep", ColdRows::kKeep}, {"drop", ColdRows::kDrop}}),
                 "What happens to held-out rows whose user has no training row.")
          .of({"leave_last", "leave_random", "temporal", "column", "files"})
          .field("cold_items", &Split::coldItems,
                 choice<ColdRows>({{"keep", ColdRows::kKeep}, {"drop", ColdRows::kDrop}}),
                 "What happens to held-out rows whose item has no training row.")
          .of({"leave_last", "leave_random", "temporal", "column", "files"})
          .field("seed", &Split::seed, optional(seed()),
                 "Seed of the shuffle. null: /training/seed.")
          .of({"random", "leave_random", "batches", "column"});
  return record;
}

const Record<Batch>& describe(Type<Batch>) {
  static const auto record =
      Record<Batch>()
          .renamed(renamesOf("/dataset/batch"))
          .field("size", &Batch::size, optional(integer({.min = 1, .max = kMaxRows})),
                 "Examples of a global batch, over all devices. Exactly one of size and per_device "
                 "is given.")
          .field("per_device", &Batch::perDevice, optional(integer({.min = 1, .max = kMaxRows})),
                 "Examples of a batch on each device.")
          .field("drop_remainder", &Batch::dropRemainder, boolean(),
                 "Leave out the last batch of an epoch if it is short.")
          .field("shuffle", &Batch::shuffle,
                 choice<BatchOrder>({{"once", BatchOrder::kOnce},
                                     {"epoch", BatchOrder::kEpoch},
                                     {"none", BatchOrder::kNone}}),
                 "once: the same shuffled batches every epoch. epoch: reshuffled every epoch. "
                 "none: in the order of the data.")
          .field("cache", &Batch::cache, boolean(), "Keep gathered batches in memory.")
          .field(
              "group_size", &Batch::groupSize, optional(integer({.min = 2, .max = 100000})),
              "Group size for listwise losses: so many rows of one user are adjacent and compared; "
              "a user's last group may be smaller. null: no groups.")
          .field("replay_batches", &Batch::replayBatches, optional(integer({.min = 1})),
                 "After epoch 1 every epoch repeats the first so many batches of epoch 1, as Keras "
                 "does "
                 "with an exhausted generator. null: every epoch reads all rows.")
          .field("window", &Batch::window, integer({.min = 1}),
                 "Rows that are shuffled together; larger sets are shuffled by runs of rows.");
  return record;
}

const Record<Generator>& describe(Type<Generator>) {
  static const auto record =
      Record<Generator>()
          .selector("kind", &Generator::kind,
                    choice<GeneratorKind>({{"movies", GeneratorKind::kMovies},
                                           {"clicks", GeneratorKind::kClicks},
                                           {"events", GeneratorKind::kEvents}}),
                    "movies: ratings. clicks: impressions with contexts and a click label. "
                    "events: listening events.")
          .field("users", &Generator::users, integer({.min = 2, .max = kMaxRows - 1}), "Users.")
          .field("items", &Generator::items, integer({.min = 2, .max = kMaxRows - 1}), "Items.")
          .field("events", &Generator::events, integer({.min = 1, .max = kMaxRows}),
                 "Rows of the data set: ratings, impressions or events.")
          .field("seed", &Generator::seed, seed(), "Seed of the generated data.")
          .field("context_strength", &Generator::contextStrength, number({.min = 0.0, .max = 1.0}),
                 "How much the context of a row decides, from nothing (0) to all that it can (1).")
          .of({"clicks", "events"})
          .field("order_strength", &Generator::orderStrength, number({.min = 0.0, .max = 1.0}),
                 "Share of the listens that follow the one before: each track has four that come "
                 "after it. 0: the order says nothing.")
          .of({"events"});
  return record;
}

const Record<Dataset>& describe(Type<Dataset>) {
  static const auto record =
      Record<Dataset>()
          .renamed(renamesOf("/dataset"))
          .selector(
              "source", &Dataset::source, choice<SourceKind>(kSources),
              "Where rows come from. movielens: a MovieLens folder or zip. csv: lines of text, "
              "packed ones too. json: lines with a JSON object each. parquet: Parquet files. text: "
              "lines of prose, a sequence of tokens each. "
              "generated: made on the spot from a seed.")
          .defaults([](Dataset& dataset) {
            dataset.generator = dataset.source == SourceKind::kGenerated
                                    ? std::optional(Generator{})
                                    : std::nullopt;
            if (dataset.isText()) useTextDefaults(dataset);
          })
          .field("path", &Dataset::path, optional(text()),
                 "File or folder of the source. With the split \"files\", the folder that relative "
                 "paths are looked for in.")
          .field("format", &Dataset::format, optional(object<TextFormat>()),
                 "How lines become cells. null: guessed.")
          .of({"csv"})
          .field("text", &Dataset::text, orDefault(object<TextPieces>()),
                 "How lines become sequences of tokens.")
          .of({"text"})
          .field("slice", &Dataset::slice, optional(text()),
                 "Rows of the source to read, as in [:5%] or [1000:2000]. null: all.")
          .field("generator", &Dataset::generator, orDefault(object<Generator>()),
                 "Settings of the generated data.")
          .of({"generated"})
          .field(
              "columns", &Dataset::columns, list(object<Column>()),
              "Columns of the data set and what they are. []: user, item and time of the source.")
          .field("times", &Dataset::times, list(object<TimeColumn>()),
                 "Columns of the source whose times are not seconds since 1970; wherever they are "
                 "used, they are.")
          .of(kRowSources)
          .field("derived", &Dataset::derived, list(object<Derived>()),
                 "Columns that are computed from those of the source.")
          .of(kRowSources)
          .field("filter", &Dataset::filter, optional(text()),
                 "Rows that stay, as in: rating >= 3 and weekday in (\"monday\", \"sunday\"). "
                 "null: all.")
          .field(
              "k_core", &Dataset::kCore, optional(object<KCore>()),
              "Leave out users and items with few rows, repeatedly, until all others have enough. "
              "null: keep all.")
          .of(kRowSources)
          .field("catalogues", &Dataset::catalogues, list(object<Catalogue>()),
                 "Titles, attributes and features of items and users, from files beside the data.")
          .of(kRowSources)
          .field("vectors", &Dataset::vectors, list(object<PretrainedEmbeddings>()),
                 "Pretrained embeddings of ids, from files.")
          .of(kRowSources)
          .field("label", &Dataset::label, object<Label>(), "What is predicted.")
          .of(kRowSources)
          .field(
              "weight", &Dataset::weight, optional(text()),
              "Column of example weights. They enter every loss and its gradients, the metrics of "
              "examples (rmse, mae, accuracy, auc, gauc, logloss, ne, calibration, and of examples "
              "ranked "
              "within groups) of validation and test, and the means of the baselines. They do not "
              "enter rankings of the catalogue (recall@k, ndcg@k, hit@k, mrr and most popular of a "
              "retrieval model): there an item is relevant or not. null: every example weighs 1.")
          .of(kRowSources)
          .field(
              "max_rejected_share", &Dataset::maxRejectedShare, number({.min = 0.0, .max = 1.0}),
              "Max. rejected share: the import fails if a larger share of the lines is rejected.")
          .field("vocabularies", &Dataset::vocabularies, list(object<Vocabulary>()),
                 "How raw ids become rows of embedding tables, one entry per column.")
          .field("split", &Dataset::split, object<Split>(), "Which rows train, validate and test.")
          .field("batch", &Dataset::batch, object<Batch>(), "How training rows come in batches.");
  return record;
}

}  // namespace parapet::experiment
