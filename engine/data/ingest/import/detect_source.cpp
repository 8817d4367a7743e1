// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/detect_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/ingest/sources/movielens.h"
#include "engine/data/ingest/sources/packed_files.h"
#include "engine/data/ingest/sources/parquet_folder.h"
#include "engine/data/ingest/sources/table_files.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/experiment/text_data.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;
using experiment::SourceKind;

constexpr std::size_t kSentenceBytes = 16'384;  // of a file; wiki texts begin with short headings
constexpr int kMaxPiecesLookedAt = 8;           // behind lines that are longer
constexpr std::size_t kLooked = 4096;           // of a file, that tell what it is
constexpr double kMinWords = 4.0, kMinLetters = 0.6;

std::string extensionOf(const fs::path& path) {
  return toLowerAscii(path.extension().string());
}

bool isTextFile(const fs::path& path) {
  const std::string end = extensionOf(path);
  return end == ".txt" || end == ".text" || end == ".tokens" || end == ".raw" || end.empty();
}

std::vector<std::string_view> wholeLines(std::string_view head) {
  std::vector<std::string_view> lines;
  for (std::string_view line : splitFields(head, '\n')) {
    line = trim(line);
    if (!line.empty()) lines.push_back(line);
  }
  // The last one may be cut where the looking ended.
  if (lines.size() > 1 && !head.ends_with('\n')) lines.pop_back();
  return lines;
}

bool isLetter(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return std::isalpha(code) != 0 || code >= 0x80;
}

/// One delimiter cuts all lines into as many fields, runs of spaces do, or the first line is a list of
/// names.
bool isTable(const std::vector<std::string_view>& lines) {
  for (const char delimiter : {'\t', ',', ';', '|'}) {
    std::set<std::size_t> counts;
    for (const std::string_view line : lines)
      counts.insert(static_cast<std::size_t>(std::ranges::count(line, delimiter)));
    if (lines.size() > 1 && counts.size() == 1 && *counts.begin() > 0) return true;
    const auto names = splitFields(lines.front(), delimiter);
    const bool allNames = names.size() > 1 && std::ranges::all_of(names, [](std::string_view name) {
                            name = trim(name);
                            return !name.empty() && name.find(' ') == std::string_view::npos;
                          });
    if (allNames) return true;
  }
  // Columns that runs of spaces hold apart.
  std::set<std::size_t> counts;
  for (const std::string_view line : lines) {
    std::size_t cells = 0;
    for (const std::string_view cell : splitFields(line, ' ')) cells += cell.empty() ? 0 : 1;
    counts.insert(line.find("  ") == std::string_view::npos ? 0 : cells);
  }
  return lines.size() > 2 && counts.size() == 1 && *counts.begin() > 1;
}

/// A vocabulary in the folder of the texts: vocab.txt, else the first file whose name says so.
std::string vocabularyIn(const fs::path& folder) {
  std::error_code ignored;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file(ignored) && extensionOf(name) == ".txt" &&
        toLowerAscii(name).find("vocab") != std::string::npos)
      names.push_back(name);
  }
  if (std::ranges::find(names, "vocab.txt") != names.end()) return "vocab.txt";
  return names.empty() ? std::string() : *std::ranges::min_element(names);
}

