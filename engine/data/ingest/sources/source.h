// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/dataset/row_generator.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The rejected lines of one file: all are counted, the first are kept.
class Quarantine {
 public:
  static constexpr std::size_t kKept = 100;

  struct Line {
    std::int64_t number = 0;  ///< from 1
    std::string reason;
    std::string excerpt;
    std::string pointer{};  ///< as that of RejectedRow
  };

  explicit Quarantine(std::string fileName) : fileName_(std::move(fileName)) {}

  void countGood(std::int64_t lines = 1) { good_ += lines; }
  void add(std::int64_t lineNumber, std::string reason, std::string_view line);
  /// With an excerpt that is printable already.
  void addShown(std::int64_t lineNumber, std::string reason, std::string excerpt,
                std::string pointer = {});

  [[nodiscard]] const std::string& fileName() const { return fileName_; }
  [[nodiscard]] std::int64_t good() const { return good_; }
  [[nodiscard]] std::int64_t rejected() const { return rejected_; }
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }

 private:
  std::string fileName_;
  std::int64_t good_ = 0;
  std::int64_t rejected_ = 0;
  std::vector<Line> lines_;
};

class CatalogueFile;
class CatalogueTable;

/// A column that is wanted, and how.
struct ColumnRequest {
  std::string name;               ///< as the source calls it
  std::optional<ValueType> type;  ///< unset: as the source has it
  /// Cells are lists with this between the values. "": the cell is one value (or a list already,
  /// in a source that has lists).
  std::string separator;
  /// With a separator: each value carries a weight after this ("7:0.5"), or none of the cell does.
  /// The weights, 1 where there are none, come as one more list column, kNumber, right after the
  /// values.
  std::string weightSeparator;
  std::string pointer{};  ///< the setting that asks, for messages; that of the first
};

/// Rows with another value of the column cannot pass the filter. Ends are included.
struct ColumnBound {
  std::string column;
  std::optional<double> least, most;
};

/// How much of the catalogues is read.
enum class CatalogueExtent {
  kAll,
  kStart,  ///< enough entries to look at
};

/// Where rows come from. A source is opened on a document and knows its columns; it is told which
/// are wanted; then its rows are read once, piece by piece, so that its size does not matter.
/// Pieces are fetched in order by one thread; any number of threads parse them. A line that is
/// rejected is told in the block, and the reader of the source keeps count.
class Source {
 public:
  /// A part of the source that can be read by itself.
  struct Piece {
    std::int64_t index = 0;          ///< from 0, in the order of the source
    std::int64_t first = 0;          ///< sources with rows: the first row
    std::int64_t count = 0;          ///< sources with rows: how many
    std::string_view text;           ///< sources of text: whole lines
    std::int64_t headerLines = 0;    ///< sources of text: how many lines at the start are no rows
    std::int64_t longLineBytes = 0;  ///< > 0: `text` is the start of a line too long to be kept
    std::string_view file;           ///< sources of several files: which one it is from
    /// Sources with a file for each part of the split: that of the rows.
    std::optional<experiment::SplitPart> part{};
    std::shared_ptr<const void> bytes;  ///< keeps `text` alive; may be empty
  };

  virtual ~Source() = default;
  /// The columns that it has. Types of text files are guessed from the first lines.
  [[nodiscard]] virtual const std::vector<SourceColumn>& columns() const = 0;
  /// Why it has no column of this name, if it could have had one; else "".
  [[nodiscard]] virtual std::string absenceOf(std::string_view) const { return {}; }
  /// The columns of the blocks to come, in this order (a request with a weight separator makes
  /// two). Once, before the first next().
  ///
  /// Errors   InvalidDocument for a column that it has not, or one that cannot be of that type.
  virtual Status select(std::span<const ColumnRequest> requests) = 0;
  /// Pieces without a row inside the bounds may be left out; a hint. Before the first next().
  virtual void pushDown(std::span<const ColumnBound>) {}
  /// Fetches the next piece; false at the end. Not from two threads at once.
  virtual Result<bool> next(Piece& piece) = 0;
  /// Replaces `block` by the rows of a piece. A pure function; any number of threads.
  ///
  /// Errors   Data or Io if the source itself is damaged; a rejected line is no error.
  virtual Status parse(const Piece& piece, RowBlock& block) const = 0;
  /// Printable start of a line of a piece, counted from 0, for messages.
  [[nodiscard]] virtual std::string excerpt(const Piece& piece, std::int64_t line) const = 0;

  /// Feeds the bytes that the rows are made from.
  virtual Status hashInto(Hasher& hasher, const WorkContext& context) const = 0;
  /// The catalogues that the data come with, unread.
  virtual Result<std::vector<std::unique_ptr<CatalogueFile>>> openCatalogues() const;
  /// Reads what there is besides rows; after select() and before the first parse().
  virtual Status readCatalogues(CatalogueExtent, const WorkContext&) { return {}; }
  /// The catalogue of the ids of a role, "user" or "item"; null if there is none, or not yet.
  [[nodiscard]] virtual const CatalogueTable* catalogue(std::string_view) const { return nullptr; }
  /// Name that a missing catalogue of the role would have, for messages; "" if it has none.
  [[nodiscard]] virtual std::string catalogueName(std::string_view) const { return {}; }
  /// "user" or "item" if the column is what a catalogue knows of their ids, else "".
  [[nodiscard]] virtual std::string_view describes(std::string_view) const { return {}; }
  /// Replaces the block by a row per id: what catalogues know of the ids of the role, in the
  /// columns that are selected; nothing in the others. After readCatalogues().
  virtual void readEntities(std::string_view, std::span<const std::string_view>, RowBlock&) const {}
  /// The file of the rows, for messages and the quarantine.
  [[nodiscard]] virtual std::string fileName() const = 0;
  /// How many lines come before the first of piece 0 (a header), so that numbers of lines are
  /// right.
  [[nodiscard]] virtual std::int64_t linesBefore() const { return 0; }
  /// How far next() is, in bytes or rows.
  [[nodiscard]] virtual std::int64_t done() const = 0;
  [[nodiscard]] virtual std::int64_t total() const = 0;
  /// Rejected lines of its catalogues.
  [[nodiscard]] virtual std::vector<const Quarantine*> quarantines() const { return {}; }
  /// Odd things that are no errors.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

/// A request for columns that a source cannot serve.
inline Error wrongRequest(std::string message) {
  return Error{ErrorCode::kInvalidDocument, std::move(message), "/dataset/columns"};
}

/// Opens the source that the document names. Generated rows come from the factory, which the caller
/// hands in: reading files knows no generator.
///
/// Errors   InvalidDocument for an unknown source or a missing path; Data or Io with the path if
///          its files cannot be read; kDevice for a plugin that is not there.
Result<std::unique_ptr<Source>> openSource(const experiment::Dataset& spec,
                                           const GeneratorFactory& makeGenerator);

/// Where the lines of pieces are in their files: every file of a source counts its own, and rows of
/// pieces that a source leaves out count, too.
class LineNumbers {
 public:
  explicit LineNumbers(const Source& source);

  /// Lines of its file before the piece's first. Pieces come in order, each once, with the lines
  /// that its block covers.
  std::int64_t before(const Source::Piece& piece, std::int64_t lines);
  /// Rows of pieces that the source has left out so far.
  [[nodiscard]] std::int64_t skippedRows() const;

 private:
  const Source& source_;
  std::string file_;
  std::int64_t lines_;
  std::int64_t rowsSeen_ = 0, skippedRows_ = 0;  // of sources with rows
};

}  // namespace parapet::data
