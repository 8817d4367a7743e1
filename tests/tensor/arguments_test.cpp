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
  std::int64_t count_ = 0;

  [[nodiscard]] UpdateTarget target(std::int64_t width, const std::int32_t* rows,
                                    std::int64_t count) const {
    UpdateTarget made = everyRow(data_, 4, width, data_);
    made.rows = rows;
    made.count = count;
    return made;
  }

  std::vector<Misuse> rowMisuses() {
    return {
        {"fill",
         [this] {
           run(kLaunch, PpFill{data_, -3, 0.0f});
         },
         "[tensor.fill] count is -3; at least 0 is accepted"},
        {"gatherRows width",
         [this] {
           run(kLaunch, PpGatherRows{.table = data_,
                                     .tableRows = 4,
                                     .width = 0,
                                     .rows = rows_.data(),
                                     .count = std::ssize(rows_),
                                     .out = data_});
         },
         "[tensor.gatherRows] width is 0; at least 1 is accepted"},
        {"gatherRows row",
         [this] {
           run(kLaunch, PpGatherRows{.table = data_,
                                     .tableRows = 4,
                                     .width = 1,
                                     .rows = rows_.data(),
                                     .count = std::ssize(rows_),
                                     .out = data_});
         },
         "[tensor.gatherRows] rows[2] is 4; accepted are 0 … 3"},
        {"gatherRows negative row",
         [this] {
           run(kLaunch, PpGatherRows{.table = data_,
                                     .tableRows = 4,
                                     .width = 1,
                                     .rows = negative_.data(),
                                     .count = std::ssize(negative_),
                                     .out = data_});
         },
         "[tensor.gatherRows] rows[1] is -2; accepted are 0 … 3"},
        {"groupRows row",
         [this] {
           run(kLaunch, PpGroupRows{.rows = rows_.data(),
                                    .count = 3,
                                    .tableRows = 4,
                                    .indexOfRow = none_.data(),
                                    .scratch = out_.data(),
                                    .groupRows = out_.data(),
                                    .first = out_.data(),
                                    .next = out_.data(),
                                    .groupCount = &count_});
         },
         "[tensor.groupRows] rows[2] is 4; accepted are 0 … 3"},
        {"copyColumns rows",
         [this] {
           run(kLaunch, PpCopyColumns{.rows = -1,
                                      .width = 1,
                                      .in = data_,
                                      .strideIn = 1,
                                      .out = data_,
                                      .strideOut = 1});
         },
         "[tensor.copyColumns] rows is -1; at least 0 is accepted"},
        {"copyColumns width",
         [this] {
           run(kLaunch, PpCopyColumns{.rows = 1,
                                      .width = 0,
                                      .in = data_,
                                      .strideIn = 1,
                                      .out = data_,
                                      .strideOut = 1});
         },
         "[tensor.copyColumns] width is 0; at least 1 is accepted"},
        {"copyColumns stride of in",
         [this] {
           run(kLaunch, PpCopyColumns{.rows = 1,
                                      .width = 2,
                                      .in = data_,
                                      .strideIn = 1,
                                      .out = data_,
                                      .strideOut = 2});
         },
         "[tensor.copyColumns] stride of in is 1; at least width is accepted"},
        {"copyColumns stride of out",
         [this] {
           run(kLaunch, PpCopyColumns{.rows = 1,
                                      .width = 2,
                                      .in = data_,
                                      .strideIn = 2,
                                      .out = data_,
                                      .strideOut = 1,
                                      .accumulate = 1});
         },
         "[tensor.copyColumns] stride of out is 1; at least width is accepted"},
        {"sumParts of nothing",
         [this] {
           run(kLaunch, PpSumParts{1, 0, nullptr, data_});
         },
         "[tensor.sumParts] number of parts is 0; at least 1 is accepted"},
        {"sumParts count",
         [this] {
           const float* const part = data_;
           run(kLaunch, PpSumParts{-1, 1, &part, data_});
         },
         "[tensor.sumParts] count is -1; at least 0 is accepted"},
    };
  }

  std::vector<Misuse> denseMisuses() {
    // Sizes, strides of a, b and c, and which are read as their transposes.
    const auto product = [this](std::array<std::int64_t, 3> size,
                                std::array<std::int64_t, 3> stride, std::int32_t transposeA = 0,
                                std::int32_t transposeB = 0) {
      return [=, this] {
        run(kLaunch, PpMatmul{.m = size[0],
                              .n = size[1],
                              .k = size[2],
                              .transposeA = transposeA,
                              .transposeB = transposeB,
                              .a = data_,
                              .strideA = stride[0],
                              .b = data_,
                              .strideB = stride[1],
                              .c = data_,
                              .strideC = stride[2]});
      };
    };
    return {
        {"matmul m", product({-1, 1, 1}, {9, 9, 9}),
         "[tensor.matmul] size is -1; at least 0 is accepted"},
        {"matmul k", product({1, 1, -7}, {9, 9, 9}),
         "[tensor.matmul] size is -7; at least 0 is accepted"},
        {"matmul a", product({2, 1, 2}, {1, 9, 9}),
         "[tensor.matmul] stride of a is 1; at least one stored row is accepted"},
        {"matmul aᵀ", product({2, 1, 1}, {1, 9, 9}, 1),
         "[tensor.matmul] stride of a is 1; at least one stored row is accepted"},
        {"matmul b", product({1, 2, 1}, {9, 1, 9}),
         "[tensor.matmul] stride of b is 1; at least one stored row is accepted"},
        {"matmul bᵀ", product({1, 1, 2}, {9, 1, 9}, 0, 1),
         "[tensor.matmul] stride of b is 1; at least one stored row is accepted"},
        {"matmul c", product({1, 2, 1}, {9, 9, 1}),
         "[tensor.matmul] stride of c is 1; at least n is accepted"},
        {"biasActivation rows",
         [this] {
           run(kLaunch, PpBiasActivation{.rows = -2,
                                         .width = 1,
                                         .activation = numberOf(ActivationOp::kRelu),
                                         .x = data_,
                                         .y = data_});
         },
         "[tensor.biasActivation] rows is -2; at least 0 is accepted"},
        {"biasActivationGradient width",
         [this] {
           run(kLaunch, PpBiasActivationGradient{.rows = 1,
                                                 .width = 0,
                                                 .activation = numberOf(ActivationOp::kRelu),
                                                 .x = data_,
                                                 .y = data_,
                                                 .dy = data_,
                                                 .dx = data_});
         },
         "[tensor.biasActivationGradient] width is 0; at least 1 is accepted"},
        {"dotRows rows",
         [this] {
           run(kLaunch, PpDotRows{.rows = -1, .width = 1, .x = data_, .y = data_, .out = data_});
         },
         "[tensor.dotRows] rows is -1; at least 0 is accepted"},
        {"dotRows gathered row",
         [this] {
           run(kLaunch, PpDotRows{.rows = 3,
                                  .width = 1,
                                  .x = data_,
                                  .y = data_,
                                  .yRows = rows_.data(),
                                  .yTableRows = 4,
                                  .out = data_});
         },
         "[tensor.dotRows] rows[2] is 4; accepted are 0 … 3"},
        {"scanScores width",
         [this] {
           run(kLaunch, PpScanScores{.queryCount = 1,
                                     .candidateCount = 1,
                                     .width = 0,
                                     .queries = data_,
                                     .candidates = data_,
                                     .thresholds = data_,
                                     .offer = nullptr,
                                     .offerContext = nullptr});
         },
         "[tensor.scanScores] width is 0; at least 1 is accepted"},
        {"dotRowsGradient width",
         [this] {
           run(kLaunch,
               PpDotRowsGradient{
                   .rows = 1, .width = 0, .x = data_, .y = data_, .dout = data_, .dx = data_});
         },
         "[tensor.dotRowsGradient] width is 0; at least 1 is accepted"},
        {"squaredError rows",
         [this] {
           run(kLaunch,
               PpSquaredError{.rows = -5, .prediction = data_, .label = data_, .sums = sums_});
         },
         "[tensor.squaredError] rows is -5; at least 0 is accepted"},
    };
  }

  std::vector<Misuse> layerMisuses() {
    const auto bags = [this](const std::array<std::int32_t, 3>& rows, const std::int32_t* offsets,
                             std::int64_t count) {
      return [=, of = rows.data(), this] {
        run(kLaunch, PpBagRows{.table = data_,
                               .tableRows = 4,
                               .width = 1,
                               .rows = of,
                               .offsets = offsets,
                               .bags = count,
                               .out = data_});
      };
    };
    return {
        {"bagRows row", bags(rows_, ascending_.data(), 2),
         "[tensor.bagRows] rows[2] is 4; accepted are 0 … 3"},
        {"bagRows offsets", bags(rows_, negative_.data(), 2),
         "[tensor.bagRows] offsets[1] is -2; at least 0 is accepted"},
        {"bagRows row, one each", bags(rows_, nullptr, 3),
         "[tensor.bagRows] rows[2] is 4; accepted are 0 … 3"},
        {"bagRows bags", bags(rows_, nullptr, -1),
         "[tensor.bagRows] bags is -1; at least 0 is accepted"},
        {"bagScales offsets",
         [this] {
           run(kLaunch, PpBagScales{.combiner = numberOf(CombinerOp::kMean),
                                    .offsets = negative_.data(),
                                    .bags = 2,
                                    .scales = data_});
         },
         "[tensor.bagScales] offsets[1] is -2; at least 0 is accepted"},
        {"cross width",
         [this] {
           run(kLaunch, PpCross{1, 0, data_, data_, data_, 0.0f, data_});
         },
         "[tensor.cross] width is 0; at least 1 is accepted"},
        {"dotInteraction of one part",
         [this] {
           const float* const part = data_;
           run(kLaunch,
               PpDotInteraction{.rows = 1, .width = 1, .parts = 1, .in = &part, .out = data_});
         },
         "[tensor.dotInteraction] number of parts is 1; at least 2 are accepted"},
        {"mixture of no part",
         [this] {
           run(kLaunch, PpMixture{.rows = 1,
                                  .width = 1,
                                  .parts = 0,
                                  .in = nullptr,
                                  .logits = data_,
                                  .out = data_});
         },
         "[tensor.mixture] number of parts is 0; 1 … 512 are accepted"},
        {"dropout first element",
         [this] {
           run(kLaunch, PpDropout{.count = 4,
                                  .x = data_,
                                  .first = static_cast<std::uint64_t>(-7),
                                  .dropBelow = 1,
                                  .scale = 1.0f,
                                  .y = data_});
         },
         "[tensor.dropout] first element is -7; at least 0 is accepted"},
        {"signedLog count",
         [this] {
           run(kLaunch, PpSignedLog{-1, data_, data_});
         },
         "[tensor.signedLog] count is -1; at least 0 is accepted"},
        {"quantile knots",
         [this] {
           run(kLaunch,
               PpQuantile{.count = 1, .knots = 1, .x = data_, .values = data_, .y = data_});
         },
         "[tensor.quantile] knots is 1; at least 2 is accepted"},
        {"layerNorm width",
         [this] {
           run(kLaunch, PpLayerNorm{1, 0, data_, data_, data_, 0.1f, data_});
         },
         "[tensor.layerNorm] width is 0; at least 1 is accepted"},
        {"batchNorm of no rows",
         [this] {
           run(kLaunch, PpBatchNorm{0, 1, data_, data_, data_, 0.1f, 0.9f, 1, data_, data_, data_});
         },
         "[tensor.batchNorm] rows is 0; at least 1 is accepted"},
    };
  }

  std::vector<Misuse> optimizerMisuses() {
    const auto descend = [this](std::int64_t width) {
      return [=, this] {
        run(kLaunch, PpSgd{.target = target(width, rows_.data(), 3), .learningRate = 0.1f});
      };
    };
    return {
        {"sgd width", descend(0), "[tensor.sgd] width is 0; at least 1 is accepted"},
        {"sgd row", descend(1), "[tensor.sgd] rows[2] is 4; accepted are 0 … 3"},
        {"adagrad part of a dense gradient",
         [this] {
           run(kLaunch, PpAdagrad{target(1, nullptr, 3), 0.1f, 0.1f, 1, data_});
         },
         "[tensor.adagrad] rows of a dense gradient is 3; as many as the parameter has are "
         "accepted"},
        {"adam row",
         [this] {
           run(kLaunch,
               PpAdam{target(1, negative_.data(), 3), 0.1f, 1.0f, 0.9f, 0.9f, 0.1f, data_, data_});
         },
         "[tensor.adam] rows[1] is -2; accepted are 0 … 3"},
        {"ftrl row",
         [this] {
           run(kLaunch,
               PpFtrl{target(1, rows_.data(), 3), 0.1f, -0.5f, 0.0f, 0.0f, 0.0f, data_, data_});
         },
         "[tensor.ftrl] rows[2] is 4; accepted are 0 … 3"},
        {"decayRows width",
         [this] {
           run(kLaunch, decayOf(target(0, rows_.data(), 3), 0.1f, RowsMoved::kGradientRows));
         },
         "[tensor.decayRows] width is 0; at least 1 is accepted"},
        {"mergeRows row",
         [this] {
           run(kLaunch, PpMergeRows{target(1, negative_.data(), 3), data_});
         },
         "[tensor.mergeRows] rows[1] is -2; accepted are 0 … 3"},
        {"meanSquares columns",
         [this] {
           run(kLaunch, PpMeanSquares{target(1, nullptr, 4), 0, data_});
         },
         "[tensor.meanSquares] columns is 0; at least 1 is accepted"},
        {"sumSquares count",
         [this] {
           run(kLaunch, PpSumSquares{data_, -1, sums_});
         },
         "[tensor.sumSquares] count is -1; at least 0 is accepted"},
        {"scaleClamp count",
         [this] {
           run(kLaunch, PpScaleClamp{data_, -1, 1.0f, 1.0f});
         },
         "[tensor.scaleClamp] count is -1; at least 0 is accepted"},
        {"scaleClamp limit",
         [this] {
           run(kLaunch, PpScaleClamp{data_, 4, 1.0f, -0.5f});
         },
         "[tensor.scaleClamp] limit is -0.5; at least 0 is accepted"},
        {"scaleClamp norm",
         [this] {
           run(kLaunch, PpScaleClamp{data_, 4, 1.0f, kNoLimit, sums_, 0.0});
         },
         "[tensor.scaleClamp] the norm is 0; accepted are numbers above 0"},
    };
  }

  std::vector<Misuse> sequenceMisuses() {
    const auto attend = [this](std::int64_t heads, std::int64_t width, std::uint32_t dropBelow) {
      return [=, this] {
        run(kLaunch, PpAttention{.sequences = 2,
                                 .positions = 3,
                                 .heads = heads,
                                 .width = width,
                                 .offsets = ascending_.data(),
                                 .qkv = data_,
                                 .scale = 1.0f,
                                 .maxLength = 2,
                                 .dropBelow = dropBelow,
                                 .out = data_,
                                 .logSumExp = data_});
      };
    };
    const auto pool = [this](std::int32_t kind, std::int64_t positions) {
      return [=, this] {
        run(kLaunch, PpPool{.kind = kind,
                            .sequences = 2,
                            .positions = positions,
                            .width = 1,
                            .offsets = ascending_.data(),
                            .x = data_,
                            .out = data_});
      };
    };
    const auto addPositions = [this](std::int64_t width, std::int64_t tableRows) {
      return [=, this] {
        run(kLaunch,
            PpAddPositions{2, 3, width, tableRows, 0, ascending_.data(), data_, data_, data_});
      };
    };
    return {
        {"addPositions width", addPositions(0, 4),
         "[tensor.addPositions] width is 0; at least 1 is accepted"},
        {"addPositions length", addPositions(1, 2),
         "[tensor.addPositions] sequence 1 has 3 positions; at most 2 are accepted"},
        {"addPositionsGradient offsets",
         [this] {
           run(kLaunch, PpAddPositionsGradient{2, 3, 1, 4, 0, negative_.data(), data_, data_});
         },
         "[tensor.addPositionsGradient] offsets[1] is -2; at least 0 is accepted"},
        {"pool positions", pool(PP_POOL_SUM, 4),
         "[tensor.pool] positions is 4; as many as the offsets span are accepted"},
        {"pool weights", pool(PP_POOL_WEIGHTED, 3),
         "[tensor.pool] weighted pooling has no weights"},
        {"poolGradient sequences",
         [this] {
           run(kLaunch, PpPoolGradient{.kind = PP_POOL_SUM,
                                       .sequences = -1,
                                       .positions = 3,
                                       .width = 1,
                                       .offsets = ascending_.data(),
                                       .dout = data_,
                                       .dx = data_});
         },
         "[tensor.poolGradient] sequences is -1; at least 0 is accepted"},
        {"softmaxBySequence positions",
         [this] {
           run(kLaunch, PpSoftmaxBySequence{2, -1, ascending_.data(), data_, data_});
         },
         "[tensor.softmaxBySequence] positions is -1; at least 0 is accepted"},
        {"attention heads", attend(0, 1, 0),
         "[tensor.attention] heads is 0; at least 1 is accepted"},
        {"attention width", attend(1, 0, 0),
         "[tensor.attention] width is 0; at least 1 is accepted"},
        {"dropping rate", [] { (void)droppingAt(1.0); },
         "[tensor.droppingAt] rate is 1; at least 0 and below 1 is accepted"},
        {"attention length", attend(1, 1, 1),
         "[tensor.attention] sequence 1 has 3 positions; at most 2 are accepted"},
    };
  }

  std::vector<Misuse> tableMisuses() {
    return {
        {"scatterRows row",
         [this] {
           run(kLaunch, PpScatterRows{.outRows = 4,
                                      .width = 1,
                                      .rows = rows_.data(),
                                      .count = std::ssize(rows_),
                                      .in = data_,
                                      .out = data_});
         },
         "[tensor.scatterRows] rows[2] is 4; accepted are 0 … 3"},
        {"replaceRows row",
         [this] {
           run(kLaunch, PpReplaceRows{.outRows = 4,
                                      .width = 1,
                                      .rows = rows_.data(),
                                      .count = std::ssize(rows_),
                                      .in = data_,
                                      .out = data_});
         },
         "[tensor.replaceRows] rows[2] is 4; accepted are 0 … 3"},
        {"topK k",
         [this] {
           run(kLaunch, PpTopK{.queryCount = 1,
                               .candidateCount = 1,
                               .width = 1,
                               .k = 0,
                               .queries = data_,
                               .candidates = data_,
                               .rows = out_.data(),
                               .scores = data_});
         },
         "[tensor.topK] k is 0; at least 1 is accepted"},
        {"topK width",
         [this] {
           run(kLaunch, PpTopK{.queryCount = 1,
                               .candidateCount = 1,
                               .width = 0,
                               .k = 1,
                               .queries = data_,
                               .candidates = data_,
                               .rows = out_.data(),
                               .scores = data_});
         },
         "[tensor.topK] width is 0; at least 1 is accepted"},
        {"tableSoftmax rows of the table",
         [this] {
           run(kLaunch, PpTableSoftmax{.rows = 1,
                                       .tableRows = 0,
                                       .width = 1,
                                       .hidden = data_,
                                       .table = data_,
                                       .labels = rows_.data(),
                                       .scratch = data_,
                                       .sums = sums_});
         },
         "[tensor.tableSoftmax] rows of the table is 0; at least 1 is accepted"},
        {"tableSoftmax label",
         [this] {
           run(kLaunch, PpTableSoftmax{.rows = 3,
                                       .tableRows = 4,
                                       .width = 1,
                                       .hidden = data_,
                                       .table = data_,
                                       .labels = rows_.data(),
                                       .scratch = data_,
                                       .sums = sums_});
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
