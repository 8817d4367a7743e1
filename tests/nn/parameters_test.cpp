// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/parameters.h"

#include <QtTest>
#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/data/dataset/event_columns.h"

using namespace parapet;
using experiment::Optimizer;
using experiment::OptimizerKind;
using experiment::Placement;
using nn::Parameter;
using nn::ParameterSpec;

namespace {

using Slots = std::vector<std::pair<std::string, std::int64_t>>;  // name, columns

constexpr std::int64_t kRows = 13, kCols = 5;

ParameterSpec specOf(const Optimizer& optimizer, bool sparse = true, bool trainable = true) {
  return {.name = "tables/user",
          .rows = kRows,
          .cols = kCols,
          .initializer = {},
          .optimizer = optimizer,
          .trainable = trainable,
          .sparse = sparse};
}

mesh::Sharding shardingOf(Placement placement, int shards) {
  std::vector<std::vector<int>> owners;
  for (int shard = 0; shard < shards; ++shard) owners.push_back({shard});
  return {placement, kRows, kCols, owners};
}

Parameter made(const ParameterSpec& spec, Placement placement = Placement::kReplicated,
               int shards = 1, std::uint64_t seed = 1) {
  const std::vector<tensor::Device> devices(static_cast<std::size_t>(shards), tensor::hostDevice());
  return nn::makeParameter(spec, shardingOf(placement, shards), devices, seed).value();
}

const std::vector<std::pair<Optimizer, Slots>>& optimizers() {
  static const std::vector<std::pair<Optimizer, Slots>> all{
      {{.kind = OptimizerKind::kSgd}, {}},
      {{.kind = OptimizerKind::kSgd, .momentum = 0.9}, {{"velocity", kCols}}},
      {{.kind = OptimizerKind::kAdagrad}, {{"accumulator", kCols}}},
      {{.kind = OptimizerKind::kRowwiseAdagrad}, {{"accumulator", 1}}},
      {{.kind = OptimizerKind::kAdam}, {{"moment", kCols}, {"variance", kCols}}},
      {{.kind = OptimizerKind::kAdamW}, {{"moment", kCols}, {"variance", kCols}}},
      {{.kind = OptimizerKind::kFtrl}, {{"accumulator", kCols}, {"linear", kCols}}}};
  return all;
}

const std::vector<std::pair<Placement, int>>& placements() {
  static const std::vector<std::pair<Placement, int>> all{
      {Placement::kReplicated, 1}, {Placement::kTable, 1},    {Placement::kRow, 4},
      {Placement::kRow, 16},       {Placement::kRowBlock, 4}, {Placement::kRowBlock, 16},
      {Placement::kColumn, 2},     {Placement::kColumn, 5}};
  return all;
}

std::vector<float> rowsOf(const Parameter& parameter, int slot = -1, std::int64_t cols = kCols) {
  std::vector<float> rows(static_cast<std::size_t>(kRows * cols));
  nn::gatherRows(parameter, slot, rows);
  return rows;
}

}  // namespace

class ParametersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // A whole shard on the host beside the device's would not fit for large tables.
  void weightsOfADeviceAreMadeInBlocks() {
    static std::vector<std::uint64_t> copies;
    copies.clear();
    PpDevice backend = tensor::hostDevice().backend();
    backend.memoryKind = PP_MEMORY_DEVICE;
    backend.copyToDevice = [](void*, void* out, const void* in, std::uint64_t bytes) {
      copies.push_back(bytes);
      std::memcpy(out, in, bytes);
      return std::int32_t{PP_OK};
    };
    const tensor::Device device("dev:0", backend, 0, "test");
    ParameterSpec spec = specOf({.kind = OptimizerKind::kSgd}, false);
    spec.rows = 300'000;
    spec.cols = 61;
    const mesh::Sharding whole(Placement::kReplicated, spec.rows, spec.cols,
                               std::vector<std::vector<int>>{{0}});
    const auto values = [&](const tensor::Device& on) {
      const std::vector<tensor::Device> devices{on};
      Parameter parameter = nn::makeParameter(spec, whole, devices, 1).value();
      std::vector<float> all(static_cast<std::size_t>(parameter.size()));
      nn::gatherRows(parameter, -1, all);
      return all;
    };
    const std::vector<float> there = values(device);
    constexpr std::uint64_t kBlock = std::uint64_t{64} << 20;
    const std::uint64_t bytes = there.size() * sizeof(float);
    QCOMPARE(copies, (std::vector<std::uint64_t>{kBlock, bytes - kBlock}));
    QVERIFY(there == values(tensor::hostDevice()));
  }

  void everyOptimizerHasItsSlots() {
    for (const auto& [optimizer, expected] : optimizers()) {
      Slots specified, found;
      for (const auto& slot : nn::slotSpecs(optimizer, kCols))
        specified.emplace_back(slot.name, slot.cols);
      QCOMPARE(specified, expected);
      const Parameter parameter = made(specOf(optimizer));
      for (const nn::Slot& slot : parameter.whole().slots) {
        found.emplace_back(slot.name, slot.cols);
        QCOMPARE(slot.values.size(), kRows * slot.cols);
      }
      QCOMPARE(found, expected);
    }
  }

  void slotsStartWhereTheOptimizerSays() {
    for (auto [optimizer, unused] : optimizers()) {
      optimizer.initialAccumulator = 0.25;
      const Parameter parameter = made(specOf(optimizer));
      for (const nn::Slot& slot : parameter.whole().slots) {
        const float start = slot.name == "accumulator" ? 0.25f : 0.0f;
        QVERIFY(std::ranges::all_of(slot.values.host(), [&](float v) { return v == start; }));
      }
    }
  }

  void bytesAreWhatIsAllocated() {
    for (const auto& [optimizer, unused] : optimizers())
      for (const auto& [placement, shards] : placements())
        for (const bool sparse : {false, true})
          for (const bool trainable : {false, true}) {
            const ParameterSpec spec = specOf(optimizer, sparse, trainable);
            const Parameter parameter = made(spec, placement, shards);
            nn::ParameterBytes found;
            for (const nn::ParameterShard& shard : parameter.shards) {
              found.weight += shard.weight.bytes();
              found.scratch += shard.indexOfRow.bytes();
              for (const nn::Slot& slot : shard.slots) found.slots += slot.values.bytes();
            }
            const auto bytes =
                nn::parameterBytes(spec, placement == Placement::kColumn ? shards : 1);
            QCOMPARE(bytes.weight, found.weight);
            QCOMPARE(bytes.slots, found.slots);
            QCOMPARE(bytes.scratch, found.scratch);
            QCOMPARE(bytes.total(), bytes.weight + bytes.slots + bytes.scratch);
          }
  }

  void aTableHasScratchThatNamesNoRow() {
    const Parameter table = made(specOf({.kind = OptimizerKind::kAdam}));
    QCOMPARE(table.whole().indexOfRow.size(), kRows);
    QVERIFY(std::ranges::all_of(table.whole().indexOfRow.host(),
                                [](auto localRow) { return localRow == -1; }));
  }

  void whatIsNotTrainedHasWeightsOnly() {
    ParameterSpec state = specOf({.kind = OptimizerKind::kAdam}, false);
    state.isState = true;
    for (const ParameterSpec& spec : {specOf({.kind = OptimizerKind::kAdam}, true, false), state}) {
      const Parameter frozen = made(spec);
      QVERIFY(frozen.whole().slots.empty());
      QCOMPARE(frozen.whole().indexOfRow.size(), std::int64_t{0});
      QCOMPARE(frozen.whole().weight.size(), kRows * kCols);
    }
  }

  void weightsAreAFunctionOfSeedAndSpec() {
    const ParameterSpec spec = specOf({});
    const auto weights = [&](std::uint64_t seed) {
      return rowsOf(made(spec, Placement::kReplicated, 1, seed));
    };
    QCOMPARE(weights(1), weights(1));
    QVERIFY(weights(1) != weights(2));
  }

  void weightsAreTheSameWhateverTheSharding() {
    for (const auto kind :
         {experiment::InitializerKind::kUniform, experiment::InitializerKind::kTruncatedNormal}) {
      ParameterSpec spec = specOf({});
      spec.initializer.kind = kind;
      const std::vector<float> whole = rowsOf(made(spec));
      for (const auto& [placement, shards] : placements()) {
        const Parameter split = made(spec, placement, shards);
        QCOMPARE(static_cast<int>(split.shards.size()), shards);
        QCOMPARE(rowsOf(split), whole);
      }
    }
  }

  // Every number of the table lies where the sharding says, and comes back from there.
  void rowsGoToTheirShardsAndComeBack() {
    const ParameterSpec spec = specOf({.kind = OptimizerKind::kRowwiseAdagrad});
    std::vector<float> numbers(static_cast<std::size_t>(kRows * kCols)), one(kRows);
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    std::iota(one.begin(), one.end(), 100.0f);
    for (const auto& [placement, shards] : placements()) {
      Parameter parameter = made(spec, placement, shards);
      nn::scatterRows(parameter, -1, numbers);
      nn::scatterRows(parameter, 0, one);
      for (int s = 0; s < shards; ++s) {
        const nn::ParameterShard& shard = parameter.shards[static_cast<std::size_t>(s)];
        for (std::int64_t localRow = 0; localRow < shard.rows; ++localRow) {
          const std::int64_t row = parameter.sharding.globalRow(s, localRow);
          QCOMPARE(shard.slots[0].values.host()[static_cast<std::size_t>(localRow)],
                   100.0f + static_cast<float>(row));
          for (std::int64_t d = 0; d < shard.cols; ++d)
            QCOMPARE(shard.weight.host()[static_cast<std::size_t>(localRow * shard.cols + d)],
                     static_cast<float>(row * kCols + parameter.sharding.firstCol(s) + d));
        }
      }
      QCOMPARE(rowsOf(parameter), numbers);
      QCOMPARE(rowsOf(parameter, 0, 1), one);
    }
  }

  void refusesWhatDoesNotFit() {
    Parameter split = made(specOf({}), Placement::kRow, 2);
    std::vector<float> few(7);
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, nn::gatherRows(split, -1, few));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, nn::scatterRows(split, -1, few));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)split.whole());
    QVERIFY_THROWS_EXCEPTION(InvalidArgument,
                             (void)nn::makeParameter(specOf({}), shardingOf(Placement::kRow, 2),
                                                     {tensor::hostDevice()}, 1));
  }

  void aTableThatDoesNotFitIsNamedWithItsSize() {
    ParameterSpec spec = specOf({});
    spec.rows = std::int64_t{1} << 44;
    const std::vector<std::vector<int>> owners(1, std::vector<int>{0});
    const mesh::Sharding sharding{Placement::kReplicated, spec.rows, kCols, owners};
    std::string message;
    try {
      (void)nn::makeParameter(spec, sharding, {tensor::hostDevice()}, 1);
    } catch (const InternalError& full) {
      message = full.what();
    }
    QVERIFY2(message.find("has no room for") != std::string::npos, message.c_str());
    QVERIFY2(
        message.find("asked for the weights of tables/user: 17,592,186,044,416 × 5 elements") !=
            std::string::npos,
        message.c_str());
  }

  void aStopEndsTheMakingOfATable() {
    ParameterSpec spec = specOf({});
    spec.initializer = {.kind = experiment::InitializerKind::kVectors, .vectors = "titles"};
    const std::vector<float> titles(static_cast<std::size_t>(spec.rows * spec.cols), 0.5f);
    for (const Placement placement : {Placement::kReplicated, Placement::kRow}) {
      std::stop_source stop;
      const auto make = [&](bool stops) {
        const auto vectors = [&, stops](std::string_view) -> nn::VectorRows {
          if (stops) stop.request_stop();
          return {titles, spec.cols};
        };
        return nn::makeParameter(spec, shardingOf(placement, 1), {tensor::hostDevice()}, 1, vectors,
                                 stop.get_token());
      };
      QVERIFY(make(false).ok());
      QVERIFY_THROWS_EXCEPTION(data::PassStopped, (void)make(true));
    }
  }

  void initialWeightsThatAreNotThereAreAnError() {
    ParameterSpec spec = specOf({});
    spec.initializer = {.kind = experiment::InitializerKind::kVectors, .vectors = "titles"};
    const auto parameter =
        nn::makeParameter(spec, shardingOf(Placement::kReplicated, 1), {tensor::hostDevice()}, 1);
    QVERIFY(!parameter.ok());
    QCOMPARE(parameter.error().code, ErrorCode::kData);
    QCOMPARE(parameter.error().message,
             std::string("initializer of \"tables/user\": vectors \"titles\" is not in the data "
                         "set; accepted is [13, 5]"));
  }
};

QTEST_GUILESS_MAIN(ParametersTest)
#include "parameters_test.moc"
