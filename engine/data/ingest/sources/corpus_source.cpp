// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/corpus_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/text_input.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;
using experiment::SplitPart;

constexpr std::array kParts{SplitPart::kTrain, SplitPart::kValidation, SplitPart::kTest};
constexpr const char* kAccepted =
    "wiki.{train,valid,test}.tokens, wiki.{train,valid,test}.raw or {train,valid,test}.txt";

// The names that the files of a part may have.
std::vector<std::string> namesOf(SplitPart part) {
  const std::string word = part == SplitPart::kTrain        ? "train"
                           : part == SplitPart::kValidation ? "valid"
                                                            : "test";
  return {"wiki." + word + ".tokens", "wiki." + word + ".raw", word + ".txt"};
}

Result<std::vector<CorpusFile>> namedFiles(const experiment::Dataset& spec) {
  const experiment::Split& split = spec.split;
  std::vector<CorpusFile> files;
  for (const auto& [part, named] : {std::pair{SplitPart::kTrain, &split.trainFile},
                                    {SplitPart::kValidation, &split.validationFile},
                                    {SplitPart::kTest, &split.testFile}}) {
    if (!*named) continue;
    auto found = findSideFile(spec, **named);
    if (!found) {
      Error error = found.error();
      error.pointer = fmt::format("/dataset/split/{}", experiment::splitPartName(part));
      return error;
    }
    files.push_back({*found, **named, part});
  }
  return files;
}

// The file of a part in a folder: the first name that is there, packed where it is only packed.
std::optional<CorpusFile> fileOfPart(const fs::path& folder, SplitPart part,
                                     std::vector<std::string>& warnings) {
  std::error_code ignored;
  for (const std::string& name : namesOf(part)) {
    std::vector<std::string> found;
    for (const char* const ending : {"", ".gz", ".zst"})
      if (fs::is_regular_file(folder / (name + ending), ignored)) found.push_back(name + ending);
    if (found.empty()) continue;
    if (found.size() > 1)
      warnings.push_back(fmt::format("{} is read, not {}, which lies beside it", found[0],
                                     join(std::span(found).subspan(1), " or ")));
    return CorpusFile{(folder / found[0]).string(), found[0], part};
  }
  return std::nullopt;
}

Result<CorpusFiles> filesOfFolder(const fs::path& folder) {
  CorpusFiles corpus;
  for (const SplitPart part : kParts)
    if (auto file = fileOfPart(folder, part, corpus.warnings))
      corpus.files.push_back(std::move(*file));
  if (corpus.files.empty())
    return Error{ErrorCode::kData,
                 fmt::format("{} has none of the files of a corpus; accepted: {}, each also as "
                             ".gz or .zst, or the path of one file",
                             folder.string(), kAccepted),
                 "/dataset/path", folder.string()};
  return corpus;
}

Result<std::vector<CorpusFile>> filesOfArchive(const fs::path& path) {
  PARAPET_ASSIGN(const FileCollection collection, FileCollection::open(path));
  std::vector<CorpusFile> files;
  for (const SplitPart part : kParts)
    for (const std::string& name : namesOf(part)) {
      if (!collection.has(name)) continue;
      files.push_back({collection.pathOf(name), name, part, 0, path.string()});
      break;
    }
  if (files.empty())
    return Error{ErrorCode::kData,
                 fmt::format("{} holds none of the files of a corpus; accepted: {}", path.string(),
                             kAccepted),
                 "/dataset/path", path.string()};
  return files;
}

Result<std::int64_t> countLines(const CorpusFile& file) {
  PARAPET_ASSIGN(const auto input, openCorpusFile(file));
  std::int64_t lines = 0;
  Source::Piece piece;
  for (;;) {
    PARAPET_ASSIGN(const bool more, input->next(piece));
    if (!more) return lines;
    lines += piece.longLineBytes > 0 ? 1 : std::ranges::count(piece.text, '\n');
    if (piece.longLineBytes == 0 && !piece.text.ends_with('\n')) ++lines;
  }
}

// The first lines of the file that would validate, or of the only one, train.
Status giveTrainingLines(CorpusFiles& corpus, const std::string& where) {
  auto found = std::ranges::find(corpus.files, SplitPart::kValidation, &CorpusFile::part);
  if (found == corpus.files.end() && corpus.files.size() == 1 && !corpus.files[0].part)
    found = corpus.files.begin();
  if (found == corpus.files.end())
    return Error{ErrorCode::kData,
                 fmt::format("{} has a file of test lines alone; a file of training or of "
                             "validation lines is needed: {}",
                             where, kAccepted),
                 "/dataset/path", where};
  found->part = SplitPart::kValidation;
  PARAPET_ASSIGN(const std::int64_t lines, countLines(*found));
  found->trainingLines = std::max<std::int64_t>(1, lines * 9 / 10);
  corpus.warnings.push_back(
      fmt::format("there is no file of training lines: the first 90 % of {} ({} of {} lines) train "
                  "and the others validate",
                  found->name, formatCount(found->trainingLines), formatCount(lines)));
  return {};
}

