// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/piece_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Far more than any vocabulary in use; a corpus that is taken for a vocabulary ends here.
constexpr std::int64_t kMaxPieces = 1 << 24;
constexpr std::size_t kMaxPieceBytes = 1000;

// The fault of a line as a piece; "" if there is none.
std::string reasonAgainst(std::string_view piece) {
  if (piece.empty()) return "the line is empty; a token is accepted";
  if (piece.size() > kMaxPieceBytes)
    return fmt::format("a token of {} bytes; at most {} are accepted", piece.size(),
                       kMaxPieceBytes);
  if (!isValidUtf8(piece))
    return fmt::format("\"{}\" is not UTF-8; a token in UTF-8 is accepted", printable(piece));
  if (piece.find_first_of(std::string_view(" \t\0", 3)) != std::string_view::npos)
    return fmt::format("\"{}\" has a blank; a token without blanks is accepted", printable(piece));
  if (piece == PieceVocabulary::kContinuation)
    return "\"##\" continues a word with nothing; a token with a character is accepted";
  return {};
}

constexpr std::size_t kBytes = 256;
constexpr int kMaxTries = 16;

}  // namespace

Result<PieceVocabulary> PieceVocabulary::read(const std::filesystem::path& path) {
  PARAPET_ASSIGN(const std::string text, readFile(path));
  return parse(text, path.string());
}

Result<PieceVocabulary> PieceVocabulary::parse(std::string_view text, const std::string& path) {
  const auto refuse = [&path](std::int64_t line, const std::string& what) {
    Error error{ErrorCode::kData, fmt::format("{}: line {}: {}", path, line, what), "", path};
    error.line = line;
    return error;
  };
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  PieceVocabulary vocabulary;
  std::unordered_map<std::string_view, std::int64_t> lineOf;
  for (std::int64_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view piece = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (piece.ends_with('\r')) piece.remove_suffix(1);
    if (const std::string reason = reasonAgainst(piece); !reason.empty())
      return refuse(line, reason);
    if (line > kMaxPieces)
      return refuse(line, fmt::format("at most {} tokens are accepted", formatCount(kMaxPieces)));
    if (const auto [earlier, isNew] = lineOf.emplace(piece, line); !isNew)
      return refuse(line, fmt::format("\"{}\" is on line {} already; each token once is accepted",
                                      printable(piece), earlier->second));
    vocabulary.bytes_ += piece;
    vocabulary.ends_.push_back(vocabulary.bytes_.size());
  }
  for (std::size_t special = 0; special < kSpecialNames.size(); ++special) {
    const auto found = lineOf.find(kSpecialNames[special]);
    if (found == lineOf.end()) {
      const std::vector<std::string> names(kSpecialNames.begin(), kSpecialNames.end());
      Error error{ErrorCode::kData,
                  fmt::format("{}: none of its {} lines is {}; a WordPiece vocabulary has {}", path,
                              formatCount(vocabulary.size()), kSpecialNames[special], join(names)),
                  "", path};
      error.line = vocabulary.size();
      return error;
    }
    vocabulary.special_[special] = static_cast<std::int32_t>(found->second - 1);
  }
  return vocabulary;
}

bool PieceVocabulary::isSpecial(std::int32_t id) const {
  return std::ranges::find(special_, id) != special_.end();
}

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
