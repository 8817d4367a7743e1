// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/progress.h"
#include "engine/data/ingest/import/preview.h"
#include "engine/workspace/proposal.h"

namespace parapet::workspace {

/// Adds files beside the data that name their users or items (data::proposeCatalogues), one of each,
/// with the reason. Files of attributes alone are left to a person: what they are good for is not
/// known.
void proposeTitles(Proposal& proposal, const data::SourcePreview& preview,
                   const WorkContext& context);

}  // namespace parapet::workspace
