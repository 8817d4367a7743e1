// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/source_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/data/ingest/sources/movielens.h"

namespace parapet::data {
namespace {

using experiment::GeneratorKind;

// Changes when the same settings would give other rows.
constexpr int kGeneratorVersion = 3;
constexpr std::int64_t kPieceRows = 1 << 16;

/// A column of the blocks to come.
struct Selected {
  std::size_t column = 0;  // of the generator
  ValueType type = ValueType::kInteger;
  bool areOnes = false;  // weights of lists that have none
};

// Texts of whole numbers, one after the other in memory that the block keeps alive.
void numbersAsTexts(ColumnValues& column, RowBlock& block) {
  const auto text = std::make_shared<std::string>();
  std::vector<std::size_t> ends;
  ends.reserve(column.integers.size());
  for (const std::int64_t integer : column.integers) {
    fmt::format_to(std::back_inserter(*text), "{}", integer);
    ends.push_back(text->size());
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    column.texts.push_back(std::string_view(*text).substr(begin, end - begin));
    begin = end;
  }
  column.integers.clear();
  struct Both {
    std::shared_ptr<const void> first, second;
  };
  block.bytes = std::make_shared<Both>(Both{block.bytes, text});
}

void convert(ColumnValues& column, ValueType type, RowBlock& block) {
  if (column.type == type) return;
  column.type = type;
  if (type == ValueType::kText) return numbersAsTexts(column, block);
  column.numbers.assign(column.integers.begin(), column.integers.end());
  column.integers.clear();
}

class GeneratedSource final : public Source {
 public:
  explicit GeneratedSource(std::unique_ptr<RowGenerator> generator)
      : generator_(std::move(generator)) {
    for (const GeneratedColumn& column : generator_->columns())
      if (!column.weighsPrevious) columns_.push_back(column.source);
  }

  [[nodiscard]] const std::vector<SourceColumn>& columns() const override { return columns_; }
  Status select(std::span<const ColumnRequest> requests) override;
  Result<bool> next(Piece& piece) override;
  Status parse(const Piece& piece, RowBlock& block) const override;
  [[nodiscard]] std::string excerpt(const Piece& piece, std::int64_t line) const override;

  Status hashInto(Hasher& hasher, const WorkContext& context) const override;
  Result<std::vector<std::unique_ptr<CatalogueFile>>> openCatalogues() const override;
  [[nodiscard]] std::string fileName() const override { return "generated"; }
  [[nodiscard]] std::int64_t done() const override { return next_; }
  [[nodiscard]] std::int64_t total() const override { return generator_->rows(); }

 private:
  std::unique_ptr<RowGenerator> generator_;
  std::vector<SourceColumn> columns_;
  std::vector<Selected> selected_;
  std::int64_t next_ = 0;
};

Status GeneratedSource::select(std::span<const ColumnRequest> requests) {
  const auto& columns = generator_->columns();
  for (const ColumnRequest& request : requests) {
    const auto found = std::ranges::find_if(columns, [&](const GeneratedColumn& column) {
      return !column.weighsPrevious && column.source.name == request.name;
    });
    if (found == columns.end()) {
      const std::vector<std::string> names = namesOf(columns_);
      return wrongRequest(fmt::format("generated rows have no column \"{}\"{}; accepted: {}",
                                      request.name, didYouMean(request.name, names), join(names)));
    }
    const ValueType type = request.type.value_or(found->source.type);
    if (type != found->source.type && found->source.type != ValueType::kInteger)
      return wrongRequest(fmt::format("\"{}\" of generated rows is text", request.name));
    if (!request.separator.empty() && !found->source.isList)
      return wrongRequest(
          fmt::format("\"{}\" of generated rows is one value a row, no list", request.name));
    const auto at = static_cast<std::size_t>(found - columns.begin());
    selected_.push_back({at, type});
    if (request.weightSeparator.empty()) continue;
    const bool weighted = at + 1 < columns.size() && columns[at + 1].weighsPrevious;
    selected_.push_back({weighted ? at + 1 : at, ValueType::kNumber, !weighted});
  }
  return {};
}

Result<bool> GeneratedSource::next(Piece& piece) {
  if (next_ == generator_->rows()) return false;
  piece = {};
  piece.index = next_ / kPieceRows;
  piece.first = next_;
  piece.count = std::min(kPieceRows, generator_->rows() - next_);
  next_ += piece.count;
  return true;
}

Status GeneratedSource::parse(const Piece& piece, RowBlock& block) const {
  block.clear();
  block.columns.resize(selected_.size());
  block.rows = block.lines = piece.count;
  std::vector<ColumnValues*> targets(generator_->columns().size(), nullptr);
  for (std::size_t k = 0; k < selected_.size(); ++k) {
    ColumnValues& column = block.columns[k];
    column.type = generator_->columns()[selected_[k].column].source.type;
    if (!targets[selected_[k].column]) targets[selected_[k].column] = &column;
  }
  generator_->fill(piece.first, piece.count, targets);
  for (std::size_t k = 0; k < selected_.size(); ++k) {
    const ColumnValues* made = targets[selected_[k].column];
    if (made != &block.columns[k]) block.columns[k] = *made;
  }
  for (std::size_t k = 0; k < selected_.size(); ++k) {
    convert(block.columns[k], selected_[k].type, block);
    if (selected_[k].areOnes) std::ranges::fill(block.columns[k].numbers, 1.0);
  }
  return {};
}

std::string GeneratedSource::excerpt(const Piece& piece, std::int64_t line) const {
  return generator_->line(piece.first + line);
}

Status GeneratedSource::hashInto(Hasher& hasher, const WorkContext&) const {
  const experiment::Generator& settings = generator_->settings();
  const std::string counts = fmt::format("{} {} {} {} {}", kGeneratorVersion, settings.users,
                                         settings.items, settings.events, settings.seed);
  switch (settings.kind) {
    case GeneratorKind::kMovies:
      hasher.update("generator " + counts + "\n");
      break;
    case GeneratorKind::kClicks:
      hasher.update(fmt::format("generator clicks {} {}\n", counts, settings.contextStrength));
      break;
    case GeneratorKind::kEvents:
      hasher.update(fmt::format("generator events {} {}\n", counts, settings.contextStrength));
      if (settings.orderStrength > 0.0)
        hasher.update(fmt::format("order {}\n", settings.orderStrength));
      break;
  }
  return {};
}

Result<std::vector<std::unique_ptr<CatalogueFile>>> GeneratedSource::openCatalogues() const {
  std::vector<std::unique_ptr<CatalogueFile>> files;
  if (!generator_->hasCatalogues()) return files;
  for (const char* role : {"item", "user"})
    files.push_back(generatedCatalogue(generator_->catalogue(role), role));
  return files;
}

}  // namespace

Result<std::unique_ptr<Source>> openGeneratedSource(const experiment::Dataset& spec,
                                                    const GeneratorFactory& makeGenerator) {
  if (!makeGenerator)
    throw InvalidArgument("[openGeneratedSource] no factory of generators was handed in");
  PARAPET_ASSIGN(auto generator, makeGenerator(spec.generator.value_or(experiment::Generator{})));
  return {std::make_unique<GeneratedSource>(std::move(generator))};
}

}  // namespace parapet::data
