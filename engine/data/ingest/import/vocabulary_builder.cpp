// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/vocabulary_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/hash.h"
#include "engine/base/record/problem.h"
#include "engine/base/text.h"
#include "engine/data/dataset/vocabulary_writer.h"

namespace parapet::data {
namespace {

using experiment::OovKind;
using experiment::VocabularyKind;
using SizeKind = experiment::VocabularySize::Kind;

// Rows are int32 and a size is a row more than the last one.
constexpr std::int64_t kLastDirectId = std::numeric_limits<std::int32_t>::max() - 1;
// A vocabulary this large must use at least every 64th row; one stray id, or a size with a zero too
// many, would otherwise make a table of billions of rows.
constexpr std::int64_t kAlwaysAcceptedRows = 1 << 24;
constexpr std::int64_t kRowsPerDistinctId = 64;

constexpr std::int32_t kNone = -1;

using record::documentError;

// An id that shares a row, of the table or of the catalogue.
struct SharedId {
  std::int32_t uniqueIndex = kNone, entry = kNone, row = 0;
};

// The id of the table, or the entry of the catalogue, that gives each row its raw id.
struct Rows {
  std::size_t known = 0;                  // row 0 and those of known ids; buckets follow
  std::vector<std::int32_t> uniqueIndex;  // in the table; kNone: no imported id
  std::vector<std::int32_t> entry;        // of the catalogue; kNone: it has none
  std::vector<std::int64_t> count;
  std::vector<SharedId> shared;  // ids beside those, in the order of their entries
};

std::int64_t largestId(const IdTable& ids) {
  std::int64_t largest = 0;
  for (std::size_t n = 0; n < ids.size(); ++n)
    if (ids.counts()[n] > 0) largest = std::max(largest, ids.integer(n));
  return largest;
}

std::int64_t usedIds(const IdTable& ids) {
  return std::ranges::count_if(ids.counts(), [](std::int64_t count) { return count > 0; });
}

std::int64_t bucketsOf(const experiment::Vocabulary& spec) {
  const bool buckets = spec.kind != VocabularyKind::kHash && spec.oovKind() == OovKind::kBuckets;
  return buckets ? spec.oovBuckets : 0;
}

std::int64_t sizeOf(const PlannedVocabulary& plan, const IdTable& ids,
                    const CatalogueTable* catalogue, const std::vector<std::int32_t>& cold) {
  if (plan.spec.kind == VocabularyKind::kCompressed)
    return bucketsOf(plan.spec) + 1 + usedIds(ids) + static_cast<std::int64_t>(cold.size());
  switch (plan.spec.size.kind) {
    case SizeKind::kFixed:
      return plan.spec.size.fixed;
    case SizeKind::kCataloguePlusOne:
      return (catalogue ? catalogue->size() : 0) + 1 + bucketsOf(plan.spec);
    case SizeKind::kMaxPlusOne:
      return bucketsOf(plan.spec) + 1 + largestId(ids);
    case SizeKind::kAuto:
      break;
  }
  const std::int64_t largestCold =
      cold.empty() ? 0 : std::min(catalogue->integer(cold.back()), kLastDirectId);
  return bucketsOf(plan.spec) + 1 + std::max(largestId(ids), largestCold);
}

// Entries of the catalogue that no imported id is, by id.
std::vector<std::int32_t> coldEntries(const PlannedVocabulary& plan, const IdTable& ids,
                                      const CatalogueTable* catalogue) {
  std::vector<std::int32_t> cold;
  if (!catalogue) return cold;
  const bool isDirect = plan.spec.kind == VocabularyKind::kDirect;
  const bool areIntegers = catalogue->idType() == ValueType::kInteger;
  for (std::int32_t entry = 0; entry < catalogue->size(); ++entry) {
    if (!catalogue->keepsCold(entry) ||
        (isDirect && (!areIntegers || catalogue->integer(entry) < 1)))
      continue;
    // An id that a filter or a k-core has left out was known, and stays out.
    const bool isKnown = (areIntegers ? ids.find(catalogue->integer(entry))
                                      : ids.find(std::string_view(catalogue->id(entry)))) >= 0;
    if (!isKnown) cold.push_back(entry);
  }
  std::ranges::sort(cold,
                    [&](std::int32_t a, std::int32_t b) { return catalogue->isBefore(a, b); });
  return cold;
}

Status checkDensity(const PlannedVocabulary& plan, std::int64_t size, std::int64_t distinct) {
  if (size <= std::max(kAlwaysAcceptedRows, kRowsPerDistinctId * distinct)) return {};
  const bool direct = plan.spec.kind == VocabularyKind::kDirect;
  return Error{
      ErrorCode::kData,
      fmt::format("{} vocabulary \"{}\" would have {} rows for {} distinct ids; use {}",
                  direct ? "direct" : "the", plan.spec.name, formatCount(size),
                  formatCount(distinct), direct ? "kind \"compressed\"" : "a smaller size"),
      plan.pointer};
}

void assignDirect(const IdTable& ids, Rows& rows, std::vector<std::int32_t>& rowOf) {
  for (std::size_t n = 0; n < ids.size(); ++n) {
    if (ids.counts()[n] == 0) continue;
    const auto row = static_cast<std::size_t>(ids.integer(n));
    if (row >= rows.known) continue;
    rows.uniqueIndex[row] = static_cast<std::int32_t>(n);
    rows.count[row] = ids.counts()[n];
    rowOf[n] = static_cast<std::int32_t>(row);
  }
}

// The used ids by descending count, ties by id.
std::vector<std::int32_t> frequentFirst(const IdTable& ids) {
  std::vector<std::int32_t> order;
  for (std::size_t n = 0; n < ids.size(); ++n)
    if (ids.counts()[n] > 0) order.push_back(static_cast<std::int32_t>(n));
  std::ranges::sort(order, [&](std::int32_t left, std::int32_t right) {
    const auto a = static_cast<std::size_t>(left), b = static_cast<std::size_t>(right);
    if (ids.counts()[a] != ids.counts()[b]) return ids.counts()[a] > ids.counts()[b];
    return ids.isBefore(a, b);
  });
  return order;
}

void assignCompressed(const IdTable& ids, Rows& rows, std::vector<std::int32_t>& rowOf) {
  std::size_t row = 0;
  for (const std::int32_t uniqueIndex : frequentFirst(ids)) {
    const auto n = static_cast<std::size_t>(uniqueIndex);
    rows.uniqueIndex[++row] = uniqueIndex;
    rows.count[row] = ids.counts()[n];
    rowOf[n] = static_cast<std::int32_t>(row);
  }
}

void assignHashed(const IdTable& ids, Rows& rows, std::vector<std::int32_t>& rowOf) {
  const auto size = static_cast<std::int64_t>(rows.uniqueIndex.size());
  // The most frequent id comes first, so it names the row.
  for (const std::int32_t uniqueIndex : frequentFirst(ids)) {
    const auto n = static_cast<std::size_t>(uniqueIndex);
    rowOf[n] = hashedRow(hash64(ids.text(n)), size);
    const auto row = static_cast<std::size_t>(rowOf[n]);
    if (rows.uniqueIndex[row] == kNone)
      rows.uniqueIndex[row] = uniqueIndex;
    else
      rows.shared.push_back({.uniqueIndex = uniqueIndex, .row = rowOf[n]});
    rows.count[row] += ids.counts()[n];
  }
}

// Direct ids beyond the last known row; row 0 is that of those without an id.
void assignUnknown(const PlannedVocabulary& plan, const IdTable& ids, Rows& rows,
                   BuiltVocabulary& built) {
  const auto size = static_cast<std::int64_t>(rows.uniqueIndex.size());
  const std::int64_t buckets = bucketsOf(plan.spec);
  for (std::size_t n = 0; n < ids.size(); ++n) {
    if (built.rowOf[n] != 0 || ids.counts()[n] == 0) continue;
    if (rows.uniqueIndex.front() == static_cast<std::int32_t>(n)) continue;
    if (buckets > 0) built.rowOf[n] = bucketRow(hash64(ids.text(n)), size, buckets);
    rows.count[static_cast<std::size_t>(built.rowOf[n])] += ids.counts()[n];
    built.oovIds += ids.counts()[n];
  }
}

// The catalogue's entry of an id of the table, −1 if it has none.
std::int32_t entryOf(const IdTable& ids, std::size_t n, const CatalogueTable& catalogue) {
  return ids.type() == ValueType::kInteger ? catalogue.find(ids.integer(n))
                                           : catalogue.find(std::string_view(ids.text(n)));
}

// Finds the catalogue's entry of each row, and gives rows to those that no imported row has.
void joinCatalogue(const PlannedVocabulary& plan, const IdTable& ids,
                   const CatalogueTable& catalogue, const std::vector<std::int32_t>& cold,
                   Rows& rows, BuiltVocabulary& built) {
  for (std::size_t row = 1; row < rows.uniqueIndex.size(); ++row)
    if (rows.uniqueIndex[row] != kNone)
      rows.entry[row] = entryOf(ids, static_cast<std::size_t>(rows.uniqueIndex[row]), catalogue);
  for (SharedId& id : rows.shared)
    id.entry = entryOf(ids, static_cast<std::size_t>(id.uniqueIndex), catalogue);
  const auto size = static_cast<std::int64_t>(rows.uniqueIndex.size());
  auto next = static_cast<std::size_t>(usedIds(ids)) + 1;  // compressed: behind the used ids
  for (const std::int32_t entry : cold) {
    std::size_t row = next;
    if (plan.spec.kind == VocabularyKind::kDirect)
      row = static_cast<std::size_t>(catalogue.integer(entry));
    else if (plan.spec.kind == VocabularyKind::kHash)
      row = static_cast<std::size_t>(hashedRow(hash64(catalogue.id(entry)), size));
    else
      ++next;
    if (row >= rows.known) continue;
    if (rows.uniqueIndex[row] != kNone || rows.entry[row] != kNone) {
      if (plan.spec.kind == VocabularyKind::kHash)
        rows.shared.push_back({.entry = entry, .row = static_cast<std::int32_t>(row)});
      continue;
    }
    rows.entry[row] = entry;
    ++built.coldRows;
  }
}

// The first of the used ids, as a message shows them.
std::string exampleIds(const IdTable& ids) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> shown;
  for (std::size_t n = 0; n < ids.size() && shown.size() < kShown; ++n)
    if (ids.counts()[n] > 0) shown.push_back("\"" + printable(ids.text(n), 40) + "\"");
  return join(shown) + ", …";
}

// How many of the imported ids each file knows.
void countDescribed(const IdTable& ids, const CatalogueTable& catalogue, BuiltVocabulary& built) {
  built.describedIds.assign(catalogue.files(), 0);
  for (std::size_t n = 0; n < ids.size(); ++n) {
    if (ids.counts()[n] == 0) continue;
    const std::int32_t entry = entryOf(ids, n, catalogue);
    for (std::size_t file = 0; file < catalogue.files(); ++file)
      built.describedIds[file] += catalogue.has(file, entry);
  }
}

// Describes an id of the table, or an entry of the catalogue.
Vocabulary::Entry described(const IdTable& ids, std::int32_t uniqueIndex,
                            const CatalogueTable* catalogue, std::int32_t known) {
  Vocabulary::Entry entry;
  if (uniqueIndex != kNone) entry.rawId = ids.text(static_cast<std::size_t>(uniqueIndex));
  if (known != kNone) {
    entry.rawId = catalogue->id(known);
    entry.title = catalogue->title(known);
    entry.attributes = catalogue->attributes(known);
  }
  entry.present = !entry.rawId.empty();
  return entry;
}

void writeEntries(const Rows& rows, const IdTable& ids, const CatalogueTable* catalogue,
                  BuiltVocabulary& built) {
  for (std::size_t row = 0; row < rows.uniqueIndex.size(); ++row) {
    Vocabulary::Entry entry = described(ids, rows.uniqueIndex[row], catalogue, rows.entry[row]);
    entry.count = rows.count[row];
    built.writer.add(entry);
  }
  if (!rows.shared.empty()) built.entryOf = built.rowOf;
  auto next = static_cast<std::int32_t>(rows.uniqueIndex.size());
  for (const SharedId& id : rows.shared) {
    Vocabulary::Entry entry = described(ids, id.uniqueIndex, catalogue, id.entry);
    if (id.uniqueIndex != kNone) {
      const auto n = static_cast<std::size_t>(id.uniqueIndex);
      entry.count = ids.counts()[n];
      built.entryOf[n] = next;
    }
    built.writer.addShared(entry, id.row);
    ++next;
  }
}

// The rows of a vocabulary of texts are its pieces, by id.
BuiltVocabulary buildPieces(const PieceVocabulary& pieces, const IdTable& ids) {
  BuiltVocabulary built{.writer = VocabularyWriter({}),
                        .rowOf = std::vector<std::int32_t>(ids.size())};
  std::vector<std::int64_t> counts(static_cast<std::size_t>(pieces.size()));
  for (std::size_t n = 0; n < ids.size(); ++n) {
    built.rowOf[n] = static_cast<std::int32_t>(ids.integer(n));
    counts[static_cast<std::size_t>(ids.integer(n))] = ids.counts()[n];
  }
  built.writer.useRowZero();
  for (std::int64_t id = 0; id < pieces.size(); ++id) {
    const std::int64_t count = counts[static_cast<std::size_t>(id)];
    built.writer.add({.rawId = std::string(pieces.piece(id)),
                      .title = {},
                      .attributes = {},
                      .count = count,
                      .present = true});
    built.unusedRows += count == 0;
  }
  built.oovIds = counts[static_cast<std::size_t>(pieces.id(SpecialPiece::kUnknown))];
  return built;
}

}  // namespace

