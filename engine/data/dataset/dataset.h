// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/result.h"
#include "engine/data/dataset/vocabulary.h"

namespace parapet::data {

/// An id column of a data set.
struct IdColumnInfo {
  std::string name;
  std::string role;             ///< "user", "item", "context" or "feature"
  std::string vocabulary;       ///< whose rows its ids are
  std::int64_t longestBag = 0;  ///< ids of the longest row; 0: one id a row
};

/// The range of the values of one row of a bag column. A lost page (MappedRange) reads as zeros,
/// which are no ascending offsets: such a bag is empty.
struct BagRange {
  std::int64_t begin = 0, end = 0;

  BagRange(std::span<const std::int64_t> offsets, std::int64_t row)
      : begin(offsets[static_cast<std::size_t>(row)]),
        end(std::max(begin, offsets[static_cast<std::size_t>(row) + 1])) {}
};

/// Pretrained embeddings, row after row.
struct DenseMatrix {
  std::span<const float> values;
  std::int64_t width = 0;
};

/// A column as a catalogue knows it of every user or item, by their rows, be they in a row of the
/// data or not. Ids are rows of the column's own vocabulary.
struct EntityColumn {
  std::string_view vocabulary;            ///< of the users or items
  std::span<const std::int32_t> ids;      ///< one each, or those of bags
  std::span<const std::int64_t> offsets;  ///< bags: [rows of the vocabulary + 1]; else empty
  std::span<const float> values;          ///< of dense columns
};

/// An imported data set: a folder of memory-mapped column files, its vocabularies and a manifest.
/// Named by the content hash of what it was made from, and immutable.
///
/// Layout   manifest.json · <column>.i32 (rows of its vocabulary) · <column>.entries.i32 (its
///          entries, where items share rows) · <column>.offsets.i64 and
///          <column>.weights.f32 (of bags) · <column>.number.f32 (dense columns) · label.f32
///          (absent: texts) · weight.f32 (absent: all 1) · time.i64 (absent: unknown) · part.u8 (of
///          a split that the source gives) · <vocabulary>.vocab · <vectors>.vec.f32 (a row per
///          vocabulary row) · <column>.entities and <column>.entity_offsets (EntityColumn).
///          Little-endian arrays without a header; the manifest holds lengths and hashes.
/// Thread   safe to read from many.
class Dataset {
 public:
  /// Opens a data set folder and checks it: the manifest, which must be of the data set that the
  /// folder is named after, the sizes of its files, their hashes, and that no id leads outside its
  /// vocabulary. Files that this process has checked and that were not written since are not
  /// checked again.
  ///
  /// The columns of a set of more than 1 GiB are checked when they are first requested; a damaged
  /// one is then thrown as FileError.
  ///
  /// Errors   kData with the path, what was found and what is accepted; kNotFound if there is no
  ///          such data set, or one that an older program wrote; kIo.
  static Result<std::shared_ptr<const Dataset>> open(const std::filesystem::path& folder);
  /// Opens a set whose columns are all checked here up to `checkedAtOpenBytes`.
  static Result<std::shared_ptr<const Dataset>> open(const std::filesystem::path& folder,
                                                     std::uint64_t checkedAtOpenBytes);

  /// Rows of a vocabulary that are others than those of the files.
  struct OtherRows {
    std::string vocabulary;
    std::vector<std::int32_t> kept;  ///< see Vocabulary::withRows
    std::int64_t buckets = 0;
  };
  /// The data set with other rows of some vocabularies: a view that computes the columns that hold
  /// such rows when they are first asked for, in memory.
  ///
  /// Errors   InvalidArgument for an unknown vocabulary.
  [[nodiscard]] std::shared_ptr<const Dataset> withRows(const std::vector<OtherRows>& rows) const;
  /// Whether compressed vocabularies hold all ids, so that a document's `min_count` and size are
  /// yet to be applied. An older program applied them to the counts of all rows.
  [[nodiscard]] bool keepsAllIds() const;

