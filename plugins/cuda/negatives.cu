// SPDX-License-Identifier: Apache-2.0
// Losses of each query's own candidate against negatives. Some queries at a time meet all
// candidates in one product, into the op's scratch; a block turns a line of scores into the line of
// weights d(loss)/d(q·c); from these come the gradients, by two more products. So a batch of any
// size takes the memory of a few lines.
#include "engine/tensor/losses_abi.h"
#include "plugins/cuda/matmul.h"
#include "plugins/cuda/ops.h"
#include "plugins/cuda/ordered_keys.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {
namespace {

/// A line of scores: query b against candidates first, first + 1, …
struct ScoreLine {
  PpNegativesLoss a;
  std::int64_t begin;  // query of the first line
  std::int64_t firstCandidate, columns;
  float* scores;
  double* losses;  // of all queries
  float* own;      // d(loss)/d(q·own candidate) of each line, where it is no column

  PP_DEVICE void operator()(std::int64_t index) const {
    const std::int64_t b = begin + index;
    float* const line = scores + index * columns;
    const float temperature = a.logTemperature ? std::exp(*a.logTemperature) : a.temperature;
    const float inverse = 1.0f / temperature;
    const float ownDot = ownProduct(line, b);
    meet();
    mask(line, b);
    meet();
    for (std::int64_t j = thread(); j < columns; j += threads())
      line[j] = line[j] * inverse - (a.shift && isSoftmax() ? a.shift[firstCandidate + j] : 0.0f);
    meet();
    if (a.hardest > 0 && a.hardest < columns) {
      const std::uint64_t least = keyOfRank(a.hardest, columns, [line](std::int64_t j) {
        return orderedKey(line[j], static_cast<std::uint32_t>(j));
      });
      for (std::int64_t j = thread(); j < columns; j += threads())
        if (orderedKey(line[j], static_cast<std::uint32_t>(j)) < least) line[j] = -kInfinity;
      meet();
    }
    const float weight = a.weight ? a.weight[b] : 1.0f;
    const float scale = a.gradientScale * weight * inverse;
    const float score = ownDot * inverse - (a.ownShift && isSoftmax() ? a.ownShift[b] : 0.0f);
    double loss = 0.0;
    const float ownSlope = weigh(line, score, scale, loss);
    meet();
    if (thread() != 0) return;
    losses[b] = static_cast<double>(weight) * loss;
    const std::int64_t column = b - firstCandidate;
    if (column >= 0 && column < columns)
      line[column] = ownSlope;
    else
      own[index] = ownSlope;
  }

 private:
  [[nodiscard]] PP_DEVICE bool isSoftmax() const { return a.kind == PP_NEGATIVES_SOFTMAX; }

  PP_DEVICE float ownProduct(const float* line, std::int64_t b) const {
    const std::int64_t column = b - firstCandidate;
    if (column >= 0 && column < columns) return line[column];
    float dot = 0.0f;
    for (std::int64_t d = thread(); d < a.width; d += threads())
      dot += a.queries[b * a.width + d] * a.candidates[b * a.width + d];
    return sumOverBlock(dot);
  }

  /// −inf for what is no negative of the query.
  PP_DEVICE void mask(float* line, std::int64_t b) const {
    std::int64_t groupBegin = 0, groupEnd = a.rows;
    if (a.groups && a.inBatch) {
      std::int64_t low = 0, high = a.groupCount;  // groups[low] <= b < groups[high]
      while (high - low > 1) {
        const std::int64_t middle = (low + high) / 2;
        if (a.groups[middle] <= b)
          low = middle;
        else
          high = middle;
      }
      groupBegin = a.groups[low];
      groupEnd = a.groups[low + 1];
    }
    for (std::int64_t j = thread(); j < columns; j += threads()) {
      const std::int64_t candidate = firstCandidate + j;
      if (candidate < a.rows && (candidate == b || candidate < groupBegin || candidate >= groupEnd))
        line[j] = -kInfinity;
    }
    if (thread() != 0) return;
    const std::int32_t* const rings[] = {a.sameItem, a.sameUser};
    for (const std::int32_t* ring : rings)
      for (std::int64_t j = ring ? ring[b] : b; j != b; j = ring[j])
        if (j >= firstCandidate && j < firstCandidate + columns)
          line[j - firstCandidate] = -kInfinity;
  }

