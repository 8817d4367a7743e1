// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/base/result.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The rows of a source with what catalogues know of their users and items: those that the data
/// come with (Source::openCatalogues) and those of `spec.catalogues`. Titles and attributes are
/// columns of the rows like any other, looked up by the raw id; a row whose id is in no catalogue,
/// or has no such value, has none. A column that has the name of another one is called after whom
/// it describes ("item.name").
///
/// Returns `rows` itself if there is no catalogue.
/// Errors   those of openCatalogueFiles.
Result<std::unique_ptr<Source>> joinCatalogues(std::unique_ptr<Source> rows,
                                               const experiment::Dataset& spec);

}  // namespace parapet::data
