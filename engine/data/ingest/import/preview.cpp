// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/preview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "engine/base/workers.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/shaped_rows.h"
#include "engine/data/ingest/shape/derived.h"
#include "engine/data/ingest/shape/filter.h"
#include "engine/data/ingest/shape/time_text.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {
namespace {

constexpr std::size_t kLongestCell = 200;
// Rejected lines among others are found early; a file of nothing else is not read to its end.
constexpr std::int64_t kMaxRejectedLines = 100'000;

std::vector<ColumnRequest> asTheyAre(std::span<const SourceColumn> columns) {
  std::vector<ColumnRequest> requests;
  for (const SourceColumn& column : columns) requests.push_back({column.name, {}, "", ""});
  return requests;
}

std::string valueText(const ColumnValues& values, std::size_t index) {
  if (values.type == ValueType::kInteger) return fmt::format("{}", values.integers[index]);
  if (values.type == ValueType::kNumber) return fmt::format("{}", values.numbers[index]);
  return printable(values.texts[index], kLongestCell);
}

SourcePreview::Cell cellText(const ColumnValues& values, std::size_t row) {
  if (values.isMissing(row)) return std::nullopt;
  if (!values.isList()) return valueText(values, row);
  std::string text;
  for (auto i = values.offsets[row]; i < values.offsets[row + 1]; ++i) {
    if (text.size() > kLongestCell) return text + "…";
    text += (text.empty() ? "" : ", ") + valueText(values, static_cast<std::size_t>(i));
  }
  return text;
}

/// Derived columns that can be computed, each bound by itself so that one that cannot does not
/// hide the others.
std::vector<DerivedColumns> bindDerived(const experiment::Dataset& spec, SourcePreview& preview) {
  std::vector<DerivedColumns> bound;
  std::vector<SourceColumn> columns = preview.columns;
  for (const experiment::Derived& derived : spec.derived) {
    const std::vector<std::string> wanted{derived.name};
    auto one = DerivedColumns::bind(spec.derived, wanted, columns);
    if (!one) {
      preview.derivedProblems.push_back(one.error());
      continue;
    }
    // Each is appended behind those before it.
    columns.insert(columns.end(), one->layout().begin(), one->layout().end());
    bound.push_back(std::move(*one));
  }
  preview.columns = std::move(columns);
  preview.describes.resize(preview.columns.size());
  return bound;
}

// Returns how many of those that it takes are truncated.
std::int64_t takeRows(const RowBlock& block, std::int64_t most, SourcePreview& preview) {
  std::int64_t truncated = 0;
  const auto room = most - static_cast<std::int64_t>(preview.rows.size());
  for (std::int64_t row = 0; row < std::min(room, block.rows); ++row) {
    auto& cells = preview.rows.emplace_back();
    for (const ColumnValues& values : block.columns)
      cells.push_back(cellText(values, static_cast<std::size_t>(row)));
    if (!block.truncated.empty()) truncated += block.truncated[static_cast<std::size_t>(row)];
  }
  return truncated;
}

/// Names of the source's columns that filter and derived columns read.
std::vector<std::string> columnsFor(const experiment::Dataset& spec, const Filter& filter,
                                    std::vector<std::string>& derivedNames) {
  std::vector<std::string> names;
  const auto want = [&names](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const std::string& column : filter.columns()) {
    const auto derived = std::ranges::find(spec.derived, column, &experiment::Derived::name);
    if (derived == spec.derived.end()) {
      want(column);
    } else {
      derivedNames.push_back(column);
      want(derived->from);
    }
  }
  return names;
}

/// Rows of a block.
struct SievedRows {
  std::int64_t kept = 0;
  std::int64_t rejected = 0;  ///< of those that the filter keeps: a cell is missing
  std::optional<std::array<std::int64_t, 2>> times{};  ///< of those that are kept
  std::int64_t lateTimes = 0;
};

/// Widens a span so that it holds another.
void hold(std::optional<std::array<std::int64_t, 2>>& span,
          const std::optional<std::array<std::int64_t, 2>>& other) {
  if (!other) return;
  if (!span) span = other;
  *span = {std::min(span->front(), other->front()), std::max(span->back(), other->back())};
}

/// Filter, derived columns and what an import rejects, fitted to a source of which only what they
/// need is selected.
struct Sieve {
  std::optional<Filter> filter;
  std::optional<DerivedColumns> derived;
  std::vector<std::size_t> required;  ///< columns of the block
  std::optional<std::size_t> time{};  ///< column of the block