constexpr const char* kVocabularyPointer = "/dataset/text/vocabulary";

class CorpusSource final : public Source {
 public:
  /// Without an encoder lines are not cut into pieces.
  CorpusSource(CorpusFiles corpus, std::optional<WordPiece> encoder, std::string vocabularyPath,
               std::int64_t maxLength, std::unique_ptr<TextInput> first)
      : columns_(encoder ? std::vector(kColumns.begin(), kColumns.end())
                         : std::vector{kColumns[0], kColumns[2]}),
        corpus_(std::move(corpus)),
        encoder_(std::move(encoder)),
        vocabularyPath_(std::move(vocabularyPath)),
        maxLength_(maxLength),
        input_(std::move(first)) {
    for (const CorpusFile& file : corpus_.files) {
      std::error_code ignored;
      bytes_ += static_cast<std::int64_t>(std::filesystem::file_size(file.path, ignored));
    }
  }

  [[nodiscard]] const std::vector<SourceColumn>& columns() const override { return columns_; }
  Status select(std::span<const ColumnRequest> requests) override;
  Result<bool> next(Piece& piece) override;
  Status parse(const Piece& piece, RowBlock& block) const override;
  [[nodiscard]] std::string excerpt(const Piece& piece, std::int64_t line) const override {
    return printable(lineAt(piece.text, line));
  }
  Status hashInto(Hasher& hasher, const WorkContext& context) const override;
  [[nodiscard]] std::string fileName() const override { return corpus_.files.front().name; }
  [[nodiscard]] std::int64_t done() const override { return bytesBefore_ + input_->done(); }
  [[nodiscard]] std::int64_t total() const override { return bytes_; }
  [[nodiscard]] std::vector<std::string> warnings() const override { return corpus_.warnings; }

 private:
  enum class Column { kText, kPieces, kBytes, kTokens };
  /// Rows of a piece before they are columns.
  struct Lines {
    std::vector<std::string_view> texts;
    std::vector<std::int32_t> ids, offsets{0};
  };

  [[nodiscard]] const CorpusFile& file() const { return corpus_.files[file_]; }
  void addLine(std::string_view line, std::int64_t number, Lines& lines, RowBlock& block) const;
  void fill(Column column, const Lines& lines, ColumnValues& values) const;
  Result<bool> fetch(Piece& piece);
  void cutTrainingLines(Piece& piece);

  // In the order of Column.
  inline static const std::array<SourceColumn, 4> kColumns{
      SourceColumn{CorpusColumns::kText, ValueType::kText, false},
      {CorpusColumns::kPieces, ValueType::kText, true},
      {CorpusColumns::kBytes, ValueType::kInteger, false},
      {experiment::kTokensColumn, ValueType::kInteger, true}};
  const std::vector<SourceColumn> columns_;
  CorpusFiles corpus_;
  std::optional<WordPiece> encoder_;
  std::string vocabularyPath_;
  std::int64_t maxLength_;
  std::vector<Column> selected_;
  std::size_t file_ = 0;
  std::unique_ptr<TextInput> input_;
  std::optional<Piece> rest_;  // of a piece of which the first lines train
  std::int64_t pieces_ = 0, linesOfFile_ = 0, bytes_ = 0, bytesBefore_ = 0;
};

Status CorpusSource::select(std::span<const ColumnRequest> requests) {
  const std::vector<std::string> names = namesOf(columns_);
  selected_.clear();
  for (const ColumnRequest& request : requests) {
    const auto found = std::ranges::find(columns_, request.name, &SourceColumn::name);
    if (found == columns_.end())
      return wrongRequest(fmt::format("a text has no column \"{}\"{}; accepted: {}", request.name,
                                      didYouMean(request.name, names), join(names)));
    if (!request.separator.empty() ||
        (request.type && *request.type != found->type &&
         !(found->type == ValueType::kInteger && *request.type == ValueType::kNumber)))
      return wrongRequest(
          fmt::format("the column \"{}\" of a text cannot be read as another type", request.name));
    selected_.push_back(static_cast<Column>(
        std::ranges::find(kColumns, request.name, &SourceColumn::name) - kColumns.begin()));
  }
  return {};
}

