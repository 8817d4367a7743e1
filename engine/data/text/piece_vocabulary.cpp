// SPDX-License-Identifier: Apache-2.0
#include "engine/data/text/piece_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Far more than any vocabulary in use; a corpus that is taken for a vocabulary ends here.
constexpr std::int64_t kMaxPieces = 1 << 24;
constexpr std::size_t kMaxPieceBytes = 1000;

// What is wrong with a line as a piece; "" if nothing.
std::string reasonAgainst(std::string_view piece) {
  if (piece.empty()) return "the line is empty; a piece is accepted";
  if (piece.size() > kMaxPieceBytes)
    return fmt::format("a piece of {} bytes; at most {} are accepted", piece.size(),
                       kMaxPieceBytes);
  if (!isValidUtf8(piece))
    return fmt::format("\"{}\" is not UTF-8; a piece in UTF-8 is accepted", printable(piece));
  if (piece.find_first_of(std::string_view(" \t\0", 3)) != std::string_view::npos)
    return fmt::format("\"{}\" has a blank; a piece without blanks is accepted", printable(piece));
  if (piece == PieceVocabulary::kContinuation)
    return "\"##\" continues a word with nothing; a piece with a character is accepted";
  return {};
}

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
      return refuse(line, fmt::format("at most {} pieces are accepted", formatCount(kMaxPieces)));
    if (const auto [earlier, isNew] = lineOf.emplace(piece, line); !isNew)
      return refuse(line, fmt::format("\"{}\" is on line {} already; each piece once is accepted",
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

}  // namespace parapet::data
