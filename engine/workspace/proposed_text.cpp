// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/proposed_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/base/quoting.h"
#include "engine/data/ingest/sources/corpus_files.h"
#include "engine/data/ingest/sources/text_lines.h"
#include "engine/experiment/experiment.h"

namespace parapet::workspace {
namespace {

namespace fs = std::filesystem;
using experiment::Experiment;

constexpr const char* kRecipe = "bert-tiny-mlm";
constexpr std::int64_t kLongLine = 101;  // bytes: longer than headings

/// Whether headings and fragments stand among the lines of a file.
bool mixesLongAndShort(const data::CorpusFile& file) {
  constexpr int kLines = 200;
  const auto input = data::openCorpusFile(file);
  data::Source::Piece piece;
  if (!input) return false;
  if (const auto more = (*input)->next(piece); !more || !*more) return false;
  int lines = 0, longOnes = 0;
  std::string_view rest = piece.text;
  for (int read = 0; read < 4 * kLines && lines < kLines && !rest.empty(); ++read) {
    const std::string_view line = data::takeLine(rest);
    if (line.find_first_not_of(" \r\t") == line.npos) continue;
    ++lines;
    longOnes += static_cast<std::int64_t>(line.size()) >= kLongLine ? 1 : 0;
  }
  return 4 * longOnes >= lines && longOnes < lines;
}

std::string fileNamesOf(const data::CorpusFiles& corpus) {
  std::string names;
  for (const data::CorpusFile& file : corpus.files)
    names += (names.empty() ? "" : ", ") + file.name;
  return names;
}

void proposeTexts(Proposal& proposal, const experiment::Dataset& corpus) {
  experiment::Dataset& spec = proposal.experiment.dataset;
  const auto say = [&proposal](const char* pointer, std::string reason) {
    proposal.reasons.push_back({pointer, std::move(reason)});
  };
  spec.path = corpus.path;
  const auto files = data::findCorpus(corpus);
  say("/dataset/source", files ? fmt::format("lines of text: {}", fileNamesOf(*files))
                               : "lines of text, which have neither users nor items");
  const bool found = !corpus.text->vocabulary.empty();
  spec.text->vocabulary = found ? corpus.text->vocabulary : "vocab.txt";
  spec.text->lowercase = corpus.text->lowercase;
  const fs::path path(*corpus.path);
  std::error_code ignored;
  const fs::path folder = fs::is_directory(path, ignored) ? path : path.parent_path();
  if (!found)
    proposal.commandBefore =
        fmt::format("parapet-cli vocabulary {} --size 8000 --out {}", shellWord(path.string()),
                    shellWord((folder / "vocab.txt").string()));
  say("/dataset/text/vocabulary",
      found ? fmt::format("{} lies beside the texts", spec.text->vocabulary)
            : fmt::format("no vocabulary of pieces lies beside the texts; train one: `{}`",
                          proposal.commandBefore));
  say("/dataset/text/lowercase", spec.text->lowercase
                                     ? "lower case: fewer pieces for the same words"
                                     : "the name of the vocabulary says that it has capitals");
  const bool mixed =
      files && files->files.front().archive.empty() && mixesLongAndShort(files->files.front());
  spec.text->minBytes = mixed ? kLongLine : 0;
  say("/dataset/text/min_bytes",
      mixed ? "shorter lines are headings and fragments" : "all lines: they are of like length");
  if (files && files->files.front().trainingLines > 0)
    say("/dataset/split", files->warnings.front());
  else
    say("/dataset/split", "by the files of the corpus");
}

void sayModel(Proposal& proposal) {
  const Experiment& out = proposal.experiment;
  const auto say = [&proposal](const char* pointer, std::string reason) {
    proposal.reasons.push_back({pointer, std::move(reason)});
  };
  say("/dataset/text/max_length",
      fmt::format("{} pieces: attention grows with their square", out.dataset.text->maxLength));
  say("/model/kind", "texts have no labels: the model predicts pieces that are masked");
  say("/model/masking", "15 % of the pieces, as BERT was trained");
  say("/model/layers",
      fmt::format("those of the recipe {}: two blocks learn on a CPU in minutes", kRecipe));
  say("/training/epochs", fmt::format("{}, as the recipe", out.training.epochs));
}

}  // namespace

Result<Proposal> proposeLanguageModel(const experiment::Dataset& corpus) {
  PARAPET_ASSIGN(const experiment::Recipe recipe, experiment::findRecipe(kRecipe));
  PARAPET_ASSIGN(const auto document, experiment::parseJson(recipe.text, recipe.name));
  Proposal proposal;
  proposal.experiment = experiment::parse(document).experiment;
  proposeTexts(proposal, corpus);
  sayModel(proposal);
  return proposal;
}

}  // namespace parapet::workspace
