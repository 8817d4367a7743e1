// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/ingest/import/propose_roles.h"
#include "engine/experiment/document.h"

namespace parapet::workspace {

/// Why a setting is proposed as it is.
struct ProposalReason {
  std::string pointer;  ///< "/loss/temperature"
  std::string reason;   ///< a sentence
};

/// A whole document for data that nobody has described.
struct Proposal {
  experiment::Experiment experiment;
  std::vector<ProposalReason> reasons;  ///< in the order of the document
  std::string commandBefore{};  ///< what has to run before it can be trained; "" where nothing has
  std::vector<data::RoleProposal> roles{};  ///< of the columns of the source
};

/// Proposes an experiment for a file of unknown rows, which can be trained as it is.
///
/// Roles come from data::proposeRoles. What the rows are like (data::surveySource) decides the rest:
///
///   a label of two values       a ranking model with cross entropy; the last tenths of the time, or
///                               random ones, are held out
///   ratings                     two towers for lists, and a head for the ratings
///   no label, or always one     two towers of ids, history, contexts and features
///   a corpus of texts           a masked language model (proposeLanguageModel)
///
/// Towers are compared by cosine and trained by softmax over the batch with log-Q and masked hits.
/// Their width and temperature follow the number of items, batch and epochs that of rows; held out
/// are the last rows of each user where there is a time, else random ones.
///
/// Reads    the first rows, at most a million of them.
/// Errors   those of data::chooseData; kData if no columns are user and item, or there are no rows.
Result<Proposal> proposeExperiment(const std::filesystem::path& file, const WorkContext& context);

/// The document of a proposal, short: defaults are left out, except those that have a reason.
nlohmann::ordered_json documentOf(const Proposal& proposal);

/// The name of an experiment on the data at `path`: that of the folder, or of the file up to its first
/// dot, as a name.
std::string nameOfData(const std::filesystem::path& path);

}  // namespace parapet::workspace
