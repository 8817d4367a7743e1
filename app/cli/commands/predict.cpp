// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/predict.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/json_lines.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/atomic_file.h"
#include "engine/base/files.h"
#include "engine/base/quoting.h"
#include "engine/base/text.h"
#include "engine/workspace/masked_model.h"

namespace parapet::cli {
namespace {

struct PredictArguments {
  std::string run, input, out, checkpoint = "last";
  std::optional<std::string> text;
  std::int64_t k = 5;
  std::string attention;  ///< "LAYER,HEAD", from 1
  bool fromStdin = false;
};

std::string csvOf(const std::vector<workspace::RowScore>& scores) {
  std::string text = "row,score\n";
  for (const workspace::RowScore& each : scores)
    text += fmt::format("{},{}\n", each.row, each.score);
  return text;
}

// Warnings of the checkpoint, then those of the file.
std::vector<std::string> warningsOf(const workspace::RowScores& scores) {
  std::vector<std::string> warnings = scores.warnings;
  for (const workspace::UnknownIds& unknown : scores.unknown)
    warnings.push_back(fmt::format(
        "column \"{}\": {} unknown to the run, such as \"{}\"; read as the row of unknown ids",
        unknown.column, counted(unknown.ids, "id"), printable(unknown.example)));
  if (scores.rejectedLines.empty()) return warnings;
  const data::RejectedLine& first = scores.rejectedLines.front();
  warnings.push_back(fmt::format("{} rejected, the first at {}:{}: {}",
                                 counted(scores.rejected, "line"), first.path, first.line,
                                 first.reason));
  return warnings;
}

Json rowJson(const workspace::RowScore& score, std::int64_t step,
             const std::vector<std::string>& warnings) {
  return Json{{"row", score.row},
              {"score", number(static_cast<double>(score.score))},
              {"step", step},
              {"warnings", warnings}};
}

Json guessesJson(const std::vector<workspace::PieceGuess>& guesses) {
  Json list = Json::array();
  for (const workspace::PieceGuess& guess : guesses)
    list.push_back(Json{{"piece", guess.piece}, {"probability", number(guess.probability)}});
  return list;
}

struct InputText {
  std::int64_t line = 1;
  std::string text;
};

/// The text of the command line, or the lines of the file that are not blank.
Result<std::vector<InputText>> textsOf(const PredictArguments& arguments) {
  if (arguments.text) return std::vector<InputText>{{1, *arguments.text}};
  const auto all = readFile(arguments.input);
  if (!all) return all.error();
  std::istringstream stream{std::string(withoutByteOrderMark(*all))};
  std::vector<InputText> texts;
  std::int64_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (!trim(line).empty()) texts.push_back({number, std::string(trim(line))});
  }
  if (texts.empty())
    return Error{.code = ErrorCode::kData,
                 .message = fmt::format("{} has no line of text", arguments.input),
                 .path = arguments.input};
  return texts;
}

/// Says in which line of the file a text is that cannot be filled.
Error inLine(const Error& error, const PredictArguments& arguments, std::int64_t line) {
  if (arguments.text) return error;
  Error wrapped = error.wrap(fmt::format("{}:{}", arguments.input, line));
  wrapped.code = ErrorCode::kData;
  wrapped.path = arguments.input;
  wrapped.line = line;
  return wrapped;
}

/// Layer and head, both from 1.
Result<std::pair<std::int64_t, std::int64_t>> parseAttention(const std::string& text) {
  const auto parts = splitFields(text, ',');
  const auto layer = parseInt(parts[0]);
  const auto head = parts.size() == 2 ? parseInt(parts[1]) : std::nullopt;
  if (!layer || !head)
    return wrongArgument(fmt::format(
        "--attention: \"{}\" is not accepted; accepted: LAYER,HEAD, both counted from 1, as in 2,1",
        printable(text)));
  return std::pair(*layer, *head);
}

/// Shows which tokens of the text a head of a layer reads.
Answer showAttention(workspace::MaskedModel& model, const PredictArguments& arguments) {
  PARAPET_ASSIGN(const auto asked, parseAttention(arguments.attention));
  const auto [layer, head] = asked;
  PARAPET_ASSIGN(const auto map, model.attention(*arguments.text, layer - 1, head - 1));
  TextTable table({{"token"}, {"reads most"}, {"probability", Align::kRight}});
  Json rows = Json::array();
  for (std::size_t reader = 0; reader < map.pieces.size(); ++reader) {
    Json row = Json::array();
    std::size_t most = 0;
    for (std::size_t read = 0; read < map.pieces.size(); ++read) {
      row.push_back(number(map.at(reader, read)));
      if (map.at(reader, read) > map.at(reader, most)) most = read;
    }
    rows.push_back(std::move(row));
    table.add({terminalText(map.pieces[reader], LineEnds::kEscape),
               terminalText(map.pieces[most], LineEnds::kEscape),
               fmt::format("{:.4f}", map.at(reader, most))});
  }
  return Answer::of(Json{{"layer", layer},
                         {"head", head},
                         {"step", model.step()},
                         {"pieces", map.pieces},
                         {"probabilities", std::move(rows)},
                         {"warnings", model.warnings()}},
                    table.text());
}

/// A row that cannot be scored, or a text that cannot be filled: `named` is what its answer has else.
Json failedLine(const Error& error, std::int64_t line, Json named) {
  const Error of = ofLine(error, line);
  writeStderr("error: " + of.text());
  named["error"] = errorJson(of);
  return named;
}

/// Fills the masks of texts as they arrive on stdin, each a JSON object {"text": "…"}.
Answer fillLines(workspace::MaskedModel& model, std::int64_t k) {
  return answerLines([&](std::string_view text, std::int64_t line) {
    Json answer{{"line", line},
                {"masked", nullptr},
                {"step", model.step()},
                {"warnings", model.warnings()}};
    const auto row = objectOf(text);
    if (!row.ok()) return failedLine(row.error(), line, std::move(answer));
    if (row->size() != 1 || !row->contains("text") || !(*row)["text"].is_string())
      return failedLine(
          wrongArgument("the keys are not those of a text; accepted: {\"text\": \"…\"}"), line,
          std::move(answer));
    const auto filled = model.fill((*row)["text"].get<std::string>(), k);
    if (!filled.ok()) return failedLine(filled.error(), line, std::move(answer));
    answer["masked"] = Json::array();
    for (const workspace::MaskedPosition& masked : filled->masked)
      answer["masked"].push_back(
          Json{{"position", masked.position}, {"pieces", guessesJson(masked.pieces)}});
    return answer;
  });
}

/// Scores rows as they arrive on stdin, each a JSON object.
Answer scoreLines(workspace::RowPredictor& predictor) {
  std::int64_t row = -1;
  return answerLines([&](std::string_view text, std::int64_t line) {
    ++row;
    const auto object = objectOf(text);
    auto scores =
        object.ok() ? predictor.score(text) : Result<workspace::RowScores>(object.error());
    if (!scores.ok())
      return failedLine(scores.error(), line,
                        Json{{"row", row},
                             {"score", nullptr},
                             {"step", predictor.step()},
                             {"warnings", predictor.warnings()}});
    std::vector<std::string> warnings = warningsOf(*scores);
    printWarnings(warnings);
    warnings.insert(warnings.begin(), predictor.warnings().begin(), predictor.warnings().end());
    return rowJson({row, scores->scores.front().score}, scores->step, warnings);
  });
}

/// Shows the tokens that the model proposes for each [MASK] of the texts.
Answer fillMasks(Invocation& invocation, workspace::Workspace& opened,
                 const PredictArguments& arguments, workspace::CheckpointChoice choice) {
  std::vector<InputText> texts;
  if (!arguments.fromStdin) {
    PARAPET_ASSIGN(texts, textsOf(arguments));
  }
  PARAPET_ASSIGN(const auto model, opened.maskedModel(arguments.run, choice, invocation.work()));
  if (arguments.k < 1 || arguments.k > model->pieceCount())
    return wrongArgument(
        fmt::format("-k {}; accepted: 1 … {} (the tokens)", arguments.k, model->pieceCount()));
  printWarnings(model->warnings());
  if (arguments.fromStdin) {
    invocation.writesLines = true;
    return fillLines(*model, arguments.k);
  }
  if (!arguments.attention.empty()) return showAttention(*model, arguments);
  Json list = Json::array();
  TextTable table({{"line", Align::kRight},
                   {"position", Align::kRight},
                   {"token"},
                   {"probability", Align::kRight}});
  std::string csv = "line,position,piece,probability\n";
  for (const auto& [line, text] : texts) {
    const auto filled = model->fill(text, arguments.k);
    if (!filled.ok()) return inLine(filled.error(), arguments, line);
    for (const workspace::MaskedPosition& masked : filled->masked) {
      Json answer{{"position", masked.position},
                  {"pieces", guessesJson(masked.pieces)},
                  {"step", model->step()},
                  {"warnings", model->warnings()}};
      if (!arguments.text) answer["line"] = line;
      list.push_back(std::move(answer));
      for (const workspace::PieceGuess& guess : masked.pieces) {
        table.add({fmt::to_string(line), fmt::to_string(masked.position),
                   terminalText(guess.piece, LineEnds::kEscape),
                   fmt::format("{:.4f}", guess.probability)});
        csv += fmt::format("{},{},{},{}\n", line, masked.position, csvField(guess.piece),
                           guess.probability);
      }
    }
  }
  if (arguments.out.empty()) return Answer::of(std::move(list), table.text());
  PARAPET_TRY(writeFileAtomically(arguments.out, csv));
  if (const std::string note = formulaNote(csv); !note.empty()) printWarning(note);
  return Answer::of(std::move(list), fmt::format("{} filled with the checkpoint of step {}: {}\n",
                                                 counted(std::ssize(texts), "text"), model->step(),
                                                 terminalText(arguments.out, LineEnds::kEscape)));
}

Answer predict(Invocation& invocation, const PredictArguments& arguments) {
  const auto choice = parseCheckpoint(arguments.checkpoint);
  if (!choice.ok()) return choice.error();
  PARAPET_ASSIGN(const auto opened, invocation.existingWorkspace());
  PARAPET_ASSIGN(const auto document, opened->experimentOf(arguments.run));
  if (!arguments.attention.empty() && !arguments.text)
    return wrongArgument("--attention is of one text; --text is missing");
  if (arguments.fromStdin && !arguments.out.empty())
    return wrongArgument("--out is of a file or a text; with --stdin answers go to stdout");
  if (!arguments.attention.empty())
    if (const auto asked = parseAttention(arguments.attention); !asked.ok()) return asked.error();
  if (arguments.text || experiment::readsText(document.model.kind))
    return fillMasks(invocation, *opened, arguments, *choice);
  if (arguments.fromStdin) {
    PARAPET_ASSIGN(const auto predictor,
                   opened->rowPredictor(arguments.run, *choice, invocation.work()));
    printWarnings(predictor->warnings());
    invocation.writesLines = true;
    return scoreLines(*predictor);
  }
  PARAPET_ASSIGN(const auto scores,
                 opened->predict(arguments.run, {arguments.input, *choice}, invocation.work()));
  const std::vector<std::string> warnings = warningsOf(scores);
  printWarnings(warnings);
  if (!arguments.out.empty()) PARAPET_TRY(writeFileAtomically(arguments.out, csvOf(scores.scores)));
  Json list = Json::array();
  for (const workspace::RowScore& each : scores.scores)
    list.push_back(rowJson(each, scores.step, warnings));
  if (!arguments.out.empty())
    return Answer::of(std::move(list),
                      fmt::format("{} scored with the checkpoint of step {}: {}\n",
                                  counted(std::ssize(scores.scores), "row"), scores.step,
                                  terminalText(arguments.out, LineEnds::kEscape)));
  TextTable table({{"row", Align::kRight}, {"score", Align::kRight}});
  for (const workspace::RowScore& each : scores.scores)
    table.add({fmt::to_string(each.row), fmt::format("{}", each.score)});
  return Answer::of(std::move(list), table.text());
}

}  // namespace

