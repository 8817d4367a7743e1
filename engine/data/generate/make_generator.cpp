// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/make_generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/data/generate/click_generator.h"
#include "engine/data/generate/event_generator.h"
#include "engine/data/generate/movie_generator.h"
#include "engine/data/generate/power_law.h"
#include "engine/experiment/source_columns.h"

namespace parapet::data {
namespace {

using experiment::GeneratorKind;

}  // namespace

GeneratedColumn integerColumn(std::string name, ParquetType stored) {
  GeneratedColumn column;
  column.source.name = std::move(name);
  column.source.type = ValueType::kInteger;
  column.stored = stored;
  return column;
}

GeneratedColumn listColumn(std::string name, ParquetType stored) {
  GeneratedColumn column = integerColumn(std::move(name), stored);
  column.source.isList = true;
  return column;
}

GeneratedColumn weightsColumn(std::string name) {
  GeneratedColumn column = listColumn(std::move(name), ParquetType::kFloat);
  column.source.type = ValueType::kNumber;
  column.weighsPrevious = true;
  return column;
}

GeneratedColumn textColumn(std::string name, std::span<const std::string_view> words) {
  GeneratedColumn column = integerColumn(std::move(name), ParquetType::kText);
  column.source.type = ValueType::kText;
  column.words.assign(words.begin(), words.end());
  return column;
}

Status checkGenerator(const experiment::Generator& settings) {
  const auto check = [](const char* key, std::int64_t value, std::int64_t min,
                        std::int64_t max) -> Status {
    if (value >= min && value <= max) return {};
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("{} {}; {} to {} is accepted", value, key, min, max),
                 fmt::format("/dataset/generator/{}", key)};
  };
  const experiment::GeneratorLimits limits = experiment::limitsOf(settings);
  PARAPET_TRY(check("users", settings.users, 1, limits.maxUsers));
  PARAPET_TRY(check("items", settings.items, limits.minItems, limits.maxItems));
  PARAPET_TRY(check("events", settings.events, 1, limits.maxEvents));
  const auto checkStrength = [](const char* of, double value) -> Status {
    if (value >= 0.0 && value <= 1.0) return {};
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("{} strength of {}; 0 to 1 is accepted", of, value),
                 fmt::format("/dataset/generator/{}_strength", of)};
  };
  PARAPET_TRY(checkStrength("context", settings.contextStrength));
  return checkStrength("order", settings.orderStrength);
}

const experiment::Generator& checkedSettings(const experiment::Generator& settings) {
  if (const Status status = checkGenerator(settings); !status)
    throw InvalidArgument("[RowGenerator] " + status.error().message);
  return settings;
}

Scatter userScatter(const experiment::Generator& settings) {
  return {settings.users, generatorRandom(settings.seed, GeneratorStream::kScatter).bits64(0)};
}

Scatter itemScatter(const experiment::Generator& settings) {
  return {settings.items, generatorRandom(settings.seed, GeneratorStream::kScatter).bits64(1)};
}

Result<std::unique_ptr<RowGenerator>> makeGenerator(const experiment::Generator& settings) {
  PARAPET_TRY(checkGenerator(settings));
  switch (settings.kind) {
    case GeneratorKind::kMovies:
      return {std::make_unique<MovieGenerator>(settings)};
    case GeneratorKind::kClicks:
      return {std::make_unique<ClickGenerator>(settings)};
    case GeneratorKind::kEvents:
      return {std::make_unique<EventGenerator>(settings)};
  }
  throw InternalError("[makeGenerator] a kind of generator that nobody made");
}

std::int64_t* appendIntegers(ColumnValues* column, std::int64_t count) {
  if (!column) return nullptr;
  const std::size_t before = column->integers.size();
  column->integers.resize(before + static_cast<std::size_t>(count));
  return column->integers.data() + before;
}

RowBlock generateBlock(const RowGenerator& generator, std::int64_t first, std::int64_t count) {
  RowBlock block;
  block.rows = block.lines = count;
  block.columns.resize(generator.columns().size());
  std::vector<ColumnValues*> targets;
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    block.columns[c].type = generator.columns()[c].source.type;
    targets.push_back(&block.columns[c]);
  }
  generator.fill(first, count, targets);
  return block;
}

}  // namespace parapet::data