std::string headOf(const fs::path& file, std::size_t bytes) {
  std::ifstream in(file, std::ios::binary);
  std::string head(bytes, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head;
}

/// The first lines of a file of a corpus, unpacked, behind those that are longer than what is
/// looked at: a word without an end says nothing of the others.
Result<std::string> startOfCorpus(const CorpusFile& file) {
  PARAPET_ASSIGN(const auto input, openCorpusFile(file));
  std::string start;
  Source::Piece piece;
  for (int read = 0; read < kMaxPiecesLookedAt; ++read) {
    PARAPET_ASSIGN(const bool more, input->next(piece));
    if (!more) break;
    if (read == 0) start = piece.text.substr(0, kSentenceBytes);
    for (std::string_view rest = piece.text; piece.longLineBytes == 0 && !rest.empty();) {
      const std::string_view from = rest;
      if (takeLine(rest).size() <= kSentenceBytes)
        return std::string(from.substr(0, kSentenceBytes));
    }
  }
  return start;
}

bool holdsSentences(const CorpusFile& file) {
  const auto start = startOfCorpus(file);
  return start && looksLikeSentences(*start);
}

/// The fault of the start of a file that is named as one of a corpus.
std::string reasonAgainstCorpus(std::string_view start) {
  const std::vector<std::string_view> lines = wholeLines(start);
  if (lines.empty()) return start.empty() ? "is empty" : "begins with blank lines alone";
  if (start.find('\0') != std::string_view::npos) return "is not text: it has NUL bytes";
  // A line that is cut where the looking ended may end inside a character.
  const bool isCut = lines.size() == 1 && start.size() >= kSentenceBytes;
  if (!isCut && !std::ranges::all_of(lines, isValidUtf8)) return "is not UTF-8";
  return "does not begin with lines of words";
}

/// The other names are those of corpora alone.
bool mayBeTable(const CorpusFile& file) {
  return unpackedName(file.name).ends_with(".txt");
}

/// Not by its name: cells stand in it.
bool holdsTable(const fs::path& file) {
  const std::string head = headOf(file, kSentenceBytes);
  if (head.find('\0') != std::string::npos || looksLikeSentences(head)) return false;
  const std::vector<std::string_view> lines = wholeLines(head);
  return !lines.empty() && isTable(lines);
}

/// A document of ours: an object with its version, or with an object that is the data set.
bool isExperiment(std::string_view head) {
  const auto behind = [](std::string_view text, std::string_view start) -> std::string_view {
    text = trim(text);
    return text.starts_with(start) ? text.substr(start.size()) : std::string_view();
  };
  const auto valueOf = [&](std::string_view key) {
    const std::size_t found = head.find(key);
    return found == head.npos ? head.substr(0, 0) : behind(head.substr(found + key.size()), ":");
  };
  return trim(head).starts_with('{') &&
         (!valueOf("\"parapet\"").empty() || !behind(valueOf("\"dataset\""), "{").empty());
}

Error noData(const fs::path& path, const std::string& found) {
  return {.code = ErrorCode::kData,
          .message = path.string() + " " + found +
                     "; accepted: lines of text (.csv, .tsv, .jsonl, .gz, .zst), Parquet, a "
                     "MovieLens folder or "
                     "zip, a folder of texts (train.txt, valid.txt, test.txt)",
          .path = path.string()};
}

/// Only the ids of 100K are those of the first movies without a gap, so that they can be rows.
experiment::Dataset movieLens(const fs::path& path, MovielensLayout::Kind layout, double least) {
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kMovielens;
  spec.path = path.string();
  spec.label = {.column = "rating", .scale = std::array{least, 5.0}};
  using experiment::VocabularySize;
  spec.vocabularies.resize(2);
  spec.vocabularies[0].name = "user";
  spec.vocabularies[0].size.kind = VocabularySize::Kind::kMaxPlusOne;
  spec.vocabularies[1].name = "item";
  std::error_code ignored;
  const bool hasMovies = !fs::is_directory(path, ignored) || fs::exists(path / "u.item", ignored);
  if (layout == MovielensLayout::Kind::k100K)
    spec.vocabularies[1].size.kind =
        hasMovies ? VocabularySize::Kind::kCataloguePlusOne : VocabularySize::Kind::kMaxPlusOne;
  else
    spec.vocabularies[1].kind = experiment::VocabularyKind::kCompressed;
  return spec;
}

experiment::Dataset plainSource(experiment::SourceKind source, const fs::path& path) {
  experiment::Dataset spec;
  spec.source = source;
  spec.path = path.string();
  spec.label.column.reset();
  return spec;
}

/// The MovieLens data set that a folder or an archive is; nullopt if it is none.
std::optional<experiment::Dataset> movieLensIn(const fs::path& path) {
  const auto files = FileCollection::open(path);
  if (!files) return std::nullopt;
  const auto layout = MovielensLayout::of(*files, path.string());
  using Layout = MovielensLayout::Kind;
  if (!layout || (layout->kind == Layout::kCsv && !files->has(layout->items))) return std::nullopt;
  // Half stars came with 10M, which has no users.
  const bool whole =
      layout->kind == Layout::k100K || (layout->kind == Layout::k1M && files->has(layout->users));
  return movieLens(path, layout->kind, whole ? 1.0 : 0.5);
}

Result<experiment::Dataset> detectFile(const fs::path& file) {
  const std::string head = headOf(file, kLooked);
  if (head.starts_with("PAR1")) return plainSource(experiment::SourceKind::kParquet, file);
  if (head.starts_with("PK\x03\x04")) {
    if (auto ratings = movieLensIn(file)) return std::move(*ratings);
    if (auto corpus = corpusAt(file)) return std::move(*corpus);
    return plainSource(holdsJson(file) ? SourceKind::kJson : SourceKind::kCsv, file);
  }
  if (compressionOf(head) != Compression::kNone)
    return plainSource(holdsJson(file) ? SourceKind::kJson : SourceKind::kCsv, file);
  if (head.empty()) return noData(file, "is empty");
  if (isExperiment(head)) return noData(file, "is an experiment, which is opened, not imported");
  if (head.find('\0') != std::string::npos) return noData(file, "is neither text nor Parquet");
  if (holdsJson(file)) return plainSource(SourceKind::kJson, file);
  if (auto corpus = corpusAt(file)) return std::move(*corpus);
  return plainSource(SourceKind::kCsv, file);
}

/// A table inside an archive.
Result<experiment::Dataset> detectMember(const fs::path& member) {
  const bool isJson = holdsJson(member);
  PARAPET_TRY(TableFiles::find(member, isJson ? TableKind::kJson : TableKind::kDelimited));
  return plainSource(isJson ? SourceKind::kJson : SourceKind::kCsv, member);
}

/// The part of the rows that a file is by a word of its name: "train.csv", "ratings-test.csv.gz".
std::optional<experiment::SplitPart> partOfName(std::string_view name) {
  using experiment::SplitPart;
  std::string stem = toLowerAscii(name.substr(0, name.find('.')));
  std::ranges::replace(stem, '_', '-');
  std::optional<SplitPart> part;
  for (const std::string_view word : splitFields(stem, '-')) {
    std::optional<SplitPart> said;
    if (word == "train" || word == "training") said = SplitPart::kTrain;
    if (word == "valid" || word == "validation" || word == "val" || word == "dev")
      said = SplitPart::kValidation;
    if (word == "test" || word == "testing") said = SplitPart::kTest;
    if (said && part) return std::nullopt;
    if (said) part = said;
  }
  return part;
}

/// The split of a folder with a file of training rows and one of others, each the only one of its part;
/// without validation rows a tenth of the training rows is drawn.
std::optional<experiment::Split> splitOfFolder(const fs::path& folder, SourceKind source) {
  experiment::Split split;
  split.kind = experiment::SplitKind::kFiles;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename().string();
    const bool isTable =
        source == SourceKind::kParquet
            ? toLowerAscii(name).ends_with(".parquet")
            : isTableName(name,
                          source == SourceKind::kJson ? TableKind::kJson : TableKind::kDelimited);
    const auto part = partOfName(name);
    if (!isTable || !part || !entry.is_regular_file(failed) || entry.file_size(failed) == 0)
      continue;
    using experiment::SplitPart;
    std::optional<std::string>& file = *part == SplitPart::kTrain        ? split.trainFile
                                       : *part == SplitPart::kValidation ? split.validationFile
                                                                         : split.testFile;
    if (file) return std::nullopt;
    file = name;
  }
  if (!split.trainFile || (!split.validationFile && !split.testFile)) return std::nullopt;
  split.validation = {.value = split.validationFile ? 0.0 : 0.1, .isRatio = !split.validationFile};
  return split;
}

