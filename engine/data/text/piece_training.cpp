// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/piece_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/text/piece_vocabulary.h"

namespace parapet::data {
namespace {

// The characters of a word, which is UTF-8.
std::vector<std::string_view> charactersOf(std::string_view word) {
  std::vector<std::string_view> characters;
  for (std::size_t first = 0, at = 1; at <= word.size(); ++at) {
    const bool goesOn = at < word.size() && (static_cast<unsigned char>(word[at]) & 0xC0) == 0x80;
    if (goesOn) continue;
    characters.push_back(word.substr(first, at - first));
    first = at;
  }
  return characters;
}

using WordCounts = std::vector<std::pair<std::string, std::int64_t>>;

// The most frequent characters, ties by code point.
std::map<std::string_view, std::int64_t> alphabetOf(const WordCounts& words, std::int64_t most) {
  std::map<std::string_view, std::int64_t> counts;  // bytes of UTF-8 sort as code points
  for (const auto& [word, count] : words)
    for (const std::string_view character : charactersOf(word)) counts[character] += count;
  std::vector<std::pair<std::string_view, std::int64_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, std::greater<>(),
                           &std::pair<std::string_view, std::int64_t>::second);
  for (std::size_t rank = static_cast<std::size_t>(most); rank < order.size(); ++rank)
    counts.erase(order[rank].first);
  return counts;
}

// The words whose characters are all in the alphabet, as characters, and the pieces of these.
struct Start {
  std::vector<std::string> pieces;
  std::vector<PieceMerger::Word> words;
};

Start startOf(const WordCounts& counts, std::int64_t alphabet) {
  const auto characters = alphabetOf(counts, alphabet);
  std::map<std::string, std::int32_t> pieces;
  std::vector<std::vector<std::string>> spelled;
  Start start;
  for (const auto& [word, count] : counts) {
    std::vector<std::string> own;
    for (const std::string_view character : charactersOf(word)) {
      if (!characters.contains(character)) break;
      own.push_back(std::string(own.empty() ? "" : PieceVocabulary::kContinuation));
      own.back() += character;
    }
    if (own.size() < charactersOf(word).size()) continue;
    for (const std::string& piece : own) pieces.emplace(piece, 0);
    spelled.push_back(std::move(own));
    start.words.push_back({{}, count});
  }
  for (auto& [piece, index] : pieces) {
    index = static_cast<std::int32_t>(start.pieces.size());
    start.pieces.push_back(piece);
  }
  for (std::size_t word = 0; word < spelled.size(); ++word)
    for (const std::string& piece : spelled[word])
      start.words[word].pieces.push_back(pieces.at(piece));
  return start;
}

}  // namespace

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

PieceTrainer::PieceTrainer(const PieceTraining& training)
    : training_(training), reader_(training.casing) {}

void PieceTrainer::add(std::string_view text) {
  reader_.begin(text);
  for (WordReader::Word word; reader_.next(word);) {
    if (word.isTooLong) continue;
    ++counts_[std::string(word.bytes)];
    ++occurrences_;
  }
}

Result<std::vector<std::string>> PieceTrainer::train(const WorkContext& context) {
  if (counts_.empty())
    return Error{ErrorCode::kData, "the corpus has no words; at least one is needed"};
  WordCounts counts(std::make_move_iterator(counts_.begin()),
                    std::make_move_iterator(counts_.end()));
  counts_.clear();
  std::ranges::sort(counts);
  Start start = startOf(counts, training_.alphabet);
  const auto special = std::ssize(PieceVocabulary::kSpecialNames);
  const std::int64_t least = special + std::ssize(start.pieces);
  if (training_.size < least)
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("a vocabulary of {} tokens has no room for the {} special tokens and "
                             "the {} characters of the corpus; at least {} are accepted",
                             formatCount(training_.size), special, formatCount(least - special),
                             formatCount(least))};
  PieceMerger merger(std::move(start.pieces), std::move(start.words));
  const std::int64_t wanted = training_.size - special;
  while (std::ssize(merger.pieces()) < wanted && merger.merge(training_.minCount)) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the vocabulary is not complete"};
    if (merger.pieces().size() % 256 == 0)
      context.report("merging pairs", std::ssize(merger.pieces()), wanted);
  }
  std::vector<std::string> pieces(PieceVocabulary::kSpecialNames.begin(),
                                  PieceVocabulary::kSpecialNames.end());
  pieces.insert(pieces.end(), merger.pieces().begin(), merger.pieces().end());
  return pieces;
}

}  // namespace parapet::data
