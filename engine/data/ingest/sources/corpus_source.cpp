// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/corpus_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/corpus_files.h"
#include "engine/data/ingest/sources/file_collection.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/data/ingest/sources/text_lines.h"

namespace parapet::data {
namespace {

using experiment::SplitPart;

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
                 "no vocabulary is named; a file with a WordPiece piece per line is accepted",
                 kVocabularyPointer};
  auto found = findSideFile(spec, spec.text->vocabulary);
  if (found) return found;
  return wrongVocabulary(found.error());
}

}  // namespace

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