  // The greatest score is taken off before the exponentials.
  PP_DEVICE float softmax(float* line, float ownScore, float scale, double& loss) const {
    float greatest = ownScore;
    for (std::int64_t j = thread(); j < columns; j += threads())
      greatest = line[j] > greatest ? line[j] : greatest;
    greatest = maxOverBlock(greatest);
    double rest = 0.0;
    for (std::int64_t j = thread(); j < columns; j += threads()) {
      const float power = std::exp(line[j] - greatest);
      line[j] = power;
      rest += static_cast<double>(power);
    }
    rest = sumOverBlock(rest);
    const double total = rest + static_cast<double>(std::exp(ownScore - greatest));
    loss = std::log(total) + static_cast<double>(greatest) - static_cast<double>(ownScore);
    const float factor = static_cast<float>(1.0 / total) * scale;
    for (std::int64_t j = thread(); j < columns; j += threads()) line[j] *= factor;
    return static_cast<float>(-rest / total) * scale;
  }

  /// The loss of a line, which becomes its weights; d(loss)/d(q·own candidate).
  PP_DEVICE float weigh(float* line, float score, float scale, double& loss) const {
    switch (a.kind) {
      case PP_NEGATIVES_BPR:
        return bpr(line, score, scale, loss);
      case PP_NEGATIVES_BCE:
        return bce(line, score, scale, loss);
      case PP_NEGATIVES_CCL:
        return ccl(line, score, scale, loss);
      default:
        return softmax(line, score, scale, loss);
    }
  }

  /// A function of a score with its derivative.
  struct Sloped {
    float value, slope;
  };
  /// log(1 + e^x) and σ(x), from e^−|x|, which does not overflow.
  static PP_DEVICE Sloped softplus(float x) {
    const float e = std::exp(-std::abs(x));
    return {(x > 0.0f ? x : 0.0f) + std::log1p(e), (x >= 0.0f ? 1.0f : e) / (1.0f + e)};
  }
  /// Sums over the negatives of a query.
  struct SlopedSums {
    double values, slopes, negatives;
  };
  /// The line holds slopes then, 0 for what is no negative.
  template <class Function>
  PP_DEVICE SlopedSums sumsOf(float* line, const Function& function) const {
    double values = 0.0, slopes = 0.0, negatives = 0.0;
    for (std::int64_t j = thread(); j < columns; j += threads()) {
      const float s = line[j];
      if (s == -kInfinity) {
        line[j] = 0.0f;
        continue;
      }
      const Sloped found = function(s);
      values += static_cast<double>(found.value);
      slopes += static_cast<double>(found.slope);
      negatives += 1.0;
      line[j] = found.slope;
    }
    values = sumOverBlock(values);
    slopes = sumOverBlock(slopes);
    negatives = sumOverBlock(negatives);
    return {values, slopes, negatives};
  }
  PP_DEVICE void multiplyLine(float* line, float factor) const {
    for (std::int64_t j = thread(); j < columns; j += threads()) line[j] *= factor;
  }

  PP_DEVICE float bpr(float* line, float ownScore, float scale, double& loss) const {
    const SlopedSums sums = sumsOf(line, [ownScore](float s) { return softplus(s - ownScore); });
    const double share = sums.negatives > 0.0 ? 1.0 / sums.negatives : 0.0;
    loss = sums.values * share;
    multiplyLine(line, static_cast<float>(share) * scale);
    return static_cast<float>(-sums.slopes * share) * scale;
  }

