// SPDX-License-Identifier: Apache-2.0
// What the ops refuse, and in which words. That they compute what they say is among the conformance
// cases of engine/selftest.
#include <QtTest>
#include <array>
#include <functional>

#include "engine/base/result.h"
#include "engine/tensor/ops/ops.h"

using namespace parapet;
using namespace parapet::tensor;

namespace {

const Launch kLaunch{&hostDevice(), nullptr};

struct Misuse {
  const char* name;
  std::function<void()> call;
  const char* message;
};

}  // namespace

class ArgumentsTest : public QObject {
  Q_OBJECT

  // Nothing may touch the arrays: every call is refused before any work.
  std::array<float, 4> floats_{1.0f, 2.0f, 3.0f, 4.0f};
  std::array<std::int32_t, 4> none_{-1, -1, -1, -1};
  std::array<std::int32_t, 4> out_{};
  const std::array<std::int32_t, 3> rows_{0, 1, 4}, negative_{0, -2, 1}, ascending_{5, 5, 8};
  float* const data_ = floats_.data();
  double sums_[3] = {};

  [[nodiscard]] UpdateTarget target(std::int64_t width, const std::int32_t* rows,
                                    std::int64_t count) const {
    UpdateTarget made = everyRow(data_, 4, width, data_);
    made.rows = rows;
    made.count = count;
    return made;
  }

  std::vector<Misuse> rowMisuses() {
    return {
        {"fill", [this] { fill(kLaunch, data_, -3, 0.0f); },
         "[tensor.fill] count is -3; at least 0 is accepted"},
        {"gatherRows width", [this] { gatherRows(kLaunch, data_, 4, 0, rows_, data_); },
         "[tensor.gatherRows] width is 0; at least 1 is accepted"},
        {"gatherRows row", [this] { gatherRows(kLaunch, data_, 4, 1, rows_, data_); },
         "[tensor.gatherRows] rows[2] is 4; accepted are 0 … 3"},
        {"gatherRows negative row", [this] { gatherRows(kLaunch, data_, 4, 1, negative_, data_); },
         "[tensor.gatherRows] rows[1] is -2; accepted are 0 … 3"},
        {"groupRows row", [this] { groupRows(kLaunch, rows_, 4, none_.data(), {}); },
         "[tensor.groupRows] rows[2] is 4; accepted are 0 … 3"},
        {"copyColumns rows",
         [this] { copyColumns(kLaunch, -1, 1, data_, 1, data_, 1, Accumulate::kNo); },
         "[tensor.copyColumns] rows is -1; at least 0 is accepted"},
        {"copyColumns width",
         [this] { copyColumns(kLaunch, 1, 0, data_, 1, data_, 1, Accumulate::kNo); },
         "[tensor.copyColumns] width is 0; at least 1 is accepted"},
        {"copyColumns stride of in",
         [this] { copyColumns(kLaunch, 1, 2, data_, 1, data_, 2, Accumulate::kNo); },
         "[tensor.copyColumns] stride of in is 1; at least width is accepted"},
        {"copyColumns stride of out",
         [this] { copyColumns(kLaunch, 1, 2, data_, 2, data_, 1, Accumulate::kYes); },
         "[tensor.copyColumns] stride of out is 1; at least width is accepted"},
        {"sumParts of nothing", [this] { sumParts(kLaunch, {}, 1, data_); },
         "[tensor.sumParts] number of parts is 0; at least 1 is accepted"},
        {"sumParts count",
         [this] {
           const float* const part = data_;
           sumParts(kLaunch, {&part, 1}, -1, data_);
         },
         "[tensor.sumParts] count is -1; at least 0 is accepted"},
    };
  }

