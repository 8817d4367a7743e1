// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/progress.h"
#include "engine/base/workers.h"
#include "engine/data/dataset/dataset.h"
#include "engine/retrieval/interactions.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

/// The best k candidates of scores by item row, without those that are excluded (ascending).
std::vector<Scored> bestScores(std::span<const float> scores,
                               std::span<const std::uint8_t> eligible, std::int64_t k,
                               std::span<const std::int32_t> excluded);

/// Ascending items of the training rows of a user; an unknown user (row 0) has none.
std::span<const std::int32_t> trainingItems(const Interactions& interactions, std::int32_t user);

/// Up to where baselines that cost more than a pass over the rows are fitted.
struct FitLimits {
  /// EASE, whose time grows with the cube of the smaller of users and items with training rows: some
  /// minutes on one core for each λ that is tried.
  std::int64_t easeSide = 20'000;
  /// Item-kNN, of pairs of items of the same user, that is Σ over users of items²: some minutes on
  /// one core. The number of items does not limit it.
  std::int64_t knnPairs = 50'000'000'000;
  /// The filter by SVD, in products of two floats for all its lists: some minutes on one core.
  std::int64_t svdProducts = 500'000'000'000;
  /// Each: a quarter of the memory, since a run needs the rest; 0: any amount.
  std::uint64_t bytes = physicalMemoryBytes() / 4;
};

/// A recommender without training, fitted to the training rows.
///
/// Thread   list() from any thread.
class BaselineLists {
 public:
  virtual ~BaselineLists() = default;
  /// Whether a list depends on the row of a query, not on its user alone.
  [[nodiscard]] virtual bool readsRow() const { return false; }
  /// At most k candidates, best first, without those that are excluded (ascending). `row` of the
  /// data set whose context the list is for; −1: none.
  [[nodiscard]] virtual std::vector<Scored> list(std::int32_t user, std::int64_t row,
                                                 std::int64_t k,
                                                 std::span<const std::int32_t> excluded) const = 0;
};

/// Items by training rows, ties by item.
std::unique_ptr<BaselineLists> mostPopular(std::span<const std::int64_t> popularity,
                                           std::span<const std::uint8_t> eligible);

/// Items by training rows with the same values of all contexts; ties, and contexts that no training
/// row has, by training rows. Once it is cancelled, later rows are not counted.
///
/// Memory   at most 8 bytes per training row.
std::unique_ptr<BaselineLists> mostPopularInContext(const data::Dataset& dataset,
                                                    const std::vector<std::string>& contexts,
                                                    const Interactions& interactions,
                                                    std::span<const std::uint8_t> eligible,
                                                    const WorkContext& context = {});

/// Items of the user's training rows by how many rows they have, ties by the later last one; then the
/// others by training rows. "Last" is by time if the data set has times, the later row of equal
/// ones, else by position.
///
/// Memory   8 bytes per distinct pair of training rows, 24 per user.
/// Errors   throws data::PassStopped once it is cancelled.
std::unique_ptr<BaselineLists> ownItems(const data::Dataset& dataset,
                                        const Interactions& interactions,
                                        std::span<const std::uint8_t> eligible,
                                        const WorkContext& context = {});

/// A Markov chain of first order: items by how many training rows have them next after the item i,
/// ties and the others by training rows,
///
///   score(j | i) = |{training rows of j whose last training row before is one of i}|
///
/// i being the item of the last training row of the user before the row of a query, without a row the
/// last of all. What is before a row data::UserHistory says: rows of one time are not before each other.
///
/// Memory   20 bytes per training row at most, and 8 more while it is fitted.
/// Errors   InvalidArgument for kTime without times; throws data::PassStopped once it is cancelled.
std::unique_ptr<BaselineLists> markovChain(const data::Dataset& dataset,
                                           experiment::EventOrder order,
                                           const Interactions& interactions,
                                           std::span<const std::uint8_t> eligible,
                                           const WorkContext& context = {});

/// Items like those of the user: with the sets U_i of users that have item i in training rows,
///
///   s(i, j) = |U_i ∩ U_j| / (√(|U_i|·|U_j|) + shrinkage),   score(u, j) = Σ_{i of u} s(i, j)
///
/// over those j that are among the `neighbours` most similar to i.
///
/// Time     O(Σ over users of items²). Memory: 8 bytes per neighbour.
/// Returns  null if it was cancelled.
/// Source   Deshpande, Karypis, "Item-Based Top-N Recommendation Algorithms" (2004).
struct ItemKnnOptions {
  std::int64_t neighbours = 100;
  double shrinkage = 10.0;
};
std::unique_ptr<BaselineLists> itemKnn(const Interactions& interactions,
                                       std::span<const std::uint8_t> eligible,
                                       const ItemKnnOptions& options = {},
                                       Workers* workers = nullptr, const WorkContext& context = {});

/// The Gram matrix that EASE inverts.
enum class EaseGram {
  kSmaller,  ///< of users if they are fewer than the items
  kItems,    ///< XᵀX
  kUsers,    ///< XXᵀ
};

/// The linear model of items from items, in closed form: with X [users, items] of 0 and 1,
///
///   P = (XᵀX + λI)⁻¹,   B = −P / diag(P) column by column, diag(B) = 0,   scores = X·B
///
/// By users, with K = (XXᵀ + λI)⁻¹, P itself is not needed:
///
///   X·P = K·X,   P_jj = (1 − x_jᵀ·K·x_j) / λ,   scores = X − K·X / diag(P)
///
/// Time     n³ multiplications and additions for the n users or items of training rows, then n for
///          each item of a user's list, or one for each pair of training rows. Memory: 4·n² bytes.
/// Returns  null if it was cancelled.
/// Source   Steck, "Embarrassingly Shallow Autoencoders for Sparse Data" (2019); by users the
///          identities of Woodbury and of the push through.
std::unique_ptr<BaselineLists> ease(const Interactions& interactions,
                                    std::span<const std::uint8_t> eligible, double lambda,
                                    Workers* workers = nullptr, const WorkContext& context = {},
                                    EaseGram gram = EaseGram::kSmaller);
/// An ideal low-pass filter of the graph of users and items, for catalogues above the limit of EASE:
/// with R̃ = D_u^(−1/2)·X·D_i^(−1/2), D the numbers of training pairs, and V its first right singular
/// vectors,
///
///   scores = X·D_i^(−1/2)·V·Vᵀ·D_i^(1/2)
///
/// V is found by four iterations of a random subspace that is 16 wider.
///
/// Time     O(pairs·rank + items·rank²) to fit, items·rank a list.
/// Memory   4·(rank + 16) bytes per user and twice as many per item.
/// Returns  null if it was cancelled.
/// Source   Shen et al., "How Powerful is Graph Convolution for Recommendation?" (2021), 4.2; Halko,
///          Martinsson, Tropp, "Finding structure with randomness" (2011), 4.4.
std::unique_ptr<BaselineLists> svdFilter(const Interactions& interactions,
                                         std::span<const std::uint8_t> eligible, std::int64_t rank,
                                         Workers* workers = nullptr,
                                         const WorkContext& context = {});

/// The smaller of users and items with training rows: the n of EaseGram::kSmaller.
std::int64_t easeSide(const Interactions& interactions);

}  // namespace parapet::retrieval
