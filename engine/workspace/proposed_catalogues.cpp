// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/proposed_catalogues.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/data/ingest/import/propose_catalogues.h"

namespace parapet::workspace {

void proposeTitles(Proposal& proposal, const data::SourcePreview& preview,
                   const WorkContext& context) {
  experiment::Dataset& spec = proposal.experiment.dataset;
  for (const data::CatalogueProposal& beside : data::proposeCatalogues(spec, preview, context)) {
    const experiment::Catalogue& catalogue = beside.catalogue;
    if (!catalogue.title || std::ranges::find(spec.catalogues, catalogue.of,
                                              &experiment::Catalogue::of) != spec.catalogues.end())
      continue;
    if (static_cast<double>(beside.rejected) >
        spec.maxRejectedShare * static_cast<double>(beside.entries)) {
      proposal.reasons.push_back(
          {"/dataset/catalogues",
           fmt::format("{} beside the data has titles and is left out: {} of its first {} lines "
                       "would be rejected. {}",
                       printable(catalogue.path), formatCount(beside.rejected),
                       formatCount(beside.entries), beside.rejection)});
      continue;
    }
    proposal.reasons.push_back(
        {fmt::format("/dataset/catalogues/{}", spec.catalogues.size()),
         fmt::format("{} lies beside the data: {}", printable(catalogue.path), beside.reason)});
    spec.catalogues.push_back(catalogue);
  }
}

}  // namespace parapet::workspace