  std::vector<Misuse> denseMisuses() {
    const auto product = [this](std::int64_t m, std::int64_t n, std::int64_t k, MatrixRef a,
                                MatrixRef b, std::int64_t strideC) {
      return [=, this] { matmul(kLaunch, m, n, k, a, b, 0.0f, data_, strideC); };
    };
    const MatrixRef wide{data_, 9}, narrow{data_, 1};
    const MatrixRef narrowTransposed{data_, 1, true};
    return {
        {"matmul m", product(-1, 1, 1, wide, wide, 9),
         "[tensor.matmul] size is -1; at least 0 is accepted"},
        {"matmul k", product(1, 1, -7, wide, wide, 9),
         "[tensor.matmul] size is -7; at least 0 is accepted"},
        {"matmul a", product(2, 1, 2, narrow, wide, 9),
         "[tensor.matmul] stride of a is 1; at least one stored row is accepted"},
        {"matmul aᵀ", product(2, 1, 1, narrowTransposed, wide, 9),
         "[tensor.matmul] stride of a is 1; at least one stored row is accepted"},
        {"matmul b", product(1, 2, 1, wide, narrow, 9),
         "[tensor.matmul] stride of b is 1; at least one stored row is accepted"},
        {"matmul bᵀ", product(1, 1, 2, wide, narrowTransposed, 9),
         "[tensor.matmul] stride of b is 1; at least one stored row is accepted"},
        {"matmul c", product(1, 2, 1, wide, wide, 1),
         "[tensor.matmul] stride of c is 1; at least n is accepted"},
        {"biasActivation rows",
         [this] { biasActivation(kLaunch, ActivationOp::kRelu, -2, 1, data_, nullptr, data_); },
         "[tensor.biasActivation] rows is -2; at least 0 is accepted"},
        {"biasActivationGradient width",
         [this] {
           biasActivationGradient(kLaunch, ActivationOp::kRelu, 1, 0, data_, nullptr, data_, data_,
                                  data_, nullptr);
         },
         "[tensor.biasActivationGradient] width is 0; at least 1 is accepted"},
        {"dotRows rows", [this] { dotRows(kLaunch, -1, 1, {data_}, {data_}, data_); },
         "[tensor.dotRows] rows is -1; at least 0 is accepted"},
        {"dotRows gathered row",
         [this] {
           dotRows(kLaunch, 3, 1, {data_}, {data_, rows_.data(), 4}, data_);
         },
         "[tensor.dotRows] rows[2] is 4; accepted are 0 … 3"},
        {"scanScores width",
         [this] { scanScores(kLaunch, 1, 1, 0, data_, data_, data_, nullptr, nullptr); },
         "[tensor.scanScores] width is 0; at least 1 is accepted"},
        {"dotRowsGradient width",
         [this] {
           dotRowsGradient(kLaunch, 1, 0, data_, data_, data_, data_, Accumulate::kNo, nullptr,
                           Accumulate::kNo);
         },
         "[tensor.dotRowsGradient] width is 0; at least 1 is accepted"},
        {"squaredError rows",
         [this] { squaredError(kLaunch, -5, data_, data_, nullptr, 1.0f, nullptr, sums_); },
         "[tensor.squaredError] rows is -5; at least 0 is accepted"},
    };
  }

  std::vector<Misuse> layerMisuses() {
    const auto bags = [this](std::span<const std::int32_t> rows, const std::int32_t* offsets,
                             std::int64_t count) {
      return [=, this] { bagRows(kLaunch, data_, 4, 1, rows, offsets, nullptr, count, data_); };
    };
    return {
        {"bagRows row", bags(rows_, ascending_.data(), 2),
         "[tensor.bagRows] rows[2] is 4; accepted are 0 … 3"},
        {"bagRows too few rows", bags(rows_, ascending_.data(), 1),
         "[tensor.bagRows] number of rows is 3; as many as the bags have values are accepted"},
        {"bagRows one each", bags(rows_, nullptr, 2),
         "[tensor.bagRows] number of rows is 3; as many as the bags have values are accepted"},
        {"bagRows offsets", bags(rows_, rows_.data() + 1, -1),
         "[tensor.bagRows] bags is -1; at least 0 is accepted"},
        {"bagScales offsets",
         [this] { bagScales(kLaunch, CombinerOp::kMean, negative_.data(), nullptr, 2, data_); },
         "[tensor.bagScales] offsets[1] is -2; at least 0 is accepted"},
        {"cross width",
         [this] {
           cross(kLaunch, 1, 0, {data_, data_, data_, 0.0f}, data_);
         },
         "[tensor.cross] width is 0; at least 1 is accepted"},
        {"dotInteraction of one part",
         [this] {
           const float* const part = data_;
           dotInteraction(kLaunch, 1, 1, {&part, 1}, SelfInteraction::kNo, data_);
         },
         "[tensor.dotInteraction] number of parts is 1; at least 2 are accepted"},
        {"dropout rate", [this] { dropout(kLaunch, 4, data_, 1.0, 0, 0, data_); },
         "[tensor.dropout] rate is 1; at least 0 and below 1 is accepted"},
        {"signedLog count", [this] { signedLog(kLaunch, -1, data_, data_); },
         "[tensor.signedLog] count is -1; at least 0 is accepted"},
        {"quantile knots", [this] { quantile(kLaunch, 1, data_, 1, data_, data_); },
         "[tensor.quantile] knots is 1; at least 2 is accepted"},
        {"layerNorm width",
         [this] {
           layerNorm(kLaunch, 1, 0, {data_, data_, data_, 0.1f}, data_);
         },
         "[tensor.layerNorm] width is 0; at least 1 is accepted"},
        {"batchNorm of no rows",
         [this] {
           batchNorm(kLaunch, 0, 1, {data_, data_, data_, 0.1f}, BatchStatistics::kOfBatch,
                     {data_, data_, 0.9f}, data_);
         },
         "[tensor.batchNorm] rows is 0; at least 1 is accepted"},
    };
  }

