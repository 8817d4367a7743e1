// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/data/ingest/import/survey.h"
#include "engine/experiment/document.h"
#include "engine/workspace/proposal.h"

namespace parapet::workspace {

/// The evidence of rows on whether a user wants an item.
enum class Feedback {
  kImplicit,  ///< that there is a row
  kRatings,   ///< a number
  kYesOrNo,   ///< one of two numbers, in rows of both kinds
};

/// Fills in everything but name and data set: tables, features, model, loss, optimizer, training and
/// evaluation. `columns`: of the data set, those of the source included where the document has none.
void proposeModel(Proposal& proposal, const data::SourceSurvey& survey, Feedback feedback,
                  const std::vector<experiment::Column>& columns);

/// Moves the reasons of the entries of a list, "/features", from `first` on by so many places.
void moveReasons(std::vector<ProposalReason>& reasons, std::string_view list, std::size_t first,
                 std::ptrdiff_t places);

/// Items that a sequence of addSequence() has at most.
inline constexpr std::int64_t kSequenceItems = 50;
/// Adds what two blocks of self-attention make of the last items of a proposed history, trained at every
/// position, beside what the query tower adds up already. False where it has no history or no sum.
bool addSequence(experiment::Experiment& experiment);

/// The part of proposeExperiment for a corpus of texts: the masked language model of the recipe
/// bert-tiny-mlm on its lines. Where no vocabulary lies beside the texts the document names one to be
/// trained, and the reason of /dataset/text/vocabulary says how.
Result<Proposal> proposeLanguageModel(const experiment::Dataset& corpus);

}  // namespace parapet::workspace