  static Result<Sieve> over(Source& source, const experiment::Dataset& spec) {
    Sieve sieve;
    const std::vector<SourceColumn>& all = source.columns();
    std::vector<std::string> names, derivedNames;
    if (const auto filter = filterOf(spec)) {
      PARAPET_ASSIGN(sieve.filter, Filter::parse(*filter));
      names = columnsFor(spec, *sieve.filter, derivedNames);
    }
    std::vector<SourceColumn> selected;
    for (const std::string& name : names)
      if (const auto found = std::ranges::find(all, name, &SourceColumn::name); found != all.end())
        selected.push_back(*found);
    // bind() reports names that are not there, with those that are.
    if (selected.size() < names.size()) selected = all;
    std::vector<ColumnRequest> requests = asTheyAre(selected);
    for (ImportedColumn& column : importedColumns(spec, all)) {
      const auto known = std::ranges::find(requests, column.request.name, &ColumnRequest::name);
      const auto at = static_cast<std::size_t>(known - requests.begin());
      if (column.isRequired) sieve.required.push_back(at);
      if (column.isTime) sieve.time = at;
      if (known != requests.end()) continue;
      selected.push_back(*std::ranges::find(all, column.request.name, &SourceColumn::name));
      selected.back().type = column.request.type.value_or(selected.back().type);
      requests.push_back(std::move(column.request));
    }
    // Without roles there are rows to count, whatever is in them.
    if (selected.empty() && !all.empty()) {
      selected.push_back(all.front());
      requests = asTheyAre(selected);
    }
    if (sieve.filter) {
      auto layout = selected;
      PARAPET_ASSIGN(sieve.derived, DerivedColumns::bind(spec.derived, derivedNames, layout));
      layout.insert(layout.end(), sieve.derived->layout().begin(), sieve.derived->layout().end());
      PARAPET_TRY(sieve.filter->bind(layout));
    }
    // A label without a number is the import's to report.
    if (!source.select(requests)) PARAPET_TRY(source.select(asTheyAre(selected)));
    return sieve;
  }

  [[nodiscard]] SievedRows count(RowBlock& block) const {
    const auto count = static_cast<std::size_t>(block.rows);
    std::vector<std::uint8_t> keep(count, 1), incomplete(count);
    if (filter) {
      derived->append(block);
      filter->select(block, keep);
    }
    for (const std::size_t column : required) {
      const std::vector<std::uint8_t>& missing = block.columns[column].missing;
      for (std::size_t row = 0; row < missing.size(); ++row) incomplete[row] |= missing[row];
    }
    SievedRows rows;
    for (std::size_t row = 0; row < count; ++row) {
      rows.rejected += keep[row] & incomplete[row];
      if (incomplete[row] != 0) keep[row] = 0;
      rows.kept += keep[row];
    }
    // Texts that no setting makes times of are none.
    if (!time || block.columns[*time].type != ValueType::kInteger) return rows;
    const std::vector<std::int64_t>& times = block.columns[*time].integers;
    for (std::size_t row = 0; row < count; ++row)
      if (keep[row] != 0) {
        hold(rows.times, std::array{times[row], times[row]});
        rows.lateTimes += times[row] > kStartOf2100;
      }
    return rows;
  }
};

Error cancelled() {
  return {ErrorCode::kCancelled, "not all rows were read"};
}

}  // namespace

Result<SourcePreview> previewSource(const experiment::Dataset& spec, std::int64_t rows,
                                    const WorkContext& context,
                                    const GeneratorFactory& makeGenerator) {
  PARAPET_ASSIGN(const auto source, openSource(spec, makeGenerator));
  return previewSource(*source, spec, rows, context);
}