/// A folder of tables, or of a table for each part.
experiment::Dataset tablesOf(SourceKind source, const fs::path& folder) {
  experiment::Dataset spec = plainSource(source, folder);
  if (auto split = splitOfFolder(folder, source)) spec.split = std::move(*split);
  return spec;
}

Result<experiment::Dataset> detectFolder(const fs::path& folder) {
  if (auto ratings = movieLensIn(folder)) return std::move(*ratings);
  std::error_code failed;
  std::vector<fs::path> packed;
  bool csv = false, json = false;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string end = extensionOf(entry.path());
    csv = csv || end == ".csv";
    const bool isJson = isTableName(entry.path().string(), TableKind::kJson);
    json = json || (isJson && entry.is_regular_file(failed) && holdsJson(entry.path()) &&
                    !isExperiment(headOf(entry.path(), kLooked)));
    if (isJson) continue;
    if (end == ".tsv" || end == ".gz" || end == ".zst" || end == ".zip")
      packed.push_back(entry.path());
    if (entry.is_directory(failed))
      if (auto ratings = movieLensIn(entry.path())) return std::move(*ratings);
  }
  if (holdsParquet(folder)) return tablesOf(SourceKind::kParquet, folder);
  if (csv || splitOfFolder(folder, SourceKind::kCsv)) return tablesOf(SourceKind::kCsv, folder);
  if (auto corpus = corpusAt(folder)) return std::move(*corpus);
  if (auto wrong = wrongFileOfCorpus(folder)) return std::move(*wrong);
  if (packed.size() == 1) return detectFile(packed.front());
  if (json && packed.empty()) return tablesOf(SourceKind::kJson, folder);
  return noData(folder, packed.empty() ? "holds no known data"
                                       : "holds several files of text; choose one of them");
}

}  // namespace