  [[nodiscard]] const std::string& hash() const;
  /// Tells data sets with other rows of vocabularies apart, too.
  [[nodiscard]] const std::string& rowsKey() const;
  [[nodiscard]] const std::filesystem::path& folder() const;
  [[nodiscard]] std::int64_t rows() const;
  /// Whether rows are what a user did with an item. Those of a data set of texts have neither, nor
  /// labels: their only column is kTokensColumn.
  [[nodiscard]] bool hasInteractions() const;
  /// The id columns: user, item, then contexts and features as the document has them.
  [[nodiscard]] const std::vector<IdColumnInfo>& columns() const;
  /// The id column of that name; null if there is none.
  [[nodiscard]] const IdColumnInfo* idColumn(std::string_view name) const;
  /// Embedding rows of an id column, [rows], or [bagOffsets().back()] of bags; InvalidArgument for
  /// an unknown column.
  [[nodiscard]] std::span<const std::int32_t> ids(std::string_view column) const;
  /// Entries of the vocabulary of an id column without bags, [rows]: which of the ids that share a
  /// row it was. The rows themselves where no ids share one.
  [[nodiscard]] std::span<const std::int32_t> entries(std::string_view column) const;
  /// Bags: row r has the ids [offsets[r], offsets[r + 1]), [rows + 1]. Empty: one id a row.
  [[nodiscard]] std::span<const std::int64_t> bagOffsets(std::string_view column) const;
  /// Weight of each id of a bag column, or empty if all are 1.
  [[nodiscard]] std::span<const float> bagWeights(std::string_view column) const;
  /// Names of the dense columns, as the document has them.
  [[nodiscard]] const std::vector<std::string>& denseColumns() const;
  [[nodiscard]] bool isDense(std::string_view column) const;
  /// A dense column, [rows], all finite; InvalidArgument for an unknown one.
  [[nodiscard]] std::span<const float> denseValues(std::string_view column) const;
  /// The catalogue column behind a column; nullopt if it comes from no catalogue. InvalidArgument
  /// for an unknown one.
  [[nodiscard]] std::optional<EntityColumn> entityColumn(std::string_view column) const;
  /// Scaled labels, [rows], or empty if rows are texts.
  [[nodiscard]] std::span<const float> labels() const;
  /// Labels as the source had them: raw = lo + scaled·(hi − lo).
  [[nodiscard]] double rawLabel(float scaled) const;
  /// Example weights, [rows], or empty if all are 1.
  [[nodiscard]] std::span<const float> weights() const;
  /// Seconds since 1970, [rows], or empty if the source has none.
  [[nodiscard]] std::span<const std::int64_t> times() const;
  /// The microseconds of times beyond the whole second, [rows], or empty if all are whole seconds.
  [[nodiscard]] std::span<const std::int32_t> timeMicroseconds() const;
  /// experiment::SplitPart of each row, [rows], or empty if the source does not say.
  [[nodiscard]] std::span<const std::uint8_t> parts() const;
  /// InvalidArgument for an unknown name.
  [[nodiscard]] const Vocabulary& vocabulary(std::string_view name) const;
  /// The vocabulary of an id column; InvalidArgument for an unknown one.
  [[nodiscard]] const Vocabulary& vocabularyOf(std::string_view column) const;
  [[nodiscard]] const std::vector<Vocabulary>& vocabularies() const;
  /// The items of the vocabulary of an id column, sorted on first use; InvalidArgument for an
  /// unknown column.
  [[nodiscard]] const ItemIndex& itemIndex(std::string_view column) const;
  /// Pretrained embeddings by name, [vocabulary size, width], zeros where the file had none.
  [[nodiscard]] DenseMatrix vectors(std::string_view name) const;
  [[nodiscard]] std::int64_t quarantined() const;
  /// Bytes on disk.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Releases the memory of the columns' pages for these rows, which a pass over a large set has
  /// consumed; they are read again when they are needed again. Small sets stay in memory.
  void release(std::int64_t firstRow, std::int64_t lastRow) const;
  /// Asks for the columns' pages of these rows to be read before they are needed; large sets only.
  void readAhead(std::int64_t firstRow, std::int64_t lastRow) const;
  /// Whether no page was lost of what was read so far, of columns and vocabularies. Whoever made
  /// something of them asks before it is used; costs next to nothing. A column that has lost a page
  /// is not given again: FileError.
  ///
  /// Errors   those of MappedFile::intact.
  [[nodiscard]] Status readsIntact() const;
  /// Whether readsIntact(), and no file has become shorter; asks the system.
  [[nodiscard]] Status intact() const;
  /// Checks every file again (see examineDataset); the error names the first that is damaged.
  [[nodiscard]] Status verify() const;

 private:
  struct State;
  using Advice = void (MappedFile::*)(std::size_t first, std::size_t last) const;
  explicit Dataset(std::unique_ptr<State> state);
  void advise(std::int64_t firstRow, std::int64_t lastRow, Advice advice) const;
  std::unique_ptr<State> state_;

 public:
  ~Dataset();
};

}  // namespace parapet::data
