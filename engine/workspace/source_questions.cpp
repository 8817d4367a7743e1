// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/source_questions.h"

#include "engine/data/generate/make_generator.h"

namespace parapet::workspace {

Result<SourcePreview> previewSource(const experiment::Dataset& spec, std::int64_t rows,
                                    const WorkContext& context) {
  return data::previewSource(spec, rows, context, data::makeGenerator);
}

Result<FilterCount> countRows(const experiment::Dataset& spec, std::int64_t atMost,
                              const WorkContext& context) {
  return data::countRows(spec, atMost, context, data::makeGenerator);
}

}  // namespace parapet::workspace
