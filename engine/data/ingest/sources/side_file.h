// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/hash.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/sources/packed_files.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/ingest/sources/text_input.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The files of a folder or of a zip archive by their names. If an archive holds nothing but one
/// folder, names are those below it.
class FileCollection {
 public:
  /// Errors   NotFound, Io; Data for an archive that is damaged or refused, or a path that is
  ///          neither.
  static Result<FileCollection> open(const std::filesystem::path& path);

  [[nodiscard]] bool isEmpty() const { return names_.empty(); }
  [[nodiscard]] bool has(std::string_view name) const { return names_.contains(name); }
  /// Ascending.
  [[nodiscard]] std::vector<std::string> names() const;
  /// "folder/u.data" or "data.zip/ml-100k/u.data", for messages.
  [[nodiscard]] std::string pathOf(std::string_view name) const;
  /// Errors   Data if the file cannot be read.
  Result<std::unique_ptr<ByteStream>> openBytes(std::string_view name) const;
  Result<std::unique_ptr<TextInput>> openText(std::string_view name) const;
  /// Names and bytes of those of the files that are there; of an archive, its own bytes.
  Status hashInto(Hasher& hasher, std::span<const std::string> names,
                  const WorkContext& context) const;

 private:
  std::filesystem::path path_;
  std::optional<ZipArchive> archive_;
  std::map<std::string, std::string, std::less<>> names_;  // to the name inside folder or archive
};

/// Feeds the bytes of a file, and gives back the memory that it was read into.
///
/// Errors   those of opening it; kCancelled.
Status hashFile(Hasher& hasher, const std::filesystem::path& path, const WorkContext& context);

/// Where a file is that the document names besides its data, a catalogue or embeddings: an absolute
/// path is that file; a relative one is looked for in the folder of the data (the data's own folder
/// if they are one), then where the program runs.
///
/// Errors   kData with the path, and where it was looked for, if there is no file.
Result<std::string> findSideFile(const experiment::Dataset& spec, const std::string& path);

/// A source is read several times, and opening a pipe waits for whoever writes to it.
///
/// Errors   kData at `pointer` for a pipe, socket or device.
Status requireFileOrFolder(const std::string& path, const std::string& pointer);

/// "parquet" (a file, or a folder of *.parquet files), "json" or "csv", by the content.
experiment::SourceKind tableSource(const std::string& path);

/// Whether such a source is a table of its own, or a folder of them.
bool isOfTables(experiment::SourceKind source);

/// Opens a table of the source that it is.
///
/// Errors   those of openSource.
Result<std::unique_ptr<Source>> openTable(
    const std::string& path, const std::optional<experiment::TextFormat>& format = std::nullopt,
    TextEncoding encoding = TextEncoding::kUtf8);

}  // namespace parapet::data