Status checkVocabulary(const experiment::Vocabulary& spec, const std::string& pointer) {
  const std::int64_t least = 2 + bucketsOf(spec);
  if (spec.size.kind == SizeKind::kFixed &&
      (spec.size.fixed < least || spec.size.fixed > kLastDirectId + 1))
    return documentError(pointer + "/size", fmt::format("size {}; {} to {} is accepted",
                                                        spec.size.fixed, least, kLastDirectId + 1));
  if (spec.oov == OovKind::kError && spec.kind == VocabularyKind::kCompressed && spec.minCount > 1)
    return documentError(
        pointer + "/oov",
        fmt::format("ids with fewer than {} rows would have these lines rejected, which is known "
                    "only at the end; \"row\", \"buckets\" or min_count 1 is accepted",
                    spec.minCount));
  if (spec.kind == VocabularyKind::kHash && spec.size.kind != SizeKind::kFixed)
    return documentError(pointer + "/size",
                         "a vocabulary of kind \"hash\" needs its number of rows, row 0 included");
  return {};
}

Result<IdRange> idRange(const experiment::Vocabulary& spec, const std::string& pointer,
                        const std::string& role, const Source& source) {
  const CatalogueTable* catalogue = role.empty() ? nullptr : source.catalogue(role);
  if (spec.size.kind == SizeKind::kCataloguePlusOne && !catalogue) {
    const std::string name = role.empty() ? "" : source.catalogueName(role);
    return documentError(
        pointer + "/size",
        fmt::format("\"catalogue+1\" needs {}; \"max+1\" or a number would be accepted",
                    name.empty()
                        ? fmt::format("a catalogue of \"{}\", and the source has none", spec.name)
                        : fmt::format("the catalogue {}, which is missing", name)));
  }
  if (spec.kind != VocabularyKind::kDirect)
    return IdRange{.first = std::numeric_limits<std::int64_t>::min()};
  // Row 0 is that of padding and unknown ids.
  IdRange range{.first = 1,
                .last = kLastDirectId,
                .unfit = UnfitIds::kFailImport,
                .lastBecause = "the limit of a direct vocabulary"};
  const bool anyIsKnown =
      spec.size.kind == SizeKind::kAuto || spec.size.kind == SizeKind::kMaxPlusOne;
  if (!anyIsKnown && spec.oovKind() != OovKind::kError) {
    range.last = std::numeric_limits<std::int64_t>::max();
  } else if (spec.size.kind == SizeKind::kFixed) {
    range.last = spec.size.fixed - 1;
    range.lastBecause = "the vocabulary's size is fixed";
  } else if (spec.size.kind == SizeKind::kCataloguePlusOne) {
    range.last = catalogue->size();
    range.lastBecause = "the number of catalogue entries";
  }
  return range;
}