bool looksLikeSentences(std::string_view head) {
  if (head.find('\0') != std::string_view::npos) return false;
  const std::vector<std::string_view> lines = wholeLines(head);
  if (lines.empty() || isTable(lines)) return false;
  std::size_t words = 0, letters = 0, bytes = 0;
  for (const std::string_view line : lines) {
    bool inWord = false;
    for (const char byte : line) {
      const bool blank = byte == ' ' || byte == '\t';
      words += !blank && !inWord ? 1 : 0;
      inWord = !blank;
      if (blank) continue;
      ++bytes;
      letters += isLetter(byte) ? 1 : 0;
    }
  }
  return static_cast<double>(words) >= kMinWords * static_cast<double>(lines.size()) &&
         static_cast<double>(letters) >= kMinLetters * static_cast<double>(bytes);
}

std::optional<experiment::Dataset> corpusAt(const fs::path& path) {
  experiment::Dataset spec;
  spec.source = experiment::SourceKind::kText;
  spec.path = path.string();
  experiment::useTextDefaults(spec);
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  const bool archive = !folder && extensionOf(path) == ".zip";
  if (!folder && !archive) {
    if (!isTextFile(path) || !holdsSentences({.path = path.string(), .name = {}}))
      return std::nullopt;
  } else {
    experiment::Dataset look = spec;
    look.split.kind = experiment::SplitKind::kRandom;  // by files, their lines would be counted
    const auto corpus = findCorpus(look);
    if (!corpus) return std::nullopt;
    const CorpusFile& first = corpus->files.front();
    if (folder && mayBeTable(first) && !holdsSentences(first)) return std::nullopt;
  }
  spec.text->vocabulary = vocabularyIn(folder ? path : path.parent_path());
  const std::string name = toLowerAscii(spec.text->vocabulary);
  spec.text->lowercase = name.find("uncased") != name.npos || name.find("cased") == name.npos;
  return spec;
}

std::optional<Error> wrongFileOfCorpus(const fs::path& folder) {
  experiment::Dataset look;
  look.source = experiment::SourceKind::kText;
  look.path = folder.string();
  look.split.kind = experiment::SplitKind::kRandom;
  const auto corpus = findCorpus(look);
  if (!corpus) return std::nullopt;
  const CorpusFile& first = corpus->files.front();
  const auto start = startOfCorpus(first);
  if (!start) return start.error();
  if (const auto lines = wholeLines(*start); !lines.empty() && isTable(lines)) return std::nullopt;
  return Error{.code = ErrorCode::kData,
               .message = fmt::format("{} {}; accepted: text in UTF-8 with sentences on its lines",
                                      first.path, reasonAgainstCorpus(*start)),
               .path = first.path};
}

Result<experiment::Dataset> detectSource(const fs::path& path) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(path, failed);
  if (fs::is_directory(absolute, failed)) return detectFolder(absolute);
  if (archiveAbove(absolute)) return detectMember(absolute);
  if (!fs::exists(absolute, failed))
    return Error{.code = ErrorCode::kNotFound,
                 .message = absolute.string() + " does not exist",
                 .path = absolute.string()};
  if (!fs::is_regular_file(absolute, failed))
    return noData(absolute, "is a pipe, socket or device, and a source is read several times");
  return detectFile(absolute);
}

Error textsForRows(const fs::path& path) {
  return {.code = ErrorCode::kData,
          .message = fmt::format(
              "{0} is a corpus of texts, and the experiment reads rows of users and items; "
              "accepted: a text file of rows, Parquet, MovieLens. A masked language model reads "
              "texts: `parapet-cli init {0}` proposes one",
              path.string()),
          .pointer = "/dataset/path",
          .path = path.string()};
}

Status requireKindOfData(const experiment::Dataset& wanted, const fs::path& path) {
  const auto found = detectSource(path);
  if (!found) return {};
  if (!wanted.isText()) {
    if (found->isText()) return textsForRows(path);
    return {};
  }
  const std::string end = extensionOf(path);
  // Any other file is read line by line.
  const bool rows = found->source == experiment::SourceKind::kMovielens ||
                    found->source == experiment::SourceKind::kParquet ||
                    found->source == experiment::SourceKind::kJson ||
                    (found->source == experiment::SourceKind::kCsv &&
                     (end == ".csv" || end == ".tsv" || (!isTextFile(path) && holdsTable(path))));
  if (!rows) return {};
  return Error{.code = ErrorCode::kData,
               .message = fmt::format(
                   "{} is {}, rows of users and items, and the experiment reads texts; accepted: a "
                   "text file, or a folder or zip with wiki.{{train,valid,test}}.tokens or "
                   "{{train,valid,test}}.txt",
                   path.string(),
                   found->source == experiment::SourceKind::kMovielens ? "MovieLens"
                   : found->source == experiment::SourceKind::kParquet ? "Parquet"
                                                                       : "a table"),
               .pointer = "/dataset/path",
               .path = path.string()};
}

}  // namespace parapet::data
