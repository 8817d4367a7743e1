// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/proposal_race.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/workspace/proposed_model.h"
#include "engine/workspace/temporary_folder.h"
#include "engine/workspace/workspace.h"

namespace parapet::workspace {
namespace {

namespace fs = std::filesystem;

using experiment::Experiment;
using experiment::Feature;

constexpr std::int64_t kRecentItems = 5;
constexpr std::size_t kMaxTrainings = 5;
constexpr std::chrono::milliseconds kPoll{100};

/// Counts the epochs of all trainings of a race.
class RaceProgress final : public experiment::RunSink {
 public:
  RaceProgress(const WorkContext& context, std::int64_t epochs)
      : context_(context), total_(epochs) {}

  void onEvent(const std::string&, const experiment::RunEvent& event) override {
    if (std::holds_alternative<experiment::EpochEnded>(event)) ++done_;
    report();
  }
  void onStep(const std::string&, const experiment::StepPoint&) override {}
  /// So many epochs were left out by early stopping.
  void skip(std::int64_t epochs) {
    done_ += epochs;
    report();
  }

 private:
  void report() { context_.report("comparing variants on validation rows", done_, total_); }

  const WorkContext& context_;
  std::int64_t done_ = 0;
  const std::int64_t total_;
};

struct Score {
  double value = 0.0;
  std::int64_t epochs = 0;
};

Feature* historyOf(Experiment& experiment) {
  const auto found = std::ranges::find_if(
      experiment.features, [](const Feature& each) { return each.history.has_value(); });
  return found == experiment.features.end() ? nullptr : &*found;
}

/// Adds the last items and a table of their own; the order of the last few says what comes next.
void addLastItems(Experiment& experiment, const char* name, std::int64_t length) {
  const Feature& history = *historyOf(experiment);
  const auto table = std::ranges::find(experiment.tables, history.table, &experiment::Table::name);
  Feature feature = history;
  feature.name = fmt::format("query/ids/{}", name);
  feature.table = fmt::format("{}-{}", history.table, name);
  feature.history->length = length;
  experiment::Table own = *table;
  own.name = feature.table;
  experiment.tables.push_back(std::move(own));
  experiment.features.insert(
      experiment.features.begin() + (&history - experiment.features.data()) + 1,
      std::move(feature));
}

class Race {
 public:
  Race(Proposal& proposal, const WorkContext& context, const RaceBudget& budget)
      : proposal_(proposal), context_(context), budget_(budget) {}

  /// False where too few rows validate for a comparison.
  Result<bool> run() {
    const Experiment& rule = proposal_.experiment;
    if (folder_.path().empty())
      return Error{ErrorCode::kIo, "there is no folder for temporary files"};
    PARAPET_ASSIGN(workspace_, Workspace::open(folder_.path()));
    PARAPET_ASSIGN(const std::optional<std::int64_t> epochs, prepare());
    if (!epochs) return false;
    epochs_ = *epochs;
    RaceProgress progress(context_, static_cast<std::int64_t>(kMaxTrainings) * epochs_);
    progress_ = &progress;
    PARAPET_ASSIGN(Score best, score(rule));
    Experiment winner = rule;
    PARAPET_ASSIGN(const bool orderCounts, raceHistories(winner, best));
    if (orderCounts) PARAPET_TRY(raceSequences(winner, best));
    PARAPET_TRY(raceTemperatures(winner, best));
    proposal_.experiment = std::move(winner);
    return true;
  }

 private:
  /// Imports the rows of the race. Returns the epochs of a training; none where too few rows
  /// validate.
  Result<std::optional<std::int64_t>> prepare() {
    Experiment first = shortened(proposal_.experiment, 1);
    PARAPET_ASSIGN(import_, workspace_->importData(first, context_));
    const std::int64_t batch = *first.dataset.batch.size;
    PARAPET_ASSIGN(const data::Split split, splitFor(first, *import_->dataset, context_.stop));
    if (split.validation.size() < budget_.minQueries) return std::optional<std::int64_t>();
    const std::int64_t perEpoch = std::max<std::int64_t>(1, split.train.size() / batch);
    return std::optional(std::clamp<std::int64_t>(budget_.steps / perEpoch, 1,
                                                  proposal_.experiment.training.epochs));
  }

  /// The experiment on the rows and for the epochs of a race.
  [[nodiscard]] Experiment shortened(Experiment experiment, std::int64_t epochs) const {
    experiment.dataset.slice = fmt::format("[:{}]", budget_.rows);
    experiment.dataset.batch.size = std::min<std::int64_t>(*experiment.dataset.batch.size, 1024);
    experiment.training.epochs = epochs;
    experiment.training.earlyStopping->patience = 2;
    experiment.evaluation.k.resize(1);
    experiment.evaluation.sample =
        std::min(experiment.evaluation.sample.value_or(budget_.queries), budget_.queries);
    return experiment;
  }

  Result<Score> score(const Experiment& experiment) {
    const Experiment variant = shortened(experiment, epochs_);
    RunOptions options{.sink = progress_, .fitsBaselines = false, .import = import_};
    PARAPET_ASSIGN(const auto run, workspace_->start(variant, std::move(options)));
    std::optional<RunOutcome> outcome;
    while (!outcome) {
      if (context_.cancelled()) run->abort();
      outcome = run->wait(kPoll);
    }
    if (context_.cancelled()) return Error{ErrorCode::kCancelled, "it was cancelled"};
    if (outcome->error) return *outcome->error;
    Score found;
    for (const experiment::EpochSummary& epoch : outcome->epochs)
      for (const auto& [key, value] : epoch.metrics)
        if (key == metric()) found.value = std::max(found.value, value);
    found.epochs = std::ssize(outcome->epochs);
    progress_->skip(epochs_ - found.epochs);
    return found;
  }