  std::vector<Misuse> optimizerMisuses() {
    const auto lazy = RowsMoved::kGradientRows;
    return {
        {"sgd width",
         [=, this] {
           sgd(kLaunch, target(0, rows_.data(), 3), 0.1f, 0.0f, nullptr, lazy, none_.data());
         },
         "[tensor.sgd] width is 0; at least 1 is accepted"},
        {"sgd row",
         [=, this] {
           sgd(kLaunch, target(1, rows_.data(), 3), 0.1f, 0.0f, nullptr, lazy, none_.data());
         },
         "[tensor.sgd] rows[2] is 4; accepted are 0 … 3"},
        {"adagrad part of a dense gradient",
         [this] {
           adagrad(kLaunch, target(1, nullptr, 3), 0.1f, 0.1f, AdagradEpsilon::kInsideRoot, data_);
         },
         "[tensor.adagrad] rows of a dense gradient is 3; as many as the parameter has are "
         "accepted"},
        {"adam row",
         [=, this] {
           adam(kLaunch, target(1, negative_.data(), 3), {0.1f, 1.0f}, 0.9f, 0.9f, 0.1f, data_,
                data_, lazy, none_.data());
         },
         "[tensor.adam] rows[1] is -2; accepted are 0 … 3"},
        {"ftrl row", [=, this] { ftrl(kLaunch, target(1, rows_.data(), 3), {}, data_, data_); },
         "[tensor.ftrl] rows[2] is 4; accepted are 0 … 3"},
        {"decayRows width",
         [=, this] { decayRows(kLaunch, target(0, rows_.data(), 3), 0.1f, lazy); },
         "[tensor.decayRows] width is 0; at least 1 is accepted"},
        {"mergeRows row", [=, this] { mergeRows(kLaunch, target(1, negative_.data(), 3), data_); },
         "[tensor.mergeRows] rows[1] is -2; accepted are 0 … 3"},
        {"meanSquares columns",
         [=, this] { meanSquares(kLaunch, target(1, nullptr, 4), 0, data_, Accumulate::kNo); },
         "[tensor.meanSquares] columns is 0; at least 1 is accepted"},
        {"sumSquares count", [this] { sumSquares(kLaunch, data_, -1, sums_); },
         "[tensor.sumSquares] count is -1; at least 0 is accepted"},
        {"scaleClamp count", [this] { scaleClamp(kLaunch, data_, -1, 1.0f); },
         "[tensor.scaleClamp] count is -1; at least 0 is accepted"},
        {"scaleClamp limit", [this] { scaleClamp(kLaunch, data_, 4, 1.0f, -0.5f); },
         "[tensor.scaleClamp] limit is -0.5; at least 0 is accepted"},
    };
  }