Result<BuiltVocabulary> buildVocabulary(const PlannedVocabulary& plan, const IdTable& ids,
                                        std::int64_t missing, const CatalogueTable* catalogue) {
  if (plan.pieces) return buildPieces(*plan.pieces, ids);
  const std::vector<std::int32_t> cold = coldEntries(plan, ids, catalogue);
  const std::int64_t size = sizeOf(plan, ids, catalogue, cold);
  PARAPET_TRY(checkDensity(plan, size, usedIds(ids) + static_cast<std::int64_t>(cold.size())));

  if (plan.usesRowZero && missing > 0)
    return Error{ErrorCode::kData,
                 fmt::format("{} rows have no id of the direct vocabulary \"{}\", whose row 0 is "
                             "that of the id 0; kind \"compressed\" has a row for them",
                             formatCount(missing), plan.spec.name),
                 plan.pointer + "/kind"};

  BuiltVocabulary built{.writer = VocabularyWriter(catalogue ? catalogue->attributeNames()
                                                             : std::vector<std::string>{}),
                        .rowOf = std::vector<std::int32_t>(ids.size(), 0)};
  if (plan.usesRowZero) built.writer.useRowZero();
  const auto count = static_cast<std::size_t>(size);
  Rows rows{.known = count - static_cast<std::size_t>(bucketsOf(plan.spec)),
            .uniqueIndex = std::vector<std::int32_t>(count, kNone),
            .entry = std::vector<std::int32_t>(count, kNone),
            .count = std::vector<std::int64_t>(count, 0),
            .shared = {}};
  if (plan.spec.kind == VocabularyKind::kDirect)
    assignDirect(ids, rows, built.rowOf);
  else if (plan.spec.kind == VocabularyKind::kHash)
    assignHashed(ids, rows, built.rowOf);
  else
    assignCompressed(ids, rows, built.rowOf);
  built.oovIds = missing;
  rows.count.front() += missing;
  assignUnknown(plan, ids, rows, built);
  if (catalogue) {
    joinCatalogue(plan, ids, *catalogue, cold, rows, built);
    countDescribed(ids, *catalogue, built);
    built.exampleIds = exampleIds(ids);
  }
  built.usedIds = usedIds(ids);
  built.unusedRows = std::count(rows.count.begin() + 1, rows.count.end(), 0);
  writeEntries(rows, ids, catalogue, built);
  if (plan.spec.kind == VocabularyKind::kHash) built.writer.hashUnknown();
  built.writer.bucketUnknown(bucketsOf(plan.spec));
  return built;
}

}  // namespace parapet::data