  [[nodiscard]] const std::string& metric() const {
    return *proposal_.experiment.training.checkpoints.best;
  }
  /// "val_ndcg@10 0.1279 in 7 epochs"
  [[nodiscard]] std::string textOf(const Score& score) const {
    return fmt::format("{} {:.4f} in {} epochs", metric(), score.value, score.epochs);
  }
  void say(std::string pointer, std::string reason) {
    proposal_.reasons.push_back({std::move(pointer), std::move(reason)});
  }

  /// Whether the last items say more than the mean of many.
  Result<bool> raceHistories(Experiment& winner, Score& best) {
    if (!historyOf(winner)) return false;
    Experiment variant = winner;
    addLastItems(variant, "recent", kRecentItems);
    addLastItems(variant, "last", 1);
    PARAPET_ASSIGN(const Score found, score(variant));
    const auto pointerOf = [](const Experiment& of, const char* name) {
      const auto feature = std::ranges::find(of.features, name, &Feature::name);
      return fmt::format("/features/{}/history", feature - of.features.begin());
    };
    if (found.value <= best.value) {
      say(pointerOf(winner, historyOf(winner)->name.c_str()),
          fmt::format(
              "raced on validation rows: {}; with tables of their own for the last item and "
              "the last {}: {}",
              textOf(best), kRecentItems, textOf(found)));
      return false;
    }
    const std::string race =
        fmt::format("raced on validation rows: {}; without: {}", textOf(found), textOf(best));
    const auto behindHistory =
        historyOf(proposal_.experiment) - proposal_.experiment.features.data() + 1;
    moveReasons(proposal_.reasons, "/features", static_cast<std::size_t>(behindHistory), 2);
    say(pointerOf(variant, "query/ids/last"),
        fmt::format("the last item, with a table of its own, says most of what comes next; {}",
                    race));
    say(pointerOf(variant, "query/ids/recent"),
        fmt::format("the last {} items, with a table of their own; {}", kRecentItems, race));
    winner = std::move(variant);
    best = found;
    return true;
  }

  Status raceSequences(Experiment& winner, Score& best) {
    Experiment variant = winner;
    if (!addSequence(variant)) return {};
    PARAPET_ASSIGN(const Score found, score(variant));
    const bool isBetter = found.value > best.value;
    say("/training/objective",
        fmt::format("{} was raced against self-attention over the last {} items, trained at every "
                    "position: {}; each row by itself: {}",
                    isBetter ? "all_positions" : "each_row", kSequenceItems, textOf(found),
                    textOf(best)));
    if (!isBetter) return {};
    std::erase_if(proposal_.reasons, [](const ProposalReason& each) {
      return each.pointer.starts_with("/loss/") || each.pointer == "/dataset/batch/size" ||
             each.pointer == "/optimizer/learning_rate";
    });
    say("/loss/kind",
        "the rows of a sequence are of one user: its negatives are drawn from the catalogue");
    say("/dataset/batch/size", fmt::format("{} sequences of a step have about as many rows as the "
                                           "batch of rows had",
                                           *variant.dataset.batch.size));
    winner = std::move(variant);
    best = found;
    return {};
  }

  Status raceTemperatures(Experiment& winner, Score& best) {
    const double rule = winner.loss.temperature.initial;
    std::vector<std::string> measured{fmt::format("{}: {}", rule, textOf(best))};
    const auto tryAt = [&](double temperature) -> Result<bool> {
      Experiment variant = winner;
      variant.loss.temperature.initial = std::round(1000.0 * temperature) / 1000.0;
      PARAPET_ASSIGN(const Score found, score(variant));
      measured.push_back(fmt::format("{}: {}", variant.loss.temperature.initial, textOf(found)));
      if (found.value <= best.value) return false;
      winner = std::move(variant);
      best = found;
      return true;
    };
    PARAPET_ASSIGN(const bool sharper, tryAt(0.5 * rule));
    PARAPET_TRY(tryAt(sharper ? 0.25 * rule : 2.0 * rule));
    std::erase_if(proposal_.reasons,
                  [](const ProposalReason& each) { return each.pointer == "/loss/temperature"; });
    say("/loss/temperature", fmt::format("{} was the best of a race on validation rows ({})",
                                         winner.loss.temperature.initial, join(measured, "; ")));
    return {};
  }

  Proposal& proposal_;
  const WorkContext& context_;
  const RaceBudget& budget_;
  const TemporaryFolder folder_;
  std::unique_ptr<Workspace> workspace_;
  std::optional<data::ImportReport> import_;
  std::int64_t epochs_ = 1;
  RaceProgress* progress_ = nullptr;
};

}  // namespace

Proposal raceProposal(Proposal proposal, const WorkContext& context, const RaceBudget& budget) {
  const Experiment& rule = proposal.experiment;
  if (!experiment::hasTowers(rule.model.kind) || !rule.training.earlyStopping ||
      rule.loss.kind != experiment::LossKind::kInBatchSoftmax)
    return proposal;
  Proposal raced = proposal;
  const auto outcome = Race(raced, context, budget).run();
  if (outcome && *outcome) return raced;
  proposal.reasons.push_back(
      {"/training",
       fmt::format("variants were not compared, and these are the settings of the rule: {}",
                   outcome ? fmt::format("fewer than {} validation rows do not tell them apart",
                                         budget.minQueries)
                           : outcome.error().text())});
  return proposal;
}

}  // namespace parapet::workspace
