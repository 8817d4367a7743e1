// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/random.h"
#include "engine/retrieval/baseline_lists.h"

namespace parapet::retrieval {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The range of R̃ᵀR̃ is found by iterations of a random subspace, a few wider than the rank.
class SvdFilter final : public BaselineLists {
 public:
  SvdFilter(const Interactions& interactions, std::span<const std::uint8_t> eligible)
      : interactions_(interactions), eligible_(eligible), usersOf_(eligible.size()) {
    for (std::int32_t user = 1; user < interactions.users(); ++user)
      for (const std::int32_t item : trainingItems(interactions, user))
        if (item > 0) usersOf_[static_cast<std::size_t>(item)].push_back(user);
    for (const std::vector<std::int32_t>& users : usersOf_)
      rootOfItem_.push_back(std::sqrt(static_cast<float>(users.size())));
  }

  /// False if it was cancelled.
  bool fit(std::int64_t rank, Workers* workers, const WorkContext& context) {
    constexpr std::int64_t kExtra = 16;
    constexpr int kPasses = 4;
    const auto items = std::ssize(usersOf_);
    const std::int64_t width =
        std::min({rank + kExtra, items, static_cast<std::int64_t>(interactions_.users())});
    const Random random(0, RandomPurpose::kSampling);
    vectors_.resize(items, width);
    for (std::int64_t i = 0; i < items * width; ++i)
      vectors_.data()[i] = static_cast<float>(random.normal(static_cast<std::uint64_t>(i)));
    for (int pass = 0; pass < kPasses; ++pass) {
      context.report("fitting SVD", pass, kPasses + 1);
      ofItems(ofUsers(workers, context), workers, context);
      if (context.cancelled()) return false;
      const Eigen::HouseholderQR<Eigen::Ref<Matrix>> qr(vectors_);
      Matrix orthonormal = qr.householderQ() * Matrix::Identity(items, width);
      vectors_ = std::move(orthonormal);
      if (context.cancelled()) return false;
    }
    context.report("fitting SVD", kPasses, kPasses + 1);
    const Matrix projected = ofUsers(workers, context);
    if (context.cancelled()) return false;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
        (projected.transpose() * projected).cast<double>());
    // Ascending: the last ones are the largest.
    vectors_ =
        (vectors_ * eigen.eigenvectors().rightCols(std::min(rank, width)).cast<float>()).eval();
    usersOf_ = {};
    return true;
  }

  [[nodiscard]] std::vector<Scored> list(std::int32_t user, std::int64_t, std::int64_t k,
                                         std::span<const std::int32_t> excluded) const override {
    Eigen::RowVectorXf sum = Eigen::RowVectorXf::Zero(vectors_.cols());
    for (const std::int32_t item : trainingItems(interactions_, user))
      if (item > 0) sum += vectors_.row(item) / rootOfItem_[static_cast<std::size_t>(item)];
    const Eigen::VectorXf products = vectors_ * sum.transpose();
    std::vector<float> scores(eligible_.size());
    for (std::size_t item = 1; item < scores.size(); ++item)
      scores[item] = rootOfItem_[item] * products[static_cast<Eigen::Index>(item)];
    return bestScores(scores, eligible_, k, excluded);
  }

 private:
  /// R̃·vectors [users, width].
  Matrix ofUsers(Workers* workers, const WorkContext& context) const {
    Matrix sums = Matrix::Zero(interactions_.users(), vectors_.cols());
    runBlocks(workers, interactions_.users(), [&](std::int64_t user) {
      if (context.cancelled()) return;
      const auto items = trainingItems(interactions_, static_cast<std::int32_t>(user));
      for (const std::int32_t item : items)
        if (item > 0)
          sums.row(user) += vectors_.row(item) / rootOfItem_[static_cast<std::size_t>(item)];
      if (!items.empty()) sums.row(user) /= std::sqrt(static_cast<float>(items.size()));
    });
    return sums;
  }
  /// vectors = R̃ᵀ·sums.
  void ofItems(const Matrix& sums, Workers* workers, const WorkContext& context) {
    runBlocks(workers, std::ssize(usersOf_), [&](std::int64_t item) {
      vectors_.row(item).setZero();
      const std::vector<std::int32_t>& users = usersOf_[static_cast<std::size_t>(item)];
      if (users.empty() || context.cancelled()) return;
      for (const std::int32_t user : users)
        vectors_.row(item) +=
            sums.row(user) /
            std::sqrt(static_cast<float>(std::ssize(trainingItems(interactions_, user))));
      vectors_.row(item) /= rootOfItem_[static_cast<std::size_t>(item)];
    });
  }

  const Interactions& interactions_;
  std::span<const std::uint8_t> eligible_;
  std::vector<std::vector<std::int32_t>> usersOf_;  ///< by item, until it is fitted
  std::vector<float> rootOfItem_;                   ///< √|users of the item|
  Matrix vectors_;                                  ///< [items, width]; fitted: V [items, rank]
};

}  // namespace

std::unique_ptr<BaselineLists> svdFilter(const Interactions& interactions,
                                         std::span<const std::uint8_t> eligible, std::int64_t rank,
                                         Workers* workers, const WorkContext& context) {
  auto made = std::make_unique<SvdFilter>(interactions, eligible);
  if (context.cancelled() || !made->fit(rank, workers, context)) return nullptr;
  return made;
}

}  // namespace parapet::retrieval