Result<SourcePreview> previewSource(Source& source, const experiment::Dataset& spec,
                                    std::int64_t rows, const WorkContext& context,
                                    std::int64_t upTo) {
  if (rows < 1) throw InvalidArgument("previewSource: rows must be at least 1");
  SourcePreview preview;
  preview.file = source.fileName();
  preview.columns = source.columns();
  preview.sourceColumns = preview.columns.size();
  for (const SourceColumn& column : preview.columns)
    preview.describes.emplace_back(source.describes(column.name));
  preview.rejectedLines = Quarantine(preview.file);
  const std::vector<DerivedColumns> derived = bindDerived(spec, preview);
  PARAPET_TRY(source.select(asTheyAre(source.columns())));
  PARAPET_TRY(source.readCatalogues(CatalogueExtent::kStart, context));
  LineNumbers numbers(source);
  Source::Piece piece;
  RowBlock block;
  std::int64_t truncated = 0;
  while (static_cast<std::int64_t>(preview.rows.size()) < rows &&
         preview.rejectedLines.rejected() < kMaxRejectedLines &&
         (preview.rowsRead == 0 || source.done() < upTo)) {
    if (context.cancelled()) return cancelled();
    PARAPET_ASSIGN(const bool more, source.next(piece));
    if (!more) break;
    PARAPET_TRY(source.parse(piece, block));
    const std::int64_t before = numbers.before(piece, block.lines);
    for (const RejectedRow& bad : block.rejected)
      preview.rejectedLines.addShown(before + bad.line + 1, bad.reason, bad.excerpt);
    for (const DerivedColumns& columns : derived) columns.append(block);
    truncated += takeRows(block, rows, preview);
    preview.rowsRead += block.rows;
  }
  preview.warnings = source.warnings();
  if (truncated > 0)
    preview.warnings.push_back(fmt::format("of the first {} lines {}",
                                           formatCount(std::ssize(preview.rows)),
                                           truncationWarning(truncated, spec)));
  preview.complete = source.done() >= source.total();
  const double share =
      source.done() == 0 ? 1.0
                         : static_cast<double>(source.total()) / static_cast<double>(source.done());
  preview.rowsExpected = preview.complete
                             ? preview.rowsRead
                             : std::llround(share * static_cast<double>(preview.rowsRead));
  return preview;
}

Result<FilterCount> countRows(const experiment::Dataset& spec, std::int64_t atMost,
                              const WorkContext& context, const GeneratorFactory& makeGenerator) {
  PARAPET_ASSIGN(const auto source, openSource(spec, makeGenerator));
  return countRows(*source, spec, atMost, context);
}

Result<FilterCount> countRows(Source& source, const experiment::Dataset& spec, std::int64_t atMost,
                              const WorkContext& context) {
  PARAPET_ASSIGN(const Sieve sieve, Sieve::over(source, spec));
  PARAPET_TRY(source.readCatalogues(CatalogueExtent::kAll, context));
  struct Part {
    Source::Piece piece;
    RowBlock block;
    SievedRows sieved;
    Status status;
  };
  Workers workers(Workers::available());
  std::vector<Part> parts(static_cast<std::size_t>(workers.count()));
  FilterCount count;
  for (bool more = true; more && (atMost == 0 || count.rows < atMost);) {
    std::size_t fetched = 0;
    for (; fetched < parts.size(); ++fetched) {
      PARAPET_ASSIGN(more, source.next(parts[fetched].piece));
      if (!more) break;
    }
    if (context.cancelled()) return cancelled();
    workers.parallelFor(static_cast<std::int64_t>(fetched), [&](std::int64_t index) {
      Part& part = parts[static_cast<std::size_t>(index)];
      part.block.clear();
      part.status = source.parse(part.piece, part.block);
      if (part.status) part.sieved = sieve.count(part.block);
    });
    for (std::size_t i = 0; i < fetched; ++i) {
      PARAPET_TRY(parts[i].status);
      const auto& [kept, incomplete, times, lateTimes] = parts[i].sieved;
      hold(count.times, times);
      count.lateTimes += lateTimes;
      count.rows += parts[i].block.rows - incomplete;
      count.kept += kept;
      count.rejected += std::ssize(parts[i].block.rejected) + incomplete;
    }
    count.complete = !more || source.done() >= source.total();
    context.report("counting rows", source.done(), source.total());
  }
  return count;
}

std::string typeName(const SourceColumn& column) {
  const char* name = column.type == ValueType::kInteger  ? "integer"
                     : column.type == ValueType::kNumber ? "number"
                                                         : "text";
  return column.isList ? std::string("list of ") + name : name;
}

}  // namespace parapet::data
