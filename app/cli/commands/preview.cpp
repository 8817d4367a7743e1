// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/document.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"

namespace parapet::cli {
namespace {

// Ids that occur again tell users and items.
constexpr std::int64_t kRowsLookedAt = 2000;
constexpr std::int64_t kStandardRows = 10;
constexpr std::size_t kMaxShownLines = 10, kMaxCellBytes = 40;

struct PreviewArguments {
  DocumentArguments document;
  std::optional<std::int64_t> rows, masks, epoch;
  std::string filter;
};

/// Data, and their first rows: at least as many as are shown.
struct LookedAt {
  experiment::Dataset spec;
  workspace::SourcePreview first;
  experiment::Masking masking;
  std::uint64_t seed = experiment::Training{}.seed;
  bool isPlain = false;  ///< texts without a vocabulary, whose lines are shown as they are
};

std::int64_t rowsShown(const PreviewArguments& arguments) {
  return arguments.rows.value_or(kStandardRows);
}

/// Lines have tokens, and those have masks, where a vocabulary gives them.
Error missingVocabulary(const std::string& corpus) {
  const std::filesystem::path path(corpus);
  std::error_code ignored;
  const auto folder = std::filesystem::is_directory(path, ignored) ? path : path.parent_path();
  return Error{
      .code = ErrorCode::kData,
      .message = fmt::format(
          "{} is a corpus of texts, and no vocabulary of tokens lies beside it; train one: "
          "`parapet-cli vocabulary {} --size 8000 --out {}`, or fetch that of BERT: "
          "`parapet-cli download bert-vocabulary`",
          corpus, corpus, (folder / "vocab.txt").string()),
      .pointer = "/dataset/text/vocabulary",
      .path = corpus};
}

/// Data may be called .json, too.
bool isJsonData(const std::string& path) {
  const auto found = workspace::detectSource(path);
  return found && found->source == experiment::SourceKind::kJson;
}

/// A document's data, or those of a file with the roles that its columns suggest.
Result<LookedAt> lookAt(Invocation& invocation, const PreviewArguments& arguments,
                        const WorkContext& context) {
  const std::int64_t rows = std::max(rowsShown(arguments), kRowsLookedAt);
  const std::string& source = arguments.document.source;
  LookedAt looked;
  experiment::Dataset& spec = looked.spec;
  std::error_code error;
  // A file or folder of data of that name comes first, as files do before names elsewhere.
  const bool isDocument = experiment::findRecipe(source).ok() ||
                          (toLowerAscii(source).ends_with(".json") && !isJsonData(source)) ||
                          (!std::filesystem::exists(source, error) &&
                           namesDocument(invocation, source) && source.find('/') == source.npos);
  if (isDocument) {
    PARAPET_ASSIGN(const LoadedDocument parsed, loadDocument(invocation, arguments.document));
    const auto& problems = parsed.findings.problems;
    const auto ofData = std::ranges::find_if(problems, [](const experiment::Problem& problem) {
      return problem.pointer.starts_with("/dataset");
    });
    if (ofData != problems.end()) return errorOf(*ofData);
    const auto ofMasks = std::ranges::find_if(problems, [](const experiment::Problem& problem) {
      return problem.pointer.starts_with("/model/masking");
    });
    if (arguments.masks && ofMasks != problems.end()) return errorOf(*ofMasks);
    spec = parsed.experiment.dataset;
    looked.masking = parsed.experiment.model.masking.value_or(experiment::Masking{});
    looked.seed = parsed.experiment.training.seed;
    PARAPET_ASSIGN(looked.first, workspace::previewSource(spec, rows, context));
  } else {
    if (source.empty())
      return wrongArgument("PATH is missing; accepted: a file or folder of data, or a document");
    if (!arguments.document.data.empty() || !arguments.document.settings.empty())
      return wrongArgument("--data and --set change a document, and " + source + " is none");
    PARAPET_ASSIGN(spec, workspace::detectSource(source));
    looked.isPlain = spec.isText() && spec.text->vocabulary.empty();
    if (looked.isPlain && arguments.masks) return missingVocabulary(*spec.path);
    PARAPET_ASSIGN(looked.first, looked.isPlain ? workspace::previewLines(spec, rows, context)
                                                : workspace::previewSource(spec, rows, context));
    if (looked.isPlain) looked.first.warnings.push_back(missingVocabulary(*spec.path).message);
    spec = workspace::suggestDataset(std::move(spec), looked.first);
  }
  if (!arguments.filter.empty()) spec.filter = arguments.filter;
  return looked;
}

Json cellJson(const workspace::SourcePreview::Cell& cell) {
  return cell ? Json(*cell) : Json(nullptr);
}

/// The parts of a preview: rows, how many pass, and files beside the data that tell more of them.
struct Seen {
  workspace::SourcePreview preview;
  workspace::FilterCount count;
  std::vector<workspace::CatalogueProposal> beside;
  std::optional<std::vector<workspace::MaskedText>> masks;
};

const char* nameOf(workspace::PieceFate fate) {
  switch (fate) {
    case workspace::PieceFate::kSeen:
      return "seen";
    case workspace::PieceFate::kMasked:
      return "masked";
    case workspace::PieceFate::kReplaced:
      return "replaced";
    case workspace::PieceFate::kKept:
      return "kept";
  }
  return "";
}

/// null unless texts with their masks were asked for.
Json masksJson(const Seen& seen) {
  if (!seen.masks) return nullptr;
  Json texts = Json::array();
  for (const workspace::MaskedText& text : *seen.masks) {
    Json pieces = Json::array();
    for (const workspace::MaskedText::Piece& piece : text.pieces)
      pieces.push_back(
          Json{{"piece", piece.piece}, {"shown", piece.shown}, {"fate", nameOf(piece.fate)}});
    texts.push_back(Json{{"text", text.text}, {"pieces", std::move(pieces)}});
  }
  return texts;
}

/// "the [MASK]{cat} sat on a", a line for each text: in braces what is to be predicted.
std::string masksText(const Seen& seen) {
  if (!seen.masks) return {};
  std::string lines = "\nTexts as the model reads them; what it is to predict stands in braces:\n";
  for (const workspace::MaskedText& text : *seen.masks) {
    for (const workspace::MaskedText::Piece& piece : text.pieces) {
      lines += terminalText(piece.shown, LineEnds::kEscape);
      if (piece.fate != workspace::PieceFate::kSeen)
        lines += '{' + terminalText(piece.piece, LineEnds::kEscape) + '}';
      lines += ' ';
    }
    lines.back() = '\n';
  }
  return lines;
}

Json besideJson(const experiment::Dataset& spec, const Seen& seen) {
  experiment::Experiment shown;
  shown.dataset = spec;
  shown.dataset.catalogues.clear();
  for (const workspace::CatalogueProposal& proposal : seen.beside)
    shown.dataset.catalogues.push_back(proposal.catalogue);
  Json entries = experiment::toJson(shown)["dataset"]["catalogues"];
  for (std::size_t i = 0; i < seen.beside.size(); ++i) entries[i]["reason"] = seen.beside[i].reason;
  return entries;
}

Json previewJson(const experiment::Dataset& spec, const Seen& seen) {
  const auto& [preview, count, beside, masks] = seen;
  Json columns = Json::array(), rows = Json::array(), rejected = Json::array();
  const auto uses = workspace::usesOfColumns(spec, preview.columns);
  for (std::size_t at = 0; at < preview.columns.size(); ++at) {
    const workspace::SourceColumn& column = preview.columns[at];
    columns.push_back(
        Json{{"name", column.name},
             {"type", workspace::typeName(column)},
             {"role", uses.contains(column.name) ? Json(uses.at(column.name)) : Json(nullptr)},
             {"derived", at >= preview.sourceColumns}});
  }
  for (const auto& row : preview.rows) {
    Json cells = Json::array();
    for (const workspace::SourcePreview::Cell& cell : row) cells.push_back(cellJson(cell));
    rows.push_back(std::move(cells));
  }
  for (const workspace::Quarantine::Line& line : preview.rejectedLines.lines())
    rejected.push_back(
        Json{{"line", line.number}, {"reason", line.reason}, {"excerpt", line.excerpt}});
  return Json{{"source", spec.source},
              {"file", preview.file},
              {"columns", std::move(columns)},
              {"rows", std::move(rows)},
              {"rejected", std::move(rejected)},
              {"warnings", preview.warnings},
              {"rows_read", count.rows},
              {"rows_kept", count.kept},
              {"rows_rejected", count.rejected},
              {"times", count.times ? Json(datesOf(*count.times)) : Json(nullptr)},
              {"catalogues_beside", besideJson(spec, seen)},
              {"masks", masksJson(seen)}};
}

std::string clipped(const workspace::SourcePreview::Cell& cell) {
  return cell ? printable(*cell, kMaxCellBytes) : "∅";
}

/// "movies.csv in the same folder has titles of the items (…)", a line for each file.
std::string besideText(const Seen& seen) {
  std::string text;
  for (const workspace::CatalogueProposal& proposal : seen.beside) {
    const experiment::Catalogue& catalogue = proposal.catalogue;
    Json entry{{"of", catalogue.of}, {"path", catalogue.path}, {"id", catalogue.id.value_or("")}};
    if (catalogue.title) entry["title"] = *catalogue.title;
    text += fmt::format(
        "{} in the same folder has {} of the {}s ({}); in a document:\n  \"catalogues\": [{}]\n",
        printable(catalogue.path), catalogue.title ? "titles" : "attributes", catalogue.of,
        proposal.reason, entry.dump());
  }
  return text;
}

std::string describe(const experiment::Dataset& spec, const Seen& seen) {
  const auto& [preview, count, beside, masks] = seen;
  TextTable columns({{"column"}, {"type"}, {"role"}});
  const auto uses = workspace::usesOfColumns(spec, preview.columns);
  std::vector<TextTable::Column> titles;
  for (const workspace::SourceColumn& column : preview.columns) {
    const auto use = uses.find(column.name);
    columns.add({column.name, workspace::typeName(column), use == uses.end() ? "" : use->second});
    titles.push_back({column.name, column.type == workspace::ValueType::kText || column.isList
                                       ? Align::kLeft
                                       : Align::kRight});
  }
  TextTable rows(std::move(titles));
  for (const auto& row : preview.rows) {
    std::vector<std::string> cells;
    for (const workspace::SourcePreview::Cell& cell : row) cells.push_back(clipped(cell));
    rows.add(std::move(cells));
  }
  std::string when;
  if (count.times) {
    const auto [earliest, latest] = datesOf(*count.times);
    when = fmt::format(" Rows are from {} to {}.", earliest, latest);
  }
  return fmt::format("{} ({})\n\n{}\n{}\n{} of {} pass ({:.1f} %), {}.{}\n{}{}",
                     terminalText(preview.file, LineEnds::kEscape),
                     experiment::sourceName(spec.source), columns.text(), rows.text(),
                     formatCount(count.kept), counted(count.rows, "row"), 100.0 * count.share(),
                     counted(count.rejected, "rejected line"), when, besideText(seen),
                     masksText(seen));
}

Answer preview(Invocation& invocation, const PreviewArguments& arguments) {
  const WorkContext work = invocation.work();
  PARAPET_ASSIGN(auto looked, lookAt(invocation, arguments, work));
  auto& [spec, first, masking, seed, isPlain] = looked;
  if (arguments.masks && !spec.isText())
    return wrongArgument("--masks shows texts with their masks, and the data are rows of a table");
  if (!first.derivedProblems.empty()) return first.derivedProblems.front();
  PARAPET_ASSIGN(const auto count, isPlain ? workspace::countLines(spec, 0, work)
                                           : workspace::countRows(spec, 0, work));
  if (count.lateTimes > 0)
    first.warnings.push_back(workspace::lateTimesWarning(count.lateTimes, count.kept));
  for (const std::string& warning : first.warnings) printWarning(warning);
  const auto& bad = first.rejectedLines.lines();
  for (std::size_t i = 0; i < std::min(kMaxShownLines, bad.size()); ++i)
    printWarning(
        fmt::format("{}:{}: {} [{}]", first.file, bad[i].number, bad[i].reason, bad[i].excerpt));
  auto beside = workspace::proposeCatalogues(spec, first, work);
  const auto shown = static_cast<std::size_t>(rowsShown(arguments));
  if (first.rows.size() > shown) first.rows.resize(shown);
  Seen all{std::move(first), count, std::move(beside), std::nullopt};
  if (arguments.masks) {
    PARAPET_ASSIGN(const auto sample, workspace::TextSample::read(spec, *arguments.masks, work));
    all.masks = sample->masked(masking, seed, arguments.epoch.value_or(1));
  }
  return Answer::of(previewJson(spec, all), describe(spec, all));
}

}  // namespace

void addPreview(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand(
      "preview", "Show the first rows of data, their columns, and how many rows pass the filter");
  command->footer("Example: parapet-cli preview ratings.csv --filter 'rating >= 3'");
  const auto arguments = std::make_shared<PreviewArguments>();
  command->add_option(
      "PATH", arguments->document.source,
      "File or folder of data; or a document: a .json file, a recipe or an experiment");
  arguments->document.addChangesTo(*command);
  addInteger(*command, "--rows", arguments->rows, 1, "Rows to show");
  addInteger(*command, "--masks", arguments->masks, 1,
             "Texts to show as a masked language model is trained with them");
  addInteger(*command, "--epoch", arguments->epoch, 0,
             "Epoch whose masks are shown; 0: those of validation (default 1)");
  command->add_option("--filter", arguments->filter, "Rows that pass; sets /dataset/filter")
      ->type_name("EXPR");
  onRun(*command, invocation, [&invocation, arguments] { return preview(invocation, *arguments); });
}

}  // namespace parapet::cli
