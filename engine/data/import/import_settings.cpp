// SPDX-License-Identifier: Apache-2.0
#include "engine/data/import/import_settings.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/data/shape/vocabulary_builder.h"

namespace parapet::data {
namespace {

// Changes when an import of the same bytes would give other column files.
constexpr int kFormat = 1;

std::string sizeText(const experiment::VocabularySize& size) {
  using Kind = experiment::VocabularySize::Kind;
  switch (size.kind) {
    case Kind::kAuto:
      return "auto";
    case Kind::kMaxPlusOne:
      return "max+1";
    case Kind::kCataloguePlusOne:
      return "catalogue+1";
    case Kind::kFixed:
      break;
  }
  return fmt::format("{}", size.fixed);
}

// One line per setting. Every text in it has been checked against a list, so lines are unambiguous.
std::string canonicalText(const experiment::Dataset& spec) {
  std::string text = fmt::format("format {}\nsource {}\nlabel {}\n", kFormat, spec.source,
                                 spec.label.column.value_or(""));
  if (spec.label.scale)
    text += fmt::format("scale {} {}\n", (*spec.label.scale)[0], (*spec.label.scale)[1]);
  if (spec.weight) text += fmt::format("weight {}\n", *spec.weight);
  for (const auto& vocabulary : spec.vocabularies)
    text +=
        fmt::format("vocabulary {} {} {} {}\n", vocabulary.name, static_cast<int>(vocabulary.kind),
                    sizeText(vocabulary.size), vocabulary.minCount);
  return text;
}

}  // namespace

Status checkImportSettings(const experiment::Dataset& spec) {
  if (const auto& scale = spec.label.scale;
      scale &&
      !(std::isfinite((*scale)[0]) && std::isfinite((*scale)[1]) && (*scale)[0] < (*scale)[1]))
    return Error{
        ErrorCode::kInvalidDocument,
        fmt::format("label scale [{}, {}]; two numbers, the first the smaller, are accepted",
                    (*scale)[0], (*scale)[1]),
        "/dataset/label/scale"};
  for (const char* column : {"user", "item"}) {
    const auto plan = planVocabulary(spec, column);
    if (!plan) return plan.error();
  }
  return {};
}

Result<std::string> importHash(const experiment::Dataset& spec, const RowSource& source,
                               const WorkContext& context) {
  Hasher hasher;
  hasher.update(canonicalText(spec));
  PARAPET_TRY(source.hashInto(hasher, context));
  return hasher.hex();
}

}  // namespace parapet::data
