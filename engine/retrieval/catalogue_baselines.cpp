// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/experiment/verdict_text.h"
#include "engine/retrieval/baseline_lists.h"
#include "engine/retrieval/catalogue_ranking.h"

namespace parapet::retrieval {

using experiment::RankingMetric;
using experiment::SplitPart;

namespace {

// Grids are ascending.
constexpr std::array kLambdas{1.0, 5.0, 20.0, 100.0, 500.0, 2'000.0, 10'000.0};
constexpr std::array<std::int64_t, 3> kNeighbours{20, 100, 400};
constexpr std::array kShrinkages{0.0, 10.0, 100.0};
constexpr std::array<std::int64_t, 3> kRanks{32, 128, 512};
/// Fits of item-kNN: those of both grids, and the last one.
constexpr std::int64_t kKnnFits = 7;
/// Queries that choose settings: more change the choice less than they cost.
constexpr std::int64_t kChoosingQueries = 5'000;
constexpr float kCutShare = 0.1f;
/// The stream of random numbers that cuts training rows; queries are drawn from stream 0.
constexpr std::uint64_t kCutStream = 1;
constexpr double kMinRepeatedShare = 0.01;

/// Index of the best value of a grid; nullopt once a value is not known. A metric may have two maxima,
/// one of them near popularity, so every second value is tried (of three all), then what is beside
/// the best of them. Of equal values the one nearest to the middle counts.
template <class ValueAt>
std::optional<std::size_t> searchGrid(std::size_t size, const ValueAt& valueAt) {
  std::vector<bool> tried(size);
  std::size_t best = size / 2;
  std::optional<double> value = valueAt(best);
  tried[best] = true;
  const auto visit = [&](std::size_t at) {
    if (at >= size || tried[at] || !value) return;
    tried[at] = true;
    const std::optional<double> here = valueAt(at);
    if (here && *here <= *value) return;
    value = here;
    best = at;
  };
  const std::size_t middle = best, step = size > 3 ? 2 : 1;
  for (std::size_t by = step; by <= middle; by += step) {
    visit(middle - by);
    visit(middle + by);
  }
  const std::size_t found = best;
  if (found > 0) visit(found - 1);
  visit(found + 1);
  return value ? std::optional(best) : std::nullopt;
}

/// How many values of a grid searchGrid() tries.
constexpr std::int64_t triesOf(std::size_t size) {
  const auto middle = static_cast<std::int64_t>(size) / 2;
  return size > 3 ? 1 + 2 * (middle / 2) + 2 : static_cast<std::int64_t>(size);
}

/// Progress of all fits of one baseline and of the lists that are measured from each, as one stage
/// that never falls back.
class FitProgress {
 public:
  /// `fits`: how many there are, the last one included.
  FitProgress(const char* name, std::int64_t fits, const WorkContext& context)
      : stage_(fmt::format("{}{}", experiment::kFittingStage,
                           experiment::baselineName(name, experiment::BaselineKind::kTrained))),
        total_(fits * (kFit + kLists)),
        context_(context) {
    context_.report(stage_, 0, total_);
  }
  /// Progress of the next fit, then of its lists. They refer to this.
  WorkContext fit() { return next(kFit); }
  WorkContext lists() { return next(kLists); }

 private:
  // Percent of a fit and its lists, as EASE shares its time between them.
  static constexpr std::int64_t kFit = 80, kLists = 20;

  WorkContext next(std::int64_t parts) {
    const std::int64_t first = done_;
    done_ += parts;
    return {[this, first, parts](std::string_view, std::int64_t done, std::int64_t total) {
              const double share =
                  total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0.0;
              const auto reached = static_cast<std::int64_t>(static_cast<double>(parts) * share);
              context_.report(stage_, first + std::clamp<std::int64_t>(reached, 0, parts), total_);
            },
            context_.stop};
  }

  const std::string stage_;
  const std::int64_t total_;
  const WorkContext& context_;
  std::int64_t done_ = 0;
};

}  // namespace

/// Rows that choose settings, and what is tried on them.
struct CatalogueRanking::Choosing {
  std::unique_ptr<const Interactions> cut;  ///< null: the validation rows choose
  std::unique_ptr<const CatalogueRanking> ranking;
  std::string by;  ///< the end of a sentence; "" if no row can choose
  Workers* workers;

