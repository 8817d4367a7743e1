// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/piece_trie.h"

#include <algorithm>
#include <numeric>

namespace parapet::data {
namespace {

constexpr std::size_t kBytes = 256;
constexpr int kMaxTries = 16;

}  // namespace

// Pieces are sorted, so those below a node are a range; nodes are placed from the root down.
PieceTrie::PieceTrie(const PieceVocabulary& vocabulary) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(vocabulary.size()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::int32_t id) { return vocabulary.piece(id); });
  nodes_.resize(2 * kBytes);
  nodes_[0].check = 0;
  std::vector<Range> waiting{{0, order.size(), 0, 0}};
  std::vector<unsigned char> bytes;
  std::vector<std::size_t> starts;
  while (!waiting.empty()) {
    Range range = waiting.back();
    waiting.pop_back();
    const auto pieceAt = [&](std::size_t index) { return vocabulary.piece(order[index]); };
    if (range.depth == PieceVocabulary::kContinuation.size() &&
        pieceAt(range.first).starts_with(PieceVocabulary::kContinuation))
      continuation_ = range.node;
    if (pieceAt(range.first).size() == range.depth)
      nodes_[static_cast<std::size_t>(range.node)].id = order[range.first++];
    bytes.clear();
    starts.clear();
    for (std::size_t index = range.first; index < range.last; ++index) {
      const auto byte = static_cast<unsigned char>(pieceAt(index)[range.depth]);
      if (!bytes.empty() && bytes.back() == byte) continue;
      bytes.push_back(byte);
      starts.push_back(index);
    }
    if (bytes.empty()) continue;
    starts.push_back(range.last);
    const std::int32_t base = placeChildren(bytes);
    nodes_[static_cast<std::size_t>(range.node)].base = base;
    for (std::size_t child = 0; child < bytes.size(); ++child) {
      const std::int32_t node = base + bytes[child];
      nodes_[static_cast<std::size_t>(node)].check = range.node;
      waiting.push_back({starts[child], starts[child + 1], range.depth + 1, node});
    }
  }
}

// A base at which the nodes of all bytes are free. Where many free nodes do not fit, they are left
// to single children and the search goes on behind them.
std::int32_t PieceTrie::placeChildren(const std::vector<unsigned char>& bytes) {
  std::size_t& start = firstFree_[bytes.size() == 1 ? 0 : 1];
  int tries = 0;
  for (std::size_t candidate = std::max<std::size_t>(start, bytes.front() + std::size_t{1});;
       ++candidate) {
    // Every base has room for all bytes behind it.
    if (candidate + kBytes >= nodes_.size()) nodes_.resize(2 * nodes_.size());
    if (nodes_[candidate].check != kNone) continue;
    const std::size_t base = candidate - bytes.front();
    const auto isFree = [&](unsigned char byte) { return nodes_[base + byte].check == kNone; };
    const bool fits = std::ranges::all_of(bytes, isFree);
    if (bytes.size() == 1 || ++tries == kMaxTries) start = candidate;
    if (fits) return static_cast<std::int32_t>(base);
  }
}

}  // namespace parapet::data
