// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/files.h"
#include "engine/base/result.h"
#include "engine/data/generate/make_generator.h"

namespace parapet::data {

/// Where generated rows go, block after block.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// The block as write() wants it, where that is work. Pure; any number of threads.
  [[nodiscard]] virtual std::string prepare(const RowBlock&) const { return {}; }
  /// Appends a block, with all columns of the generator.
  virtual Status write(const RowBlock& block, std::string_view prepared) = 0;
  /// Completes what is written; nothing may be written afterwards.
  virtual Status finish() = 0;
};

/// Lines of text into a file that is open, after a header. The file stays the caller's to finish.
Result<std::unique_ptr<RowWriter>> csvWriter(FileWriter& file, const RowGenerator& generator);
/// A Parquet file; in place after finish().
Result<std::unique_ptr<RowWriter>> parquetWriter(const std::filesystem::path& path,
                                                 const RowGenerator& generator);
/// One little-endian array a column in a folder, and manifest.json, which tells what they are.
/// Missing integers are −1, texts are indices into a list of words, lists have an array of offsets.
Result<std::unique_ptr<RowWriter>> columnFilesWriter(const std::filesystem::path& folder,
                                                     const RowGenerator& generator);

/// A row with commas between the cells, as csvWriter has it, without the end of line.
std::string csvLine(const RowGenerator& generator, std::int64_t row);

}  // namespace parapet::data