  /// The metric of lists; nullopt if they are null or it was cancelled.
  [[nodiscard]] std::optional<double> valueOf(const std::unique_ptr<BaselineLists>& lists,
                                              const WorkContext& context) const {
    if (!lists || context.cancelled()) return std::nullopt;
    const Reference reference = ranking->measureLists(*lists, workers, context);
    return reference.sums ? std::optional(reference.metrics.front().second) : std::nullopt;
  }
  /// Index of the best of a grid; its middle if no row can choose.
  template <class Grid, class Make>
  [[nodiscard]] std::optional<std::size_t> bestOf(const Grid& grid, FitProgress& progress,
                                                  const Make& make) const {
    const std::size_t middle = grid.size() / 2;
    if (by.empty()) return middle;
    return searchGrid(grid.size(), [&](std::size_t at) {
      const auto lists = make(ranking->interactions_, ranking->eligible_, grid[at], progress.fit());
      return valueOf(lists, progress.lists());
    });
  }
};

RankingProtocol CatalogueRanking::choosingProtocol() const {
  RankingProtocol protocol = protocol_;
  protocol.k = {protocol_.k.back()};
  protocol.metrics = {RankingMetric::kNdcg};
  protocol.segments.clear();
  protocol.sample = std::min(protocol_.sample.value_or(kChoosingQueries), kChoosingQueries);
  // Under the other one it is 1 with any hit.
  if (protocol.benchmark) protocol.benchmark = experiment::EvaluationProtocol::kYambda;
  return protocol;
}

CatalogueRanking::Choosing CatalogueRanking::choosing(Workers* workers,
                                                      const WorkContext& context) const {
  const auto ranking = [&](const Interactions& of) {
    return std::unique_ptr<const CatalogueRanking>(
        new CatalogueRanking(*this, of, SplitPart::kValidation, of.partRows(SplitPart::kValidation),
                             choosingProtocol()));
  };
  const std::string metric = fmt::format("ndcg@{}", protocol_.k.back());
  Choosing on{nullptr, ranking(interactions_), metric + " of the validation rows", workers};
  if (!on.ranking->queries().empty()) return on;
  const Random random(protocol_.seed, RandomPurpose::kSampling, kCutStream);
  data::Split split;
  data::RowBits kept = interactions_.partRows(SplitPart::kTrain).bits(dataset_.rows());
  data::RowBits cut = data::noRowBits(dataset_.rows());
  interactions_.partRows(SplitPart::kTrain).forEach([&](std::int64_t row) {
    if (random.uniform(static_cast<std::uint64_t>(row)) >= kCutShare) return;
    data::setRow(cut, row);
    data::clearRow(kept, row);
  });
  split.train = data::RowSet::ofBits(std::move(kept));
  split.validation = data::RowSet::ofBits(std::move(cut));
  on.cut = std::make_unique<const Interactions>(interactions_, split, context.stop);
  on.ranking = ranking(*on.cut);
  on.by = on.ranking->queries().empty()
              ? std::string()
              : metric + " of a tenth of the training rows, for there are no validation rows";
  return on;
}

experiment::Baselines CatalogueRanking::fitted(const FitLimits& limits, Workers* workers,
                                               const WorkContext& context) const {
  experiment::Baselines found;
  std::vector<std::string> choices;
  // `make` returns lists and says what was chosen for them.
  const auto add = [&](const char* name, std::int64_t fits, const auto& make) {
    const auto entry = std::ranges::find(found, name, [](const auto& of) { return of.first; });
    if (entry == found.end() || context.cancelled()) return;
    FitProgress progress(name, fits, context);
    std::string choice;
    const std::unique_ptr<BaselineLists> lists = make(progress, choice);
    if (!lists || context.cancelled()) return;
    Reference reference = measureLists(*lists, workers, progress.lists());
    if (!reference.sums) return;
    entry->second = std::move(reference.metrics);
    if (!choice.empty()) choices.push_back(std::move(choice));
    const std::lock_guard lock(fittedMutex_);
    fitted_.insert_or_assign(name, std::move(reference.sums));
  };
  try {
    if (queries().empty()) return found;
    const bool fitsKnn = whyNoKnn(limits).empty(), fitsEase = whyNoEase(limits).empty(),
               fitsSvd = !fitsEase && whyNoSvd(limits).empty();
    for (const auto& [name, isFitted] :
         {std::pair("own_items", repeatsPairs()), std::pair("markov", protocol_.order.has_value()),
          std::pair("item_knn", fitsKnn), std::pair("ease", fitsEase), std::pair("svd", fitsSvd)})
      if (isFitted) found.push_back({name, {}});
    add("own_items", 1, [&](FitProgress& progress, std::string&) {
      return ownItems(dataset_, interactions_, eligible_, progress.fit());
    });
    add("markov", 1, [&](FitProgress& progress, std::string&) {
      return markovChain(dataset_, *protocol_.order, interactions_, eligible_, progress.fit());
    });
    if (context.cancelled() || !(fitsKnn || fitsEase || fitsSvd)) return found;
    context.report("choosing rows for baselines", 0, 0);
    const Choosing on = choosing(workers, context);
    const std::string by =
        on.by.empty() ? ", for no rows can choose: there are too few" : ", by " + on.by;
    const auto tries = [&](std::size_t size) { return on.by.empty() ? 0 : triesOf(size); };
    const bool choosesKnn = pairsOfUsers() <= limits.knnPairs / kKnnFits;
    add("item_knn", 1 + (choosesKnn ? tries(kNeighbours.size()) + tries(kShrinkages.size()) : 0),
        [&](FitProgress& progress, std::string& choice) -> std::unique_ptr<BaselineLists> {
          ItemKnnOptions options;
          const auto fit = [&](const Interactions& to, std::span<const std::uint8_t> eligible,
                               const WorkContext& of) {
            return itemKnn(to, eligible, options, workers, of);
          };
          const auto chooses = [&](const auto& grid, auto ItemKnnOptions::*setting) {
            const auto best =
                on.bestOf(grid, progress, [&](auto& to, auto& eligible, auto tried, auto of) {
                  options.*setting = tried;
                  return fit(to, eligible, of);
                });
            if (best) options.*setting = grid[*best];
            return best.has_value();
          };
          if (choosesKnn && !(chooses(kNeighbours, &ItemKnnOptions::neighbours) &&
                              chooses(kShrinkages, &ItemKnnOptions::shrinkage)))
            return nullptr;
          choice =
              fmt::format("item_knn has {} neighbours and shrinkage {:g}{}", options.neighbours,
                          options.shrinkage,
                          choosesKnn ? by : ", for choosing would compare too many pairs of items");
          return fit(interactions_, eligible_, progress.fit());
        });
    // Half the side takes an eighth of the time, so that all fits together take that of the largest.
    const bool choosesEase = fitsEase && 2 * easeSide(interactions_) <= limits.easeSide;
    add("ease", 1 + (choosesEase ? tries(kLambdas.size()) : 0),
        [&](FitProgress& progress, std::string& choice) -> std::unique_ptr<BaselineLists> {
          const auto fit = [&](const Interactions& to, std::span<const std::uint8_t> eligible,
                               double lambda, const WorkContext& of) {
            return ease(to, eligible, lambda, workers, of);
          };
          const auto lambda =
              choosesEase ? on.bestOf(kLambdas, progress, fit) : std::optional(kLambdas.size() / 2);
          if (!lambda) return nullptr;
          choice = fmt::format(
              "ease has λ {:g}{}", kLambdas[*lambda],
              choosesEase ? by : ", for choosing would invert too large a matrix several times");
          return fit(interactions_, eligible_, kLambdas[*lambda], progress.fit());
        });
    add("svd", 1 + tries(kRanks.size()),
        [&](FitProgress& progress, std::string& choice) -> std::unique_ptr<BaselineLists> {
          const auto fit = [&](const Interactions& to, std::span<const std::uint8_t> eligible,
                               std::int64_t rank, const WorkContext& of) {
            return svdFilter(to, eligible, rank, workers, of);
          };
          const auto rank = on.bestOf(kRanks, progress, fit);
          if (!rank) return nullptr;
          choice = fmt::format("svd has rank {}{}", kRanks[*rank], by);
          return fit(interactions_, eligible_, kRanks[*rank], progress.fit());
        });
  } catch (const data::PassStopped&) {
    // A baseline that is not measured stays without metrics.
  }
  const std::lock_guard lock(fittedMutex_);
  choices_ = std::move(choices);
  return found;
}

std::vector<std::string> CatalogueRanking::choices() const {
  const std::lock_guard lock(fittedMutex_);
  return choices_;
}

std::vector<std::string> CatalogueRanking::leftOut(const FitLimits& limits) const {
  std::vector<std::string> sentences;
  if (queries().empty()) return sentences;
  std::string noEase = whyNoEase(limits);
  std::string noSvd = noEase.empty() ? std::string() : whyNoSvd(limits);
  for (std::string why : {whyNoKnn(limits), std::move(noEase), std::move(noSvd)})
    if (!why.empty()) sentences.push_back(std::move(why));
  return sentences;
}

// Where what is seen is left out, nothing of one's own can be found.
bool CatalogueRanking::repeatsPairs() const {
  if (protocol_.seen != SeenItems::kKeep || protocol_.seenPairs != experiment::SeenPairs::kKeep)
    return false;
  std::int64_t rows = 0, pairs = 0;
  for (std::int32_t user = 1; user < interactions_.users(); ++user) {
    rows += interactions_.activity(user);
    pairs += std::ssize(trainingItems(interactions_, user));
  }
  return static_cast<double>(rows - pairs) >= kMinRepeatedShare * static_cast<double>(rows) &&
         rows > pairs;
}

std::int64_t CatalogueRanking::pairsOfUsers() const {
  std::int64_t pairs = 0;
  for (std::int32_t user = 1; user < interactions_.users(); ++user) {
    const auto items = std::ssize(trainingItems(interactions_, user));
    pairs += items * items;
  }
  return pairs;
}

std::string CatalogueRanking::whyNoKnn(const FitLimits& limits) const {
  if (const std::int64_t pairs = pairsOfUsers(); pairs > limits.knnPairs)
    return fmt::format(
        "{}item_knn compares {} pairs of items of the same user, and is fitted up to {}",
        experiment::kBaselineWarning, formatCount(pairs), formatCount(limits.knnPairs));
  const auto items = static_cast<std::uint64_t>(
      std::ranges::count_if(interactions_.popularity(), [](auto rows) { return rows > 0; }));
  const std::uint64_t bytes =
      items * static_cast<std::uint64_t>(kNeighbours.back()) * sizeof(Scored);
  return limits.bytes == 0 || bytes <= limits.bytes
             ? std::string()
             : fmt::format(
                   "{}the neighbours of item_knn take {}, more than a quarter of the memory, {}",
                   experiment::kBaselineWarning, formatBytes(bytes), formatBytes(limits.bytes));
}

std::string CatalogueRanking::whyNoEase(const FitLimits& limits) const {
  const std::int64_t side = easeSide(interactions_);
  if (side > limits.easeSide)
    return fmt::format(
        "{}users and items with training rows are {} or more, and ease, whose time grows with the "
        "cube of the smaller number, is fitted up to {}",
        experiment::kBaselineWarning, formatCount(side), formatCount(limits.easeSide));
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(side) * static_cast<std::uint64_t>(side) * sizeof(float);
  return limits.bytes == 0 || bytes <= limits.bytes
             ? std::string()
             : fmt::format(
                   "{}the matrix of ease for {} users or items takes {}, more than a quarter of "
                   "the "
                   "memory, {}",
                   experiment::kBaselineWarning, formatCount(side), formatBytes(bytes),
                   formatBytes(limits.bytes));
}

std::string CatalogueRanking::whyNoSvd(const FitLimits& limits) const {
  const auto lists = std::ssize(queries());
  const auto items = std::ssize(eligible_);
  if (lists > limits.svdProducts / kRanks.back() / items)
    return fmt::format(
        "{}svd takes {} products for {} lists of {} items, and is fitted up to {}; "
        "/evaluation/sample makes them fewer",
        experiment::kBaselineWarning,
        formatCount(static_cast<std::int64_t>(kRanks.back()) * items * lists), formatCount(lists),
        formatCount(items), formatCount(limits.svdProducts));
  const std::uint64_t bytes = static_cast<std::uint64_t>(interactions_.users() + 2 * items) *
                              static_cast<std::uint64_t>(kRanks.back()) * sizeof(float);
  return limits.bytes == 0 || bytes <= limits.bytes
             ? std::string()
             : fmt::format("{}the vectors of svd take {}, more than a quarter of the memory, {}",
                           experiment::kBaselineWarning, formatBytes(bytes),
                           formatBytes(limits.bytes));
}

}  // namespace parapet::retrieval
