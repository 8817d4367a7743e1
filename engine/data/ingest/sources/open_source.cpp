// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/csv_source.h"
#include "engine/data/ingest/sources/generated_source.h"
#include "engine/data/ingest/sources/movielens.h"
#include "engine/data/ingest/sources/parquet_source.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {
namespace {

// A source is read several times, and opening a pipe waits for whoever writes to it.
Status requireFileOrFolder(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  using Type = std::filesystem::file_type;
  if (type != Type::fifo && type != Type::socket && type != Type::character && type != Type::block)
    return {};
  return Error{ErrorCode::kData,
               path + " is a pipe, socket or device; accepted: a file or folder of data",
               "/dataset/path", path};
}

}  // namespace

Result<std::unique_ptr<Source>> openSource(const experiment::Dataset& spec,
                                           const GeneratorFactory& makeGenerator) {
  if (spec.source == "generated") return openGeneratedSource(spec, makeGenerator);
  const bool isKnown =
      spec.source == "movielens" || spec.source == "csv" || spec.source == "parquet";
  if (isKnown && (!spec.path || spec.path->empty()))
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("source \"{}\" needs the path of its data; set it in the document or "
                             "pass `--data PATH`",
                             spec.source),
                 "/dataset/path"};
  if (isKnown) PARAPET_TRY(requireFileOrFolder(*spec.path));
  if (spec.source == "movielens") return openMovielensSource(spec);
  if (spec.source == "csv") return openCsvSource(spec);
  if (spec.source == "parquet") return openParquetSource(spec);
  const std::vector<std::string> sources{"movielens", "csv", "parquet", "generated"};
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("unknown source \"{}\"{}; accepted: {}", spec.source,
                           didYouMean(spec.source, sources), join(sources)),
               "/dataset/source"};
}

}  // namespace parapet::data
