// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "app/cli/commands/commands.h"
#include "app/cli/document.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"

namespace parapet::cli {
namespace {

constexpr std::size_t kMaxRejectedLines = 10;

void printRejectedLines(const workspace::ImportReport& report) {
  const std::size_t shown = std::min(kMaxRejectedLines, report.rejectedLines.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const workspace::RejectedLine& bad = report.rejectedLines[i];
    printWarning(fmt::format("{}:{}: {} [{}]", bad.path, bad.line, bad.reason, bad.excerpt));
  }
  const std::int64_t more = report.quarantined - static_cast<std::int64_t>(shown);
  if (more > 0) printWarning(fmt::format("and {} more rejected lines", formatCount(more)));
}

/// The first and last second of the rows, as dates; nothing if rows have no time.
std::optional<std::array<std::string, 2>> timesOf(const workspace::ImportReport& report) {
  const auto times = report.dataset->times();
  if (times.empty()) return std::nullopt;
  const auto [first, last] = std::ranges::minmax(times);
  return datesOf({first, last});
}

Json reportJson(const workspace::ImportReport& report) {
  Json vocabularies = Json::array();
  for (const workspace::VocabularyReport& vocabulary : report.vocabularies)
    vocabularies.push_back(Json{{"name", vocabulary.name},
                                {"size", vocabulary.size},
                                {"oov_share", number(vocabulary.oovShare)},
                                {"unused_rows", vocabulary.unusedRows}});
  const auto times = timesOf(report);
  return Json{{"dataset", report.dataset->hash()},
              {"rows", report.rows},
              {"quarantined", report.quarantined},
              {"filtered_out", report.filteredOut},
              {"below_core", report.belowCore},
              {"times", times ? Json(*times) : Json(nullptr)},
              {"vocabularies", std::move(vocabularies)},
              {"seconds", number(report.seconds)},
              {"rows_per_second", report.reused ? Json(nullptr) : number(report.rowsPerSecond)},
              {"peak_rss_bytes", countOrNull(static_cast<std::int64_t>(peakResidentBytes()))},
              {"reused", report.reused},
              {"warnings", report.warnings}};
}

std::string describe(const workspace::ImportReport& report) {
  TextTable table({{"vocabulary"}, {"rows", Align::kRight}, {"out of vocabulary", Align::kRight}});
  for (const workspace::VocabularyReport& vocabulary : report.vocabularies)
    table.add({vocabulary.name, formatCount(vocabulary.size),
               std::isfinite(vocabulary.oovShare)
                   ? fmt::format("{:.2f} %", 100.0 * vocabulary.oovShare)
                   : "–"});
  std::string leftOut = counted(report.quarantined, "rejected line");
  if (report.filteredOut > 0)
    leftOut += fmt::format(", {} by the filter", counted(report.filteredOut, "row"));
  if (report.belowCore > 0)
    leftOut += fmt::format(", {} below the k-core", counted(report.belowCore, "row"));
  const auto times = timesOf(report);
  const std::string when =
      times ? fmt::format(" Rows are from {} to {}.", (*times)[0], (*times)[1]) : std::string();
  return fmt::format("{} {} as data set {} in {}; left out: {}.{}\n\n{}",
                     counted(report.rows, "row"),
                     report.reused ? "imported before, reused" : "imported", report.dataset->hash(),
                     formatDuration(report.seconds), leftOut, when, table.text());
}

/// Data are imported whatever model reads them later.
void forgetModel(experiment::Findings& findings) {
  std::erase_if(findings.problems, [](const experiment::Problem& problem) {
    return problem.pointer == "/model/kind";
  });
}

Answer import(Invocation& invocation, const DocumentArguments& arguments) {
  PARAPET_ASSIGN(auto parsed, loadDocument(invocation, arguments));
  if (parsed.experiment.dataset.isText()) forgetModel(parsed.findings);
  if (!parsed.findings.problems.empty()) return Answer::refused(parsed.findings.problems);
  printWarnings(parsed.findings.warnings);
  PARAPET_ASSIGN(const auto opened, invocation.workspace());
  PARAPET_ASSIGN(const auto report, opened->importData(parsed.experiment, invocation.work()));
  for (const std::string& warning : report.warnings) printWarning(warning);
  printRejectedLines(report);
  return Answer::of(reportJson(report), describe(report));
}

}  // namespace

void addImport(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("import", "Import the data set of a document, without training");
  command->footer("Example: parapet-cli import movielens-retrieval --data ~/data/ml-100k");
  const auto arguments = std::make_shared<DocumentArguments>();
  arguments->addBasicTo(*command);
  onRun(*command, invocation, [&invocation, arguments] { return import(invocation, *arguments); });
}

}  // namespace parapet::cli
