// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <memory>

#include "engine/base/files.h"
#include "engine/data/text/word_piece.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/engine/benches.h"

namespace parapet::bench {
namespace {

struct Arguments {
  Settings settings;
  std::string vocabulary, corpus, ids;
  bool cased = false;
};

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The ids of every line, on a line each: what the harness compares with those of its peer.
void writeIds(const std::string& path, const data::WordPiece& encoder,
              const std::vector<std::string_view>& lines) {
  std::ofstream file(path);
  std::vector<std::int32_t> ids;
  for (const std::string_view line : lines) {
    ids.clear();
    encoder.encode(line, ids);
    for (const std::int32_t id : ids) file << id << ' ';
    file << '\n';
  }
  if (!file.flush()) throw InternalError("cannot write " + path);
}

void runWordPiece(const Arguments& arguments) {
  auto vocabulary = data::PieceVocabulary::read(arguments.vocabulary);
  if (!vocabulary.ok()) throw InternalError(vocabulary.error().text());
  const auto text = MappedFile::open(arguments.corpus);
  if (!text.ok()) throw InternalError(text.error().text());
  const data::WordPiece encoder(std::move(*vocabulary),
                                arguments.cased ? data::Casing::kCased : data::Casing::kUncased);
  const std::vector<std::string_view> lines = linesOf(text->text());
  std::vector<std::int32_t> ids;
  const Timing timing = measure(arguments.settings.budget, [&] {
    ids.clear();
    for (const std::string_view line : lines) encoder.encode(line, ids);
  });
  if (!arguments.ids.empty()) writeIds(arguments.ids, encoder, lines);
  nlohmann::json line = toJson(timing);
  line["bytes"] = text->text().size();
  line["ids"] = ids.size();
  printLine(line);
}

}  // namespace

void addWordPiece(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("word-piece", "data::WordPiece over the lines of a text, one thread");
  const auto arguments = std::make_shared<Arguments>();
  arguments->settings.addTo(*command);
  command->add_option("--vocabulary", arguments->vocabulary)->required();
  command->add_option("--corpus", arguments->corpus)->required();
  command->add_option("--ids", arguments->ids, "File to write the ids to");
  command->add_flag("--cased", arguments->cased);
  command->callback([arguments] { runWordPiece(*arguments); });
}

}  // namespace parapet::bench
