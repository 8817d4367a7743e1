// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/fuzzy_match.h"

#include <algorithm>
#include <vector>

namespace parapet::ui {
namespace {

constexpr int kNoMatch = -1'000'000;
constexpr int kLetter = 1, kWordStart = 8, kNeighbour = 5;

}  // namespace

// best[j]: the best score of the letters so far with the last of them at text[j]. Each letter takes
// the best position before it, or the neighbour, which counts extra.
std::optional<int> fuzzyScore(const QString& typed, const QString& text) {
  QString letters;
  for (const QChar letter : typed)
    if (!letter.isSpace()) letters.append(letter.toCaseFolded());
  if (letters.isEmpty()) return 0;
  const auto size = static_cast<std::size_t>(text.size());
  std::vector<int> best(size, kNoMatch);
  bool first = true;
  for (const QChar letter : letters) {
    std::vector<int> next(size, kNoMatch);
    int reachable = first ? 0 : kNoMatch;
    for (std::size_t at = 0; at < size; ++at) {
      const QChar here = text.at(static_cast<qsizetype>(at));
      if (here.toCaseFolded() == letter) {
        const bool starts = at == 0 || !text.at(static_cast<qsizetype>(at) - 1).isLetterOrNumber();
        int score = reachable;
        if (!first && at > 0) score = std::max(score, best[at - 1] + kNeighbour);
        if (score > kNoMatch / 2) next[at] = score + kLetter + (starts ? kWordStart : 0);
      }
      if (!first) reachable = std::max(reachable, best[at]);
    }
    best = std::move(next);
    first = false;
  }
  const int score = size == 0 ? kNoMatch : *std::ranges::max_element(best);
  return score > 0 ? std::optional(score) : std::nullopt;
}

}  // namespace parapet::ui
