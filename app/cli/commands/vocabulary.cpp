// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/output.h"
#include "engine/base/atomic_file.h"
#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"

namespace parapet::cli {
namespace {

struct VocabularyArguments {
  std::string corpus, out;
  std::optional<std::int64_t> size, minCount, alphabet;
  bool cased = false, force = false;
};

Answer vocabulary(Invocation& invocation, const VocabularyArguments& arguments) {
  // Known before the corpus is read, which may take long.
  PARAPET_TRY(checkOut(arguments.out, arguments.force, "the vocabulary"));
  workspace::PieceTraining training;
  training.size = arguments.size.value_or(training.size);
  training.minCount = arguments.minCount.value_or(training.minCount);
  training.alphabet = arguments.alphabet.value_or(training.alphabet);
  if (arguments.cased) training.casing = workspace::Casing::kCased;
  PARAPET_ASSIGN(const auto trained,
                 workspace::trainPieces(arguments.corpus, training, invocation.work()));
  for (const std::string& warning : trained.warnings) printWarning(warning);
  const std::string text = trained.text();
  PARAPET_TRY(writeFileAtomically(arguments.out, text));
  const std::int64_t size = std::ssize(trained.pieces);
  return Answer::of(
      Json{{"path", arguments.out},
           {"size", size},
           {"lines", trained.lines},
           {"rejected", trained.rejected},
           {"words", trained.words},
           {"bytes", text.size()},
           {"seconds", number(trained.seconds)},
           {"warnings", trained.warnings}},
      fmt::format("{} tokens from {} words of {} lines, written to {} in {}.\n", formatCount(size),
                  formatCount(trained.words), formatCount(trained.lines), arguments.out,
                  formatDuration(trained.seconds)));
}

}  // namespace

void addVocabulary(CLI::App& program, Invocation& invocation) {
  const workspace::PieceTraining defaults;
  CLI::App* command =
      program.add_subcommand("vocabulary", "Train a WordPiece vocabulary on a corpus");
  command->footer(
      "The pair of neighbouring tokens that occurs most often becomes a token, until there are "
      "enough.\n"
      "Example: parapet-cli vocabulary wikitext-2 --size 8000 --out vocab.txt");
  const auto arguments = std::make_shared<VocabularyArguments>();
  command
      ->add_option(
          "CORPUS", arguments->corpus,
          "A file of text, or a folder or zip with wiki.train.tokens, wiki.train.raw or train.txt")
      ->required();
  addInteger(*command, "--size", arguments->size, 6,
             fmt::format("Tokens, the five special ones included [{}]", defaults.size));
  command->add_option("--out", arguments->out, "Where to write the vocabulary")
      ->required()
      ->type_name("FILE");
  command->add_flag("--cased", arguments->cased,
                    "Distinguish upper from lower case, and keep accents");
  addInteger(*command, "--min-count", arguments->minCount, 1,
             fmt::format("Rarer pairs do not become a token [{}]", defaults.minCount));
  addInteger(*command, "--alphabet", arguments->alphabet, 1,
             fmt::format("Max. characters, the most frequent ones [{}]", defaults.alphabet));
  command->add_flag("--force", arguments->force, "Replace a file that is there");
  onRun(*command, invocation,
        [&invocation, arguments] { return vocabulary(invocation, *arguments); });
}

}  // namespace parapet::cli
