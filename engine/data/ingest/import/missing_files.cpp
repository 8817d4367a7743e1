// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/missing_files.h"

#include <string>
#include <utility>

#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/ingest/sources/side_file.h"

namespace parapet::data {

std::vector<Error> missingFiles(const experiment::Dataset& spec) {
  std::vector<Error> errors;
  if (spec.isText())
    if (const auto pieces = openPieces(spec); !pieces) errors.push_back(pieces.error());
  const experiment::Split& split = spec.split;
  if (split.kind != experiment::SplitKind::kFiles) return errors;
  for (const auto& [part, file] :
       {std::pair{"train", &split.trainFile}, std::pair{"validation", &split.validationFile},
        std::pair{"test", &split.testFile}}) {
    if (!*file) continue;
    const auto found = findSideFile(spec, **file);
    if (found) continue;
    Error error = found.error();
    error.pointer = std::string("/dataset/split/") + part;
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace parapet::data
