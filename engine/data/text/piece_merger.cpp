// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/piece_merger.h"

#include <tuple>
#include <utility>

#include "engine/data/text/piece_vocabulary.h"

namespace parapet::data {

// The queue gives its largest first: the highest count, then the smallest indices.
bool PieceMerger::Candidate::operator<(const Candidate& other) const {
  return std::tuple(count, other.pair.left, other.pair.right) <
         std::tuple(other.count, pair.left, pair.right);
}

PieceMerger::PieceMerger(std::vector<std::string> pieces, std::vector<Word> words)
    : pieces_(std::move(pieces)), words_(std::move(words)) {
  for (std::size_t index = 0; index < pieces_.size(); ++index)
    indexOf_.emplace(pieces_[index], static_cast<std::int32_t>(index));
  for (std::size_t word = 0; word < words_.size(); ++word) {
    const auto& [own, count] = words_[word];
    for (std::size_t at = 0; at + 1 < own.size(); ++at)
      change({own[at], own[at + 1]}, count, static_cast<std::int32_t>(word));
  }
  for (const auto& [pair, found] : pairs_) queue_.push({found.count, pair});
  grown_.clear();
}

// Counts fall while their candidates wait: one that is out of date is queued again with its count.
std::optional<PieceMerger::Candidate> PieceMerger::mostFrequent() {
  while (!queue_.empty()) {
    const Candidate candidate = queue_.top();
    queue_.pop();
    const auto found = pairs_.find(candidate.pair);
    if (found == pairs_.end() || found->second.count <= 0) continue;
    if (found->second.count == candidate.count) return candidate;
    if (found->second.count < candidate.count) queue_.push({found->second.count, candidate.pair});
  }
  return std::nullopt;
}

bool PieceMerger::merge(std::int64_t minCount) {
  const auto best = mostFrequent();
  if (!best || best->count < minCount) return false;
  const std::int32_t merged = pieceOf(best->pair);
  const std::vector<std::int32_t> words = std::move(pairs_[best->pair].words);
  grown_.clear();
  for (const std::int32_t word : words) mergeIn(word, best->pair, merged);
  pairs_.erase(best->pair);
  for (const Pair& pair : grown_)
    if (const auto found = pairs_.find(pair); found != pairs_.end())
      queue_.push({found->second.count, pair});
  return true;
}

// The piece that a pair becomes: its texts, the second without "##".
std::int32_t PieceMerger::pieceOf(const Pair& pair) {
  std::string text = pieces_[static_cast<std::size_t>(pair.left)];
  text += std::string_view(pieces_[static_cast<std::size_t>(pair.right)])
              .substr(PieceVocabulary::kContinuation.size());
  const auto [found, isNew] =
      indexOf_.emplace(std::move(text), static_cast<std::int32_t>(pieces_.size()));
  if (isNew) pieces_.push_back(found->first);
  return found->second;
}

void PieceMerger::mergeIn(std::int32_t word, const Pair& pair, std::int32_t merged) {
  auto& [own, count] = words_[static_cast<std::size_t>(word)];
  for (std::size_t at = 0; at + 1 < own.size(); ++at) {
    if (own[at] != pair.left || own[at + 1] != pair.right) continue;
    if (at > 0) {
      change({own[at - 1], pair.left}, -count, word);
      change({own[at - 1], merged}, count, word);
    }
    if (at + 2 < own.size()) {
      change({pair.right, own[at + 2]}, -count, word);
      change({merged, own[at + 2]}, count, word);
    }
    own[at] = merged;
    own.erase(own.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

void PieceMerger::change(const Pair& pair, std::int64_t by, std::int32_t word) {
  Occurrences& found = pairs_[pair];
  found.count += by;
  if (by < 0) return;
  if (found.words.empty() || found.words.back() != word) found.words.push_back(word);
  grown_.push_back(pair);
}

}  // namespace parapet::data
