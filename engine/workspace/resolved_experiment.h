// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/progress.h"
#include "engine/experiment/experiment.h"
#include "engine/store/run_store.h"
#include "engine/train/resolved_model.h"

namespace parapet::workspace {

/// A document on its data and this machine, decided once for a question and handed on: preflight, `plan`
/// and the window show it, a run is made of it and stores it, and its checkpoints carry it.
struct ResolvedExperiment {
  experiment::Experiment experiment;
  train::ResolvedModel model;
  bool idsMeasured = false;  ///< the access distribution was counted in an imported data set
  bool sizesKnown = true;    ///< of all tables; the others are taken to have one row
};

/// Where the figures come from that a plan rests on.
struct MachineFigures {
  mesh::DeviceProfile cpu;
  std::map<std::string, mesh::DeviceProfile> devices{};  ///< with memory of their own, by name
  /// Why what the workspace has cannot be used, if it has something: the profiles are of other
  /// machines, which are named, or do not read. "" otherwise.
  std::string unusable;
  bool isMeasured = false;  ///< of this machine; else those of a machine like it
};

struct Shared;
struct KnownSizes;

/// The figures of this machine as the workspace has them; the typical ones if it has none. Nothing is
/// measured.
///
/// A profile is that of all cores, unless the document says with how many threads it runs: threads of a
/// process (`--threads`) change no placement.
MachineFigures storedFigures(Shared& shared, const experiment::Experiment& experiment);
/// The figures of the machine, measured and kept if the workspace has none. A workspace that can
/// only be read keeps them for the life of this process.
///
/// Errors   kDevice if there is no room to measure; kCancelled.
Result<MachineFigures> measuredFigures(Shared& shared, const experiment::Experiment& experiment,
                                       const WorkContext& context);

/// The part of a question besides the document.
struct Question {
  std::shared_ptr<const data::Dataset> dataset{};      ///< null: not imported
  std::optional<mesh::Hardware> hardware{};            ///< null: the devices of the document here
  std::optional<mesh::DeviceMesh> mesh{};              ///< null: that of the document
  std::map<std::string, train::KeptPlacement> kept{};  ///< of a run that goes on
  std::stop_token stop{};                              ///< the answer is incomplete once it fires
};
struct Resolution {
  std::shared_ptr<const ResolvedExperiment> resolved;  ///< null if nothing can be placed
  std::shared_ptr<const nn::Model> model;              ///< null if there is none
  std::vector<experiment::Problem> problems;
};

/// Resolves. `rows`: of each vocabulary, −1 where the data decide. Statistics of the ids of a data set
/// are kept for the next question.
///
/// Problems   those of the mesh, of the figures and of train::resolve.
Resolution resolveExperiment(Shared& shared, const experiment::Experiment& experiment,
                             const MachineFigures& figures,
                             const std::map<std::string, std::int64_t>& rows, Question question);

/// The placements that a stored run was resolved with; none of a run that stored none.
std::map<std::string, train::KeptPlacement> keptBy(const store::RunRecord& record,
                                                   const experiment::Experiment& experiment);

/// Resolves on a data set that is there, with the figures that the workspace has.
///
/// Errors   the first problem.
Result<std::shared_ptr<const ResolvedExperiment>> resolveOn(
    Shared& shared, const experiment::Experiment& experiment,
    const std::shared_ptr<const data::Dataset>& dataset,
    std::map<std::string, train::KeptPlacement> kept = {});

}  // namespace parapet::workspace