  PP_DEVICE float bce(float* line, float ownScore, float scale, double& loss) const {
    const SlopedSums sums = sumsOf(line, [](float s) { return softplus(s); });
    const Sloped mine = softplus(-ownScore);
    const double share = 1.0 / (sums.negatives + 1.0);
    const double weight = static_cast<double>(a.ownWeight) * share;
    loss = sums.values * share + weight * static_cast<double>(mine.value);
    multiplyLine(line, static_cast<float>(share) * scale);
    return static_cast<float>(-weight * static_cast<double>(mine.slope)) * scale;
  }

  PP_DEVICE float ccl(float* line, float ownScore, float scale, double& loss) const {
    const float margin = a.margin;
    const SlopedSums sums = sumsOf(line, [margin](float s) {
      return s > margin ? Sloped{s - margin, 1.0f} : Sloped{0.0f, 0.0f};
    });
    const double share =
        sums.negatives > 0.0 ? static_cast<double>(a.negativeWeight) / sums.negatives : 0.0;
    loss = 1.0 - static_cast<double>(ownScore) + sums.values * share;
    multiplyLine(line, static_cast<float>(share) * scale);
    return -scale;
  }
};

/// Where a query's own candidate is no column, its share of the two gradients.
void addOwn(const PpCall* call, const PpNegativesLoss& a, std::int64_t begin, std::int64_t lines,
            const float* own) {
  const std::int64_t width = a.width;
  const float *const queries = a.queries, *const candidates = a.candidates;
  float *const dQueries = a.dQueries, *const dCandidates = a.dCandidates;
  forRows(call, lines, width, [=] PP_DEVICE(std::int64_t index, std::int64_t d) {
    const std::int64_t at = (begin + index) * width + d;
    if (dQueries) dQueries[at] += own[index] * candidates[at];
    if (dCandidates) dCandidates[at] += own[index] * queries[at];
  });
}

}  // namespace

std::int32_t negativesLoss(const PpCall* call, const PpNegativesLoss* args) {
  const PpNegativesLoss a = *args;
  const std::int64_t first = a.inBatch ? 0 : a.rows, columns = a.candidateRows - first;
  const std::int64_t width = a.width;
  if (a.dCandidates)
    forElements(call, a.candidateRows * width,
                [a] PP_DEVICE(std::int64_t i) { a.dCandidates[i] = 0.0f; });
  if (a.rows == 0) return done(call);
  const PpNegativesBlocks sizes = ppNegativesBlocks(a.rows, a.candidateRows, width);
  const std::int64_t together =
      std::min(a.rows, sizes.parts * sizes.partElements / std::max<std::int64_t>(1, columns));
  Scratch scratch(call);
  auto* const losses = scratch.take<double>(a.rows);
  auto* const own = scratch.take<float>(together);
  for (std::int64_t begin = 0; begin < a.rows; begin += together) {
    const std::int64_t lines = std::min(together, a.rows - begin);
    const float* const queries = a.queries + begin * width;
    const float* const candidates = a.candidates + first * width;
    multiply(
        call, scratch,
        {lines, columns, width, 0, 1, queries, width, candidates, width, 0.0f, a.scratch, columns});
    forBlocks(call, lines, ScoreLine{a, begin, first, columns, a.scratch, losses, own});
    if (a.dQueries)
      multiply(call, scratch,
               {lines, width, columns, 0, 0, a.scratch, columns, candidates, width, 0.0f,
                a.dQueries + begin * width, width});
    if (a.dCandidates)
      multiply(call, scratch,
               {columns, width, lines, 1, 0, a.scratch, columns, queries, width, 1.0f,
                a.dCandidates + first * width, width});
    if (!a.inBatch && (a.dQueries || a.dCandidates)) addOwn(call, a, begin, lines, own);
  }
  sumAll<1>(
      call, scratch, a.rows, [=] PP_DEVICE(std::int64_t b) { return Sums<1>{{losses[b]}}; },
      [=] PP_DEVICE(const Sums<1>& total) { *a.sum += total.of[0]; });
  return done(call);
}

}  // namespace parapet::cuda
