// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/text_sample.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/index.h"
#include "engine/data/ingest/shape/derived.h"
#include "engine/data/ingest/shape/filter.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/text/masking.h"

namespace parapet::data {
namespace {

/// The filter of a document over all columns of its texts and the derived ones.
struct LineFilter {
  std::optional<Filter> filter;
  std::optional<DerivedColumns> derived;

  static Result<LineFilter> over(const Source& source, const experiment::Dataset& spec) {
    LineFilter made;
    const auto expression = filterOf(spec);
    if (!expression) return made;
    PARAPET_ASSIGN(made.filter, Filter::parse(*expression));
    std::vector<std::string> names;
    for (const experiment::Derived& each : spec.derived)
      if (std::ranges::find(made.filter->columns(), each.name) != made.filter->columns().end())
        names.push_back(each.name);
    std::vector<SourceColumn> layout = source.columns();
    PARAPET_ASSIGN(made.derived, DerivedColumns::bind(spec.derived, names, layout));
    layout.insert(layout.end(), made.derived->layout().begin(), made.derived->layout().end());
    PARAPET_TRY(made.filter->bind(layout));
    return made;
  }

  void select(RowBlock& block, std::vector<std::uint8_t>& keep) const {
    keep.assign(static_cast<std::size_t>(block.rows), 1);
    if (!filter) return;
    derived->append(block);
    filter->select(block, keep);
  }
};

const ColumnValues& columnOf(const Source& source, const RowBlock& block, const char* name) {
  const auto found = std::ranges::find(source.columns(), name, &SourceColumn::name);
  return block.columns[static_cast<std::size_t>(found - source.columns().begin())];
}

PieceFate fateOf(const SequenceMasker::Selection& selected, std::int32_t mask) {
  if (selected.replacement == mask) return PieceFate::kMasked;
  return selected.replacement == selected.label ? PieceFate::kKept : PieceFate::kReplaced;
}

}  // namespace

Result<std::shared_ptr<const TextSample>> TextSample::read(const experiment::Dataset& spec,
                                                           std::int64_t lines,
                                                           const WorkContext& context) {
  PARAPET_ASSIGN(PieceVocabulary vocabulary, openPieces(spec));
  const std::shared_ptr<TextSample> sample(new TextSample(std::move(vocabulary)));
  PARAPET_TRY(sample->readLines(spec, lines, context));
  return std::shared_ptr<const TextSample>(sample);
}

Status TextSample::readLines(const experiment::Dataset& spec, std::int64_t lines,
                             const WorkContext& context) {
  PARAPET_ASSIGN(const auto source, openCorpus(spec));
  std::vector<ColumnRequest> requests;
  for (const SourceColumn& column : source->columns())
    requests.push_back({column.name, {}, "", ""});
  PARAPET_TRY(source->select(requests));
  PARAPET_ASSIGN(const LineFilter filter, LineFilter::over(*source, spec));
  Source::Piece piece;
  RowBlock block;
  std::vector<std::uint8_t> keep;
  while (size() < lines) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "not all lines were read"};
    PARAPET_ASSIGN(const bool more, source->next(piece));
    if (!more || (piece.part && *piece.part != experiment::SplitPart::kTrain)) break;
    PARAPET_TRY(source->parse(piece, block));
    filter.select(block, keep);
    const ColumnValues& texts = columnOf(*source, block, CorpusColumns::kText);
    const ColumnValues& tokens = columnOf(*source, block, experiment::kTokensColumn);
    for (std::size_t row = 0; row < keep.size() && size() < lines; ++row) {
      if (keep[row] == 0) continue;
      texts_.emplace_back(texts.texts[row]);
      for (auto i = tokens.offsets[row]; i < tokens.offsets[row + 1]; ++i)
        ids_.push_back(static_cast<std::int32_t>(tokens.integers[static_cast<std::size_t>(i)]));
      offsets_.push_back(ids_.size());
    }
  }
  return {};
}

std::vector<MaskedText> TextSample::masked(const experiment::Masking& masking, std::uint64_t seed,
                                           std::int64_t epoch) const {
  const MaskingPieces pieces = MaskingPieces::of(vocabulary_);
  std::size_t longest = 0;
  for (std::size_t line = 0; line < texts_.size(); ++line)
    longest = std::max(longest, offsets_[line + 1] - offsets_[line]);
  SequenceMasker masker(masking, pieces, seed, static_cast<std::int64_t>(longest));
  std::vector<MaskedText> masked;
  for (std::size_t line = 0; line < texts_.size(); ++line) {
    const auto ids = std::span(ids_).subspan(offsets_[line], offsets_[line + 1] - offsets_[line]);
    MaskedText text{texts_[line], {}};
    for (const std::int32_t id : ids) {
      const std::string piece(vocabulary_.piece(id));
      text.pieces.push_back({piece, piece});
    }
    for (const SequenceMasker::Selection& selected :
         masker.select(ids, epoch, static_cast<std::int64_t>(line))) {
      MaskedText::Piece& changed = text.pieces[at(selected.position)];
      changed.shown = vocabulary_.piece(selected.replacement);
      changed.fate = fateOf(selected, pieces.id(SpecialPiece::kMask));
    }
    masked.push_back(std::move(text));
  }
  return masked;
}

}  // namespace parapet::data
