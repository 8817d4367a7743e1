// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/import_settings.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/data/ingest/import/vectors_import.h"
#include "engine/data/ingest/shape/filter.h"

namespace parapet::data {
namespace {

using Json = nlohmann::ordered_json;

// Changes when an import of the same bytes would give other column files.
constexpr int kFormat = 7;
// The format of version 0.1, which applied min_count and sizes to all rows.
constexpr int kFirstFormat = 4;

Json orNull(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

Json textJson(const std::optional<experiment::TextFormat>& format) {
  if (!format) return nullptr;
  Json json{orNull(format->delimiter), orNull(format->quote),
            format->header ? Json(*format->header) : Json(nullptr), format->names};
  if (format->encoding) json.push_back({"encoding", static_cast<int>(*format->encoding)});
  if (format->decimal) json.push_back({"decimal", *format->decimal});
  if (format->nullValues) json.push_back({"null_values", *format->nullValues});
  return json;
}

Json sizeJson(const experiment::VocabularySize& size) {
  using enum experiment::VocabularySize::Kind;
  switch (size.kind) {
    case kAuto:
      return "auto";
    case kMaxPlusOne:
      return "max+1";
    case kCataloguePlusOne:
      return "catalogue+1";
    case kFixed:
      break;
  }
  return size.fixed;
}

// Every setting that column files depend on. Where the data lie is none.
Json canonical(const experiment::Dataset& spec, int format) {
  Json json{{"format", format},
            {"source", spec.source},
            {"slice", orNull(spec.slice)},
            {"filter", orNull(spec.filter)},
            {"label", orNull(spec.label.column)},
            {"scale", nullptr},
            {"weight", orNull(spec.weight)},
            {"k_core", nullptr}};
  if (spec.label.scale) json["scale"] = *spec.label.scale;
  if (spec.kCore) json["k_core"] = {spec.kCore->user, spec.kCore->item};
  if (spec.isText() && spec.text)
    json["pieces"] = {spec.text->lowercase, spec.text->minBytes, spec.text->maxLength};
  if (spec.format) json["text"] = textJson(spec.format);
  for (const auto& column : spec.columns)
    json["columns"].push_back({column.name, static_cast<int>(column.role), orNull(column.from),
                               orNull(column.vocabulary), orNull(column.separator),
                               orNull(column.weights)});
  for (const auto& time : spec.times)
    json["times"].push_back({time.column, static_cast<int>(time.unit)});
  for (const auto& derived : spec.derived)
    json["derived"].push_back({derived.name, static_cast<int>(derived.kind), derived.from,
                               derived.bounds, derived.utcOffsetMinutes});
  for (const auto& each : spec.vocabularies) {
    const experiment::Vocabulary vocabulary = format == kFirstFormat ? each : asImported(each);
    json["vocabularies"].push_back(
        {vocabulary.name, static_cast<int>(vocabulary.kind), sizeJson(vocabulary.size),
         vocabulary.minCount,
         vocabulary.oov ? Json(static_cast<int>(*vocabulary.oov)) : Json(nullptr),
         vocabulary.oovBuckets});
  }
  for (const auto& catalogue : spec.catalogues)
    json["catalogues"].push_back({catalogue.of, textJson(catalogue.format), orNull(catalogue.id),
                                  orNull(catalogue.title),
                                  catalogue.columns ? Json(*catalogue.columns) : Json(nullptr),
                                  static_cast<int>(catalogue.cold)});
  for (const auto& column : spec.columns)
    if (column.missing != experiment::MissingNumbers::kReject)
      json["missing"].push_back({column.name, static_cast<int>(column.missing)});
  for (const auto& column : spec.columns)
    if (column.nullValues) json["null_values"].push_back({column.name, *column.nullValues});
  // Other kinds of splits are made of any data set.
  if (spec.split.kind == experiment::SplitKind::kColumn) json["part"] = spec.split.column;
  if (spec.split.kind == experiment::SplitKind::kFiles) json["part"] = "files";
  for (const auto& vectors : spec.vectors)
    json["vectors"].push_back({vectors.name, vectors.of, vectors.id, orNull(vectors.column)});
  return json;
}

Error sliceError(const std::string& text) {
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("slice \"{}\"; [first:last] is accepted, each a row from 0 or a share "
                           "such as 5%, and either may be left out",
                           text),
               "/dataset/slice"};
}

// False if the text is no end of a slice; an empty one leaves `end` unset.
bool parseEnd(std::string_view text, std::optional<SliceEnd>& end) {
  text = trim(text);
  if (text.empty()) return true;
  const bool isPercent = text.ends_with('%');
  if (isPercent) text.remove_suffix(1);
  if (isPercent) {
    const auto share = parseDouble(text);
    if (!share || !(*share >= 0.0 && *share <= 100.0)) return false;
    end = SliceEnd{*share, true};
    return true;
  }
  const auto row = parseInt(text);
  if (!row || *row < 0) return false;
  end = SliceEnd{static_cast<double>(*row), false};
  return true;
}

std::int64_t rowOf(const SliceEnd& end, std::int64_t rows) {
  return end.isPercent ? std::llround(end.value / 100.0 * static_cast<double>(rows))
                       : static_cast<std::int64_t>(end.value);
}

}  // namespace

Result<Slice> Slice::parse(const std::string& text) {
  const std::string_view inside = trim(text);
  if (inside.size() < 3 || inside.front() != '[' || inside.back() != ']') return sliceError(text);
  const auto ends = splitFields(inside.substr(1, inside.size() - 2), ':');
  Slice slice;
  if (ends.size() != 2 || !parseEnd(ends[0], slice.first) || !parseEnd(ends[1], slice.last))
    return sliceError(text);
  const auto& [first, last] = slice;
  if (first && last && first->isPercent == last->isPercent && first->value >= last->value)
    return sliceError(text);
  return slice;
}

bool Slice::needsRowCount() const {
  return (first && first->isPercent) || (last && last->isPercent);
}

RowSlice Slice::of(std::int64_t rows) const {
  RowSlice slice;
  if (first) slice.first = rowOf(*first, rows);
  if (last) slice.last = rowOf(*last, rows);
  return slice;
}

experiment::Vocabulary asImported(experiment::Vocabulary spec) {
  if (!spec.leavesIdsOut()) return spec;
  spec.minCount = 1;
  spec.size = {};
  if (spec.oov == experiment::OovKind::kBuckets) spec.oov.reset();
  spec.oovBuckets = 1;
  return spec;
}

Status checkImportSettings(const experiment::Dataset& spec) {
  if (const auto& scale = spec.label.scale;
      scale &&
      !(std::isfinite((*scale)[0]) && std::isfinite((*scale)[1]) && (*scale)[0] < (*scale)[1]))
    return Error{
        ErrorCode::kInvalidDocument,
        fmt::format("label scale [{}, {}]; two numbers, the first the smaller, are accepted",
                    (*scale)[0], (*scale)[1]),
        "/dataset/label/scale"};
  if (spec.slice) {
    const auto slice = Slice::parse(*spec.slice);
    if (!slice) return slice.error();
  }
  if (spec.filter) {
    const auto filter = Filter::parse(*spec.filter);
    if (!filter) return filter.error();
  }
  return {};
}

namespace {

Result<std::string> hashOf(const experiment::Dataset& spec, int format, const Source& source,
                           const WorkContext& context) {
  Hasher hasher;
  hasher.update(canonical(spec, format).dump() + "\n");
  PARAPET_TRY(source.hashInto(hasher, context));
  PARAPET_TRY(hashVectors(spec, hasher, context));
  return hasher.hex();
}

}  // namespace

Result<std::string> importHash(const experiment::Dataset& spec, const Source& source,
                               const WorkContext& context) {
  return hashOf(spec, kFormat, source, context);
}

Result<bool> isOldImportHash(const std::string& hash, const experiment::Dataset& spec,
                             const Source& source, const WorkContext& context) {
  for (int format = kFirstFormat; format < kFormat; ++format) {
    PARAPET_ASSIGN(const std::string old, hashOf(spec, format, source, context));
    if (old == hash) return true;
  }
  return false;
}

}  // namespace parapet::data