void addPredict(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("predict", "Score the rows of a file, or fill the masks of a text");
  command->footer(
      "Example: parapet-cli predict latest --input impressions.csv --out scores.csv\n"
      "         printf '{\"user\": 12, \"item\": 50}\\n' | parapet-cli predict latest --stdin\n"
      "         parapet-cli predict latest --text \"the capital of france is [MASK] .\"\n"
      "The file has the columns that the model reads, and user and item, named as in its data.");
  const auto arguments = std::make_shared<PredictArguments>();
  addRunOrModel(*command, invocation, arguments->run);
  CLI::Option_group* const asked = command->add_option_group("What is predicted: one of these");
  asked
      ->add_option(
          "--input", arguments->input,
          "Rows to score, a text or Parquet file; of a masked language model lines of text")
      ->type_name("FILE");
  asked
      ->add_option("--text", arguments->text,
                   "A text with [MASK] where a masked language model is to predict tokens")
      ->type_name("TEXT");
  asked->add_flag(
      "--stdin", arguments->fromStdin,
      "Score rows from stdin as they arrive, a JSON object per line with the columns of "
      "such a file, or {\"text\"} of a masked language model, and answer each with one "
      "line of JSON");
  requireOneOf(*command, *asked, "what is to be predicted");
  command->add_option("-k", arguments->k, "Tokens for each [MASK] [5]")->type_name("N");
  command
      ->add_option("--attention", arguments->attention,
                   "Instead of tokens, what a head of an attention layer attends to, both "
                   "counted from 1")
      ->type_name("LAYER,HEAD");
  command->add_option("--out", arguments->out, "Write the answer as CSV")->type_name("FILE");
  addCheckpoint(*command, arguments->checkpoint);
  onRun(*command, invocation, [&invocation, arguments] { return predict(invocation, *arguments); });
}

}  // namespace parapet::cli
