// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/masking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parapet::data {
namespace {

constexpr double kTwoPow32 = 4294967296.0;
constexpr int kPositionBits = 16;

}  // namespace

MaskingPieces MaskingPieces::of(const PieceVocabulary& vocabulary) {
  return {vocabulary.size(), vocabulary.specialIds()};
}

Result<MaskingPieces> MaskingPieces::of(const Vocabulary& vocabulary) {
  MaskingPieces pieces{.size = vocabulary.size()};
  for (std::size_t special = 0; special < pieces.special.size(); ++special) {
    const std::string_view name = PieceVocabulary::kSpecialNames[special];
    const auto row = vocabulary.row(name);
    if (!row)
      return Error{ErrorCode::kData, fmt::format("the vocabulary \"{}\" has no token {}; that of a "
                                                 "text is accepted",
                                                 vocabulary.name(), name)};
    pieces.special[special] = *row;
  }
  return pieces;
}

SequenceMasker::SequenceMasker(const experiment::Masking& masking, const MaskingPieces& pieces,
                               std::uint64_t seed, std::int64_t maxLength)
    : masking_(masking), pieces_(pieces), seed_(seed) {
  candidates_.reserve(static_cast<std::size_t>(maxLength));
  selections_.reserve(static_cast<std::size_t>(std::min(maxLength, masking.maxSelections)));
}

// How many of the candidates, the smallest draws first, are selected.
std::size_t SequenceMasker::countSelected() const {
  if (candidates_.empty()) return 0;
  std::size_t count = 0;
  if (masking_.method == experiment::MaskingMethod::kExact) {
    const double share = masking_.rate * static_cast<double>(candidates_.size());
    count = static_cast<std::size_t>(std::max(1.0, std::floor(share + 0.5)));
  } else {
    const double bound = masking_.rate * kTwoPow32;
    count =
        static_cast<std::size_t>(std::ranges::count_if(candidates_, [bound](const Candidate& each) {
          return static_cast<double>(each.draw) < bound;
        }));
  }
  return std::min({count, candidates_.size(), static_cast<std::size_t>(masking_.maxSelections)});
}

std::span<const SequenceMasker::Selection> SequenceMasker::select(std::span<const std::int32_t> ids,
                                                                  std::int64_t epoch,
                                                                  std::int64_t example) {
  if (std::ssize(ids) > kMaxPositions)
    throw InvalidArgument(
        fmt::format("[SequenceMasker.select] {} positions; at most {} are accepted", ids.size(),
                    kMaxPositions));
  const Random random(seed_, RandomPurpose::kMasking, static_cast<std::uint64_t>(epoch));
  const auto indexOf = [example](std::int32_t position) {
    return (static_cast<std::uint64_t>(example) << kPositionBits) |
           static_cast<std::uint64_t>(position);
  };
  candidates_.clear();
  for (std::int32_t position = 0; position < std::ssize(ids); ++position)
    if (!pieces_.isSpecial(ids[static_cast<std::size_t>(position)]))
      candidates_.push_back({random.words(indexOf(position))[0], position});
  const std::size_t count = countSelected();
  const auto byDraw = [](const Candidate& a, const Candidate& b) {
    return a.draw != b.draw ? a.draw < b.draw : a.position < b.position;
  };
  const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(count);
  if (count < candidates_.size())
    std::nth_element(candidates_.begin(), end, candidates_.end(), byDraw);
  std::sort(candidates_.begin(), end,
            [](const Candidate& a, const Candidate& b) { return a.position < b.position; });
  selections_.clear();
  for (const Candidate& each : std::span(candidates_).first(count)) {
    const auto words = random.words(indexOf(each.position));
    const std::int32_t label = ids[static_cast<std::size_t>(each.position)];
    const double fate = static_cast<double>(words[1]) / kTwoPow32;
    std::int32_t replacement = label;
    if (fate < masking_.mask)
      replacement = pieces_.id(SpecialPiece::kMask);
    else if (fate < masking_.mask + masking_.random)
      replacement = static_cast<std::int32_t>(
          (std::uint64_t{words[2]} * static_cast<std::uint64_t>(pieces_.size)) >> 32);
    selections_.push_back({each.position, label, replacement});
  }
  return selections_;
}

BatchMasker::BatchMasker(const experiment::Masking& masking, const MaskingPieces& pieces,
                         std::uint64_t seed, const Capacity& capacity)
    : masker_(masking, pieces, seed, capacity.length), capacity_(capacity) {
  // Whichever is smaller: a long batch has few selections a sequence, a short one few positions.
  const std::int64_t masked =
      std::min(capacity.positions, capacity.examples * masker_.maxSelections());
  ids_.resize(static_cast<std::size_t>(capacity.positions));
  offsets_.resize(static_cast<std::size_t>(capacity.examples) + 1);
  positions_.resize(static_cast<std::size_t>(masked));
  labels_.resize(static_cast<std::size_t>(masked));
  weights_.assign(static_cast<std::size_t>(masked), 1.0f);
}

const MaskedBatch& BatchMasker::mask(const FeatureIds& tokens, std::int64_t epoch,
                                     std::int64_t firstExample) {
  const std::int64_t examples = std::ssize(tokens.offsets) - 1;
  if (examples < 0) throw InvalidArgument("[BatchMasker.mask] the feature has no offsets");
  if (examples > capacity_.examples || std::ssize(tokens.ids) > capacity_.positions)
    throw InvalidArgument(
        fmt::format("[BatchMasker.mask] {} examples with {} positions; at most {} with {} are "
                    "accepted",
                    examples, tokens.ids.size(), capacity_.examples, capacity_.positions));
  std::ranges::copy(tokens.ids, ids_.begin());
  std::size_t masked = 0;
  offsets_[0] = 0;
  for (std::int64_t example = 0; example < examples; ++example) {
    const auto at = static_cast<std::size_t>(example);
    const auto first = static_cast<std::size_t>(tokens.offsets[at]);
    const auto last = static_cast<std::size_t>(tokens.offsets[at + 1]);
    for (const SequenceMasker::Selection& selection :
         masker_.select(tokens.ids.subspan(first, last - first), epoch, firstExample + example)) {
      const auto position = first + static_cast<std::size_t>(selection.position);
      ids_[position] = selection.replacement;
      positions_[masked] = static_cast<std::int32_t>(position);
      labels_[masked++] = selection.label;
    }
    offsets_[at + 1] = static_cast<std::int32_t>(masked);
  }
  batch_ = {std::span(ids_).first(tokens.ids.size()), std::span(positions_).first(masked),
            std::span(offsets_).first(static_cast<std::size_t>(examples) + 1),
            std::span(labels_).first(masked), std::span(weights_).first(masked)};
  return batch_;
}

}  // namespace parapet::data