  std::vector<Misuse> sequenceMisuses() {
    const auto sequences = [this](std::int64_t count, std::int64_t positions) {
      return Sequences{count, positions, ascending_.data()};
    };
    const auto attend = [this, sequences](AttentionSettings settings) {
      attention(kLaunch, sequences(2, 3), settings, data_, data_, data_);
    };
    return {
        {"addPositions width",
         [=, this] { addPositions(kLaunch, sequences(2, 3), 0, data_, data_, 4, data_); },
         "[tensor.addPositions] width is 0; at least 1 is accepted"},
        {"addPositions length",
         [=, this] { addPositions(kLaunch, sequences(2, 3), 1, data_, data_, 2, data_); },
         "[tensor.addPositions] sequence 1 has 3 positions; at most 2 are accepted"},
        {"addPositionsGradient offsets",
         [=, this] {
           addPositionsGradient(kLaunch, {2, 3, negative_.data()}, 1, data_, 4, data_);
         },
         "[tensor.addPositionsGradient] offsets[1] is -2; at least 0 is accepted"},
        {"pool positions",
         [=, this] { pool(kLaunch, PoolOp::kSum, sequences(2, 4), 1, data_, nullptr, data_); },
         "[tensor.pool] positions is 4; as many as the offsets span are accepted"},
        {"pool weights",
         [=, this] { pool(kLaunch, PoolOp::kWeighted, sequences(2, 3), 1, data_, nullptr, data_); },
         "[tensor.pool] weighted pooling has no weights"},
        {"poolGradient sequences",
         [=, this] {
           poolGradient(kLaunch, PoolOp::kSum, sequences(-1, 3), 1, {}, data_, {data_});
         },
         "[tensor.poolGradient] sequences is -1; at least 0 is accepted"},
        {"softmaxBySequence positions",
         [=, this] { softmaxBySequence(kLaunch, sequences(2, -1), data_, data_); },
         "[tensor.softmaxBySequence] positions is -1; at least 0 is accepted"},
        {"attention heads",
         [=] {
           attend({0, 1});
         },
         "[tensor.attention] heads is 0; at least 1 is accepted"},
        {"attention width",
         [=] {
           attend({1, 0});
         },
         "[tensor.attention] width is 0; at least 1 is accepted"},
        {"attention rate",
         [=] {
           attend({1, 1, AttentionMask::kNone, 1.0});
         },
         "[tensor.attention] rate is 1; at least 0 and below 1 is accepted"},
        {"attention length",
         [=] {
           attend({1, 1, AttentionMask::kNone, 0.5, 0, 0, 2});
         },
         "[tensor.attention] sequence 1 has 3 positions; at most 2 are accepted"},
    };
  }

  std::vector<Misuse> tableMisuses() {
    return {
        {"scatterRows row",
         [this] { scatterRows(kLaunch, rows_, 1, data_, 4, data_, Accumulate::kNo); },
         "[tensor.scatterRows] rows[2] is 4; accepted are 0 … 3"},
        {"replaceRows row", [this] { replaceRows(kLaunch, rows_, 1, data_, 4, data_); },
         "[tensor.replaceRows] rows[2] is 4; accepted are 0 … 3"},
        {"topK k",
         [this] {
           topK(kLaunch, {1, 1, 1, data_, data_}, 0, TopKScores::kScores, out_.data(), data_);
         },
         "[tensor.topK] k is 0; at least 1 is accepted"},
        {"topK width",
         [this] {
           topK(kLaunch, {1, 1, 0, data_, data_}, 1, TopKScores::kScores, out_.data(), data_);
         },
         "[tensor.topK] width is 0; at least 1 is accepted"},
        {"tableSoftmax rows of the table",
         [this] {
           tableSoftmax(kLaunch, {1, 0, 1, data_, data_}, 1.0f, data_, {}, sums_);
         },
         "[tensor.tableSoftmax] rows of the table is 0; at least 1 is accepted"},
        {"tableSoftmax label",
         [this] {
           tableSoftmax(kLaunch, {3, 4, 1, data_, data_, nullptr, rows_.data()}, 1.0f, data_, {},
                        sums_);
         },
         "[tensor.tableSoftmax] labels[2] is 4; accepted are 0 … 3"},
    };
  }

  std::vector<Misuse> misuses_ = [this] {
    std::vector<Misuse> all = rowMisuses();
    for (const auto& more :
         {denseMisuses(), layerMisuses(), optimizerMisuses(), sequenceMisuses(), tableMisuses()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();

 private Q_SLOTS:
  void namesTheOpAndTheValue_data() {
    QTest::addColumn<int>("index");
    for (int index = 0; index < static_cast<int>(misuses_.size()); ++index)
      QTest::newRow(misuses_[static_cast<std::size_t>(index)].name) << index;
  }
  void namesTheOpAndTheValue() {
    QFETCH(int, index);
    const Misuse& misuse = misuses_[static_cast<std::size_t>(index)];
    std::string message = "nothing was thrown";
    try {
      misuse.call();
    } catch (const InvalidArgument& exception) {
      message = exception.what();
    }
    QCOMPARE(message, std::string(misuse.message));
    QCOMPARE(floats_, (std::array<float, 4>{1.0f, 2.0f, 3.0f, 4.0f}));
    QCOMPARE(none_, (std::array<std::int32_t, 4>{-1, -1, -1, -1}));
  }
};

QTEST_GUILESS_MAIN(ArgumentsTest)
#include "arguments_test.moc"
