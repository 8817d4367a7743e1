// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/ingest/sources/csv_source.h"
#include "engine/data/ingest/sources/generated_source.h"
#include "engine/data/ingest/sources/joined_source.h"
#include "engine/data/ingest/sources/movielens.h"
#include "engine/data/ingest/sources/parquet_source.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/ingest/sources/split_files_source.h"
#include "engine/data/ingest/sources/timed_source.h"

namespace parapet::data {
namespace {

Result<std::unique_ptr<Source>> openRows(const experiment::Dataset& spec,
                                         const GeneratorFactory& makeGenerator) {
  if (spec.isText()) return openCorpus(spec);
  if (spec.split.kind == experiment::SplitKind::kFiles)
    return openSplitFiles(spec, [&makeGenerator](const experiment::Dataset& part) {
      return openRows(part, makeGenerator);
    });
  if (spec.source == experiment::SourceKind::kGenerated)
    return openGeneratedSource(spec, makeGenerator);
  if (!spec.path || spec.path->empty())
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("source \"{}\" needs the path of its data; set it in the document or "
                             "pass `--data PATH`",
                             experiment::sourceName(spec.source)),
                 "/dataset/path"};
  PARAPET_TRY(requireFileOrFolder(*spec.path, "/dataset/path"));
  if (spec.source == experiment::SourceKind::kMovielens) return openMovielensSource(spec);
  if (spec.source == experiment::SourceKind::kCsv) return openCsvSource(spec);
  return openParquetSource(spec);
}

}  // namespace

Result<std::unique_ptr<Source>> openSource(const experiment::Dataset& spec,
                                           const GeneratorFactory& makeGenerator) {
  PARAPET_ASSIGN(auto rows, openRows(spec, makeGenerator));
  PARAPET_ASSIGN(auto joined, joinCatalogues(std::move(rows), spec));
  return readTimes(std::move(joined), spec);
}

}  // namespace parapet::data