Result<bool> CorpusSource::next(Piece& piece) {
  if (rest_) {
    piece = *std::exchange(rest_, std::nullopt);
  } else {
    PARAPET_ASSIGN(const bool more, fetch(piece));
    if (!more) return false;
  }
  cutTrainingLines(piece);
  piece.index = pieces_++;
  return true;
}

// The next piece of the files, which follow one another.
Result<bool> CorpusSource::fetch(Piece& piece) {
  for (;;) {
    PARAPET_ASSIGN(const bool found, input_->next(piece));
    if (found) {
      piece.file = file().name;
      piece.part = file().part;
      return true;
    }
    if (input_->hasByteOrderMark())
      corpus_.warnings.push_back(
          fmt::format("{} begins with a byte-order mark, which is skipped", file().name));
    if (file_ + 1 == corpus_.files.size()) return false;
    ++file_;
    PARAPET_ASSIGN(auto input, openCorpusFile(file()));
    bytesBefore_ += input_->done();
    linesOfFile_ = 0;
    input_ = std::move(input);
  }
}

// Ends a piece where the training lines of its file end; what is left is the next one.
void CorpusSource::cutTrainingLines(Piece& piece) {
  if (file().trainingLines == 0) return;
  const std::int64_t training = file().trainingLines - linesOfFile_;
  if (training <= 0) return;
  piece.part = SplitPart::kTrain;
  if (piece.longLineBytes > 0) {
    ++linesOfFile_;
    return;
  }
  std::string_view rest = piece.text;
  for (std::int64_t line = 0; line < training && !rest.empty(); ++line) {
    takeLine(rest);
    ++linesOfFile_;
  }
  if (rest.empty()) return;
  rest_ = piece;
  rest_->text = rest;
  rest_->part = file().part;
  piece.text.remove_suffix(rest.size());
}

// A line becomes a row, a rejected line, or nothing.
void CorpusSource::addLine(std::string_view line, std::int64_t number, Lines& lines,
                           RowBlock& block) const {
  if (std::string reason = reasonAgainstLine(line, TextEncoding::kUtf8); !reason.empty()) {
    const bool isShown = block.rejected.size() < Quarantine::kKept;
    block.rejected.push_back({number, isShown ? std::move(reason) : std::string(),
                              isShown ? printable(line) : std::string()});
    return;
  }
  if (!encoder_ && trim(line).empty()) return;
  if (encoder_) {
    const std::size_t before = lines.ids.size();
    const bool isWhole = encoder_->encodeSequence(line, maxLength_, lines.ids);
    if (lines.ids.size() == before + 2) return lines.ids.resize(before);
    block.truncated.push_back(isWhole ? 0 : 1);
  }
  lines.texts.push_back(line);
  lines.offsets.push_back(static_cast<std::int32_t>(lines.ids.size()));
  block.lineOfRow.push_back(static_cast<std::int32_t>(number));
}

Status CorpusSource::parse(const Piece& piece, RowBlock& block) const {
  block.clear();
  block.bytes = piece.bytes;
  block.columns.resize(selected_.size());
  if (piece.longLineBytes > 0) {
    block.lines = 1;
    block.rejected.push_back({0, reasonAgainstLength(static_cast<std::size_t>(piece.longLineBytes)),
                              printable(piece.text)});
    return {};
  }
  Lines lines;
  for (std::string_view rest = piece.text; !rest.empty(); ++block.lines)
    addLine(takeLine(rest), block.lines, lines, block);
  block.rows = std::ssize(lines.texts);
  for (std::size_t i = 0; i < selected_.size(); ++i) fill(selected_[i], lines, block.columns[i]);
  return {};
}

void CorpusSource::fill(Column column, const Lines& lines, ColumnValues& values) const {
  values.clear();
  const SourceColumn& known = kColumns[static_cast<std::size_t>(column)];
  values.type = known.type;
  if (known.isList) values.offsets = lines.offsets;
  switch (column) {
    case Column::kText:
      values.texts = lines.texts;
      break;
    case Column::kPieces:
      for (const std::int32_t id : lines.ids)
        values.texts.push_back(encoder_->vocabulary().piece(id));
      break;
    case Column::kBytes:
      for (const std::string_view text : lines.texts) values.integers.push_back(std::ssize(text));
      break;
    case Column::kTokens:
      values.integers.assign(lines.ids.begin(), lines.ids.end());
  }
}

Status CorpusSource::hashInto(Hasher& hasher, const WorkContext& context) const {
  if (encoder_) PARAPET_TRY(hashFile(hasher, vocabularyPath_, context));
  for (const CorpusFile& file : corpus_.files) {
    hasher.update(fmt::format("{} {} {}\n", file.name,
                              file.part ? static_cast<int>(*file.part) : -1, file.trainingLines));
    PARAPET_TRY(hashFile(hasher, file.archive.empty() ? file.path : file.archive, context));
  }
  return {};
}

// A document that names a file which is no vocabulary is wrong, as one that names none: it is found
// before anything starts, whoever asks. What the file system refuses is not the document's fault.
Error wrongVocabulary(Error error) {
  error.pointer = kVocabularyPointer;
  if (error.code == ErrorCode::kData || error.code == ErrorCode::kNotFound)
    error.code = ErrorCode::kInvalidDocument;
  return error;
}

Result<std::string> vocabularyPath(const experiment::Dataset& spec) {
  if (!spec.text || spec.text->vocabulary.empty())
    return Error{ErrorCode::kInvalidDocument,
                 "no vocabulary is named; a file with a WordPiece token per line is accepted",
                 kVocabularyPointer};
  auto found = findSideFile(spec, spec.text->vocabulary);
  if (found) return found;
  return wrongVocabulary(found.error());
}

}  // namespace

Result<std::unique_ptr<TextInput>> openCorpusFile(const CorpusFile& file) {
  if (file.archive.empty()) return openTextFile(file.path);
  PARAPET_ASSIGN(const FileCollection collection, FileCollection::open(file.archive));
  return collection.openText(file.name);
}

Result<CorpusFiles> findCorpus(const experiment::Dataset& spec) {
  const bool byFiles = spec.split.kind == experiment::SplitKind::kFiles;
  CorpusFiles corpus;
  if (byFiles && spec.split.trainFile) {
    PARAPET_ASSIGN(corpus.files, namedFiles(spec));
    return corpus;
  }
  if (!spec.path || spec.path->empty())
    return Error{ErrorCode::kInvalidDocument,
                 "source \"text\" needs the path of its data; set it in the document or pass "
                 "`--data PATH`",
                 "/dataset/path"};
  PARAPET_TRY(requireFileOrFolder(*spec.path, "/dataset/path"));
  const fs::path path(*spec.path);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    PARAPET_ASSIGN(corpus, filesOfFolder(path));
  } else if (ZipArchive::isZip(path)) {
    PARAPET_ASSIGN(corpus.files, filesOfArchive(path));
  } else {
    corpus.files.push_back({path.string(), path.filename().string()});
  }
  if (!byFiles) {
    for (CorpusFile& file : corpus.files) file.part.reset();
    return corpus;
  }
  if (corpus.files.front().part != SplitPart::kTrain)
    PARAPET_TRY(giveTrainingLines(corpus, path.string()));
  return corpus;
}

Result<PieceVocabulary> openPieces(const experiment::Dataset& spec) {
  PARAPET_ASSIGN(const std::string path, vocabularyPath(spec));
  auto vocabulary = PieceVocabulary::read(path);
  if (vocabulary) return vocabulary;
  return wrongVocabulary(vocabulary.error());
}

Result<WordPiece> openWordPiece(const experiment::Dataset& spec) {
  PARAPET_ASSIGN(PieceVocabulary vocabulary, openPieces(spec));
  return WordPiece(std::move(vocabulary), spec.text->lowercase ? Casing::kUncased : Casing::kCased);
}

Result<std::unique_ptr<Source>> openCorpus(const experiment::Dataset& spec) {
  PARAPET_ASSIGN(const std::string path, vocabularyPath(spec));
  PARAPET_ASSIGN(WordPiece encoder, openWordPiece(spec));
  PARAPET_ASSIGN(CorpusFiles corpus, findCorpus(spec));
  PARAPET_ASSIGN(auto first, openCorpusFile(corpus.files.front()));
  return std::unique_ptr<Source>(std::make_unique<CorpusSource>(
      std::move(corpus), std::move(encoder), path, spec.text->maxLength, std::move(first)));
}

Result<std::unique_ptr<Source>> openLines(const experiment::Dataset& spec) {
  PARAPET_ASSIGN(CorpusFiles corpus, findCorpus(spec));
  PARAPET_ASSIGN(auto first, openCorpusFile(corpus.files.front()));
  return std::unique_ptr<Source>(std::make_unique<CorpusSource>(
      std::move(corpus), std::nullopt, std::string(), spec.text->maxLength, std::move(first)));
}

std::optional<std::string> filterOf(const experiment::Dataset& spec) {
  if (!spec.isText() || !spec.text || spec.text->minBytes == 0) return spec.filter;
  const std::string atLeast = fmt::format("{} >= {}", CorpusColumns::kBytes, spec.text->minBytes);
  return spec.filter ? fmt::format("({}) and {}", *spec.filter, atLeast) : atLeast;
}

}  // namespace parapet::data
