// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/proposal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "engine/base/progress.h"
#include "engine/base/text.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/choose_data.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/detect_source.h"
#include "engine/data/ingest/import/preview.h"
#include "engine/data/ingest/import/propose_catalogues.h"
#include "engine/data/ingest/import/survey.h"
#include "engine/experiment/document.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/experiment_name.h"
#include "engine/experiment/other_kind.h"
#include "engine/workspace/proposed_model.h"

namespace parapet::workspace {
namespace {

/// Adds what names the users or items, a file beside the data or a column of them
/// (data::proposeCatalogues), one of each, with the reason. Files of attributes alone are left to a person: what they are good for is not
/// known.
void proposeTitles(Proposal& proposal, const data::SourcePreview& preview,
                   const WorkContext& context) {
  experiment::Dataset& spec = proposal.experiment.dataset;
  for (const data::CatalogueProposal& beside : data::proposeCatalogues(spec, preview, context)) {
    const experiment::Catalogue& catalogue = beside.catalogue;
    if (!catalogue.title || std::ranges::find(spec.catalogues, catalogue.of,
                                              &experiment::Catalogue::of) != spec.catalogues.end())
      continue;
    if (static_cast<double>(beside.rejected) >
        spec.maxRejectedShare * static_cast<double>(beside.entries)) {
      proposal.reasons.push_back(
          {"/dataset/catalogues",
           fmt::format("{} beside the data has titles and is left out: {} of its first {} lines "
                       "would be rejected. {}",
                       printable(catalogue.path), formatCount(beside.rejected),
                       formatCount(beside.entries), beside.rejection)});
      continue;
    }
    proposal.reasons.push_back({fmt::format("/dataset/catalogues/{}", spec.catalogues.size()),
                                beside.isOfRows
                                    ? beside.reason
                                    : fmt::format("{} lies beside the data: {}",
                                                  printable(catalogue.path), beside.reason)});
    spec.catalogues.push_back(catalogue);
  }
}

using data::ChosenData;
using data::SourceSurvey;
using experiment::Column;
using experiment::ColumnRole;
using experiment::SplitKind;

constexpr std::int64_t kMaxSurveyRows = 1'000'000;
constexpr std::int64_t kPreviewRows = 5000;
// One each to train, validate and test.
constexpr std::int64_t kMinProposalRows = 3;

Error noProposal(const std::filesystem::path& file, const std::string& what) {
  return {.code = ErrorCode::kData,
          .message = fmt::format("{} {}", file.string(), what),
          .path = file.string()};
}

std::string columnsOf(const data::SourcePreview& preview) {
  std::vector<std::string> names;
  for (const data::SourceColumn& column : preview.columns)
    names.push_back(fmt::format("{} ({})", printable(column.name), data::typeName(column)));
  return join(names);
}

/// Name of the source's column with a role; "" if there is none.
std::string sourceColumnOf(const std::vector<Column>& columns, ColumnRole role) {
  const auto found = std::ranges::find(columns, role, &Column::role);
  return found == columns.end() ? std::string() : found->originName();
}

/// Without a user and an item there is nothing to recommend to whom.
Status requireIds(const std::filesystem::path& file, const ChosenData& chosen,
                  const std::vector<Column>& columns) {
  if (const auto& lines = chosen.preview.rejectedLines.lines();
      chosen.preview.rows.empty() && !lines.empty())
    return noProposal(file, fmt::format("has no row that can be read. line {}: {} [{}]",
                                        lines[0].number, lines[0].reason, lines[0].excerpt));
  if (chosen.preview.rows.empty())
    return noProposal(file,
                      "has no rows; accepted: a line with the names of the columns, and rows");
  if (chosen.preview.columns.size() < 2)
    return noProposal(file,
                      fmt::format("has the one column {}; accepted: a column of users and one "
                                  "of items at least",
                                  columnsOf(chosen.preview)));
  const bool user = !sourceColumnOf(columns, ColumnRole::kUser).empty();
  const bool item = !sourceColumnOf(columns, ColumnRole::kItem).empty();
  if (user && item) return {};
  return noProposal(
      file, fmt::format(
                "shows no {}: neither names nor cells of its columns say which holds them, and ids "
                "occur in several rows. Columns: {}. A document names them with the roles \"user\" "
                "and \"item\"",
                user   ? "items"
                : item ? "users"
                       : "users and no items",
                columnsOf(chosen.preview)));
}

/// The meaning of the label, from its cells.
Feedback feedbackOf(const ChosenData& chosen, const SourceSurvey& survey) {
  if (!chosen.dataset.label.column) return Feedback::kImplicit;
  const auto label =
      std::ranges::find(survey.columns, *chosen.dataset.label.column, &data::ColumnSurvey::name);
  if (label == survey.columns.end() || label->distinct < 2) return Feedback::kImplicit;
  const bool unit = label->most == 1.0 && (label->least == 0.0 || label->least == -1.0);
  return label->distinct == 2 && unit ? Feedback::kYesOrNo : Feedback::kRatings;
}

/// Columns that nothing uses and whose first cells are all names of parts.
std::vector<std::string> columnsOfParts(const ChosenData& chosen) {
  const auto uses = data::usesOfColumns(chosen.dataset, chosen.preview.columns);
  std::vector<std::string> names;
  for (std::size_t c = 0; c < chosen.preview.sourceColumns; ++c) {
    const data::SourceColumn& column = chosen.preview.columns[c];
    if (uses.contains(column.name) || column.isList || column.type != data::ValueType::kText)
      continue;
    if (std::ranges::all_of(chosen.preview.rows, [c](const auto& row) {
          return row[c] && experiment::splitPartFromName(trim(*row[c]));
        }))
      names.push_back(column.name);
  }
  return names;
}

/// Decides about the data set: label, columns, vocabularies, split, batches.
class DatasetProposer {
 public:
  DatasetProposer(ChosenData& chosen, const SourceSurvey& survey, Feedback feedback,
                  std::vector<ProposalReason>& reasons)
      : chosen_(chosen),
        spec_(chosen.dataset),
        survey_(survey),
        feedback_(feedback),
        reasons_(reasons) {}

  void propose() {
    findParts();
    sayRoles();
    label();
    columns();
    vocabularies();
    split();
    batch();
    incomplete();
    rejected();
  }

 private:
  void say(std::string pointer, std::string reason) {
    reasons_.push_back({std::move(pointer), std::move(reason)});
  }
  static bool isCalledTime(const std::string& name) {
    return data::roleOfName(name) == ColumnRole::kTime ||
           data::roleOfWord(name) == ColumnRole::kTime;
  }
  [[nodiscard]] const data::ColumnSurvey* surveyOf(const std::string& name) const {
    const auto found = std::ranges::find(survey_.columns, name, &data::ColumnSurvey::name);
    return found == survey_.columns.end() ? nullptr : &*found;
  }

  /// A column that nothing else uses and whose cells are all names of parts.
  void findParts() {
    if (spec_.split.kind == SplitKind::kFiles) return;
    for (const std::string& name : columnsOfParts(chosen_)) {
      const data::ColumnSurvey& cells = *surveyOf(name);
      const auto [train, validation, test, unused] = cells.parts;
      if (train + validation + test < survey_.rows || train == 0) continue;
      if (validation + test == 0 && survey_.complete) continue;
      parts_ = name;
      validates_ = validation > 0;
      return;
    }
  }

  void sayRoles() {
    for (const std::string& warning : chosen_.preview.warnings) say("/dataset/columns", warning);
    say("/dataset/source",
        spec_.source == experiment::SourceKind::kCsv       ? "lines of text"
        : spec_.source == experiment::SourceKind::kJson    ? "lines with a JSON object each"
        : spec_.source == experiment::SourceKind::kParquet ? "the file is Parquet"
                                                           : "the file is MovieLens");
    if (!survey_.complete)
      say("/dataset/source", fmt::format("counts, ranges and shares are of the first {} rows",
                                         formatCount(survey_.rows)));
    for (std::size_t i = 0; i < spec_.columns.size(); ++i) {
      const auto found = std::ranges::find(chosen_.proposals, spec_.columns[i].originName(),
                                           &data::RoleProposal::column);
      if (found == chosen_.proposals.end()) continue;
      say(fmt::format("/dataset/columns/{}", i),
          fmt::format("{} is the {}: {}", printable(found->column), found->use, found->reason));
    }
    std::vector<std::string> unused;
    const auto uses = data::usesOfColumns(spec_, chosen_.preview.columns);
    for (const data::SourceColumn& column : chosen_.preview.columns) {
      if (uses.contains(column.name) || column.name == parts_) continue;
      if (isCalledTime(column.name) && sourceColumnOf(spec_.columns, ColumnRole::kTime).empty())
        say("/dataset/columns",
            fmt::format("{} is left out: it is called like a time, and its cells are neither whole "
                        "numbers, nor seconds since 1970 with a fraction, nor dates as in "
                        "2024-05-31 18:30:05",
                        printable(column.name)));
      else
        unused.push_back(printable(column.name));
    }
    if (!unused.empty() && spec_.source != experiment::SourceKind::kMovielens)
      say("/dataset/columns",
          fmt::format("without a role: {}; no name or cell tells one", join(unused)));
  }

  void label() {
    if (!spec_.label.column) {
      say("/dataset/label/column", "no column is a label: what a user did is what is to be found");
      return;
    }
    const data::ColumnSurvey& cells = *surveyOf(*spec_.label.column);
    const std::string name = printable(*spec_.label.column);
    if (feedback_ == Feedback::kImplicit) {
      say("/dataset/label/column",
          fmt::format("{} is {:.6g} in every row, which tells nothing", name, cells.least));
      spec_.label = {std::nullopt, std::nullopt};
    } else if (feedback_ == Feedback::kYesOrNo) {
      if (cells.least < 0.0) spec_.label.scale = {cells.least, cells.most};
      say("/dataset/label/column", fmt::format("{} is {:.6g} or {:.6g}: explicit, yes or no", name,
                                               cells.least, cells.most));
    } else {
      spec_.label.scale = {cells.least, cells.most};
      say("/dataset/label/scale",
          fmt::format("{} goes from {:.6g} to {:.6g}: explicit ratings, the larger the better",
                      name, cells.least, cells.most));
    }
    const auto chosen = std::ranges::find(chosen_.proposals, "label", &data::RoleProposal::use);
    if (chosen != chosen_.proposals.end() && spec_.label.column == chosen->column)
      say("/dataset/label/column",
          fmt::format("{} is the label: {}", printable(chosen->column), chosen->reason));
  }

  /// Columns that no tower may read are left out; numbers that are missing get the mean.
  void columns() {
    for (std::size_t i = spec_.columns.size(); i-- > 0;) {
      Column& column = spec_.columns[i];
      const data::ColumnSurvey* cells = surveyOf(column.originName());
      if (!cells || column.role == ColumnRole::kTime) continue;
      const bool known = feedback_ == Feedback::kYesOrNo || column.role == ColumnRole::kContext ||
                         cells->followsUser || cells->followsItem;
      if (!known || cells->distinct < 2) {
        dropColumn(i, cells->distinct < 2
                          ? "it has one value"
                          : "it differs between the rows of a user and of an item, so it is not "
                            "known before they meet");
        continue;
      }
      if (column.role == ColumnRole::kNumeric && cells->missing > 0) {
        column.missing = experiment::MissingNumbers::kMean;
        say(fmt::format("/dataset/columns/{}/missing", i),
            fmt::format("{} of {} cells of {} are empty; they become the mean of the others",
                        formatCount(cells->missing), formatCount(survey_.rows),
                        printable(column.originName())));
      }
    }
  }

  void dropColumn(std::size_t index, const std::string& why) {
    const std::string name = spec_.columns[index].originName();
    spec_ = data::withUse(std::move(spec_), chosen_.preview.columns, name, "");
    // The pointers of the columns behind it move up.
    const std::string gone = fmt::format("/dataset/columns/{}", index);
    std::erase_if(reasons_, [&](const ProposalReason& each) { return each.pointer == gone; });
    moveReasons(reasons_, "/dataset/columns", index + 1, -1);
    say("/dataset/columns", fmt::format("{} is left out: {}", printable(name), why));
  }

  void vocabularies() {
    say("/dataset/vocabularies",
        spec_.source == experiment::SourceKind::kMovielens
            ? "those of MovieLens"
            : fmt::format(
                  "compressed: rows for the {} users and {} items that occur, by frequency; "
                  "any id is accepted, an unknown one is row 0",
                  formatCount(survey_.users), formatCount(survey_.items)));
  }

  void split() {
    experiment::Split& split = spec_.split;
    if (split.kind == SplitKind::kFiles) return splitOfFiles();
    split = {};
    if (parts_) {
      split.kind = SplitKind::kColumn;
      split.column = *parts_;
      split.validation = {.value = validates_ ? 0.0 : 0.1, .isRatio = !validates_};
      say("/dataset/split/kind",
          fmt::format("{} names the part of every row: the split as given", printable(*parts_)));
      if (!validates_)
        say("/dataset/split/validation",
            fmt::format(
                "no row{} is of the part \"validation\", by which a run ends and its best "
                "epoch is chosen: where there is none, a tenth of the training rows is drawn",
                survey_.complete ? "" : " looked at"));
      return;
    }
    const bool timed =
        !sourceColumnOf(data::columnsOf(spec_, chosen_.preview.columns), ColumnRole::kTime).empty();
    const bool enough = 3 * survey_.usersWithThree >= survey_.users && survey_.usersWithThree >= 3;
    const std::string rows =
        fmt::format("a user has {} rows in the median", formatCount(survey_.medianRowsOfUser));
    split.kind = SplitKind::kRandom;
    split.train = {.value = 0.8, .isRatio = true};
    split.validation = split.test = {.value = 0.1, .isRatio = true};
    if (feedback_ == Feedback::kYesOrNo || !enough) {
      if (timed) split.kind = SplitKind::kTemporal;
      say("/dataset/split/kind",
          fmt::format("{}{}",
                      timed ? "rows have a time: the last tenth is the test, the one before it "
                              "validation, so that nothing later is known"
                            : "rows have no time: a tenth each is drawn",
                      enough ? std::string() : "; " + rows + ", too few to hold some out of each"));
      return;
    }
    split.kind = timed ? SplitKind::kLeaveLast : SplitKind::kLeaveRandom;
    const bool shares = !timed && survey_.medianRowsOfUser >= 20;
    if (!shares) split.validation = split.test = {.value = 1.0, .isRatio = false};
    say("/dataset/split/kind",
        fmt::format("{}; {}",
                    timed
                        ? "rows have a time: the last row of each user is the test, the one before "
                          "it validation, so that models learn from the past"
                    : shares ? "rows have no time: a tenth of those of each user is held out for "
                               "validation and for the test"
                             : "rows have no time: one of those of each user is held out for "
                               "validation and one for the test",
                    rows));
  }

  void splitOfFiles() {
    const experiment::Split& split = spec_.split;
    std::vector<std::string> files;
    for (const auto* file : {&split.trainFile, &split.validationFile, &split.testFile})
      if (*file) files.push_back(printable(**file));
    say("/dataset/split/kind", fmt::format("{} are the parts of the rows: the split as given",
                                           join(files, files.size() == 2 ? " and " : ", ")));
    if (!split.validationFile)
      say("/dataset/split/validation_rows",
          "no file has validation rows, by which a run ends and its best epoch is chosen: a tenth "
          "of the training rows is drawn");
  }

  void batch() {
    const std::int64_t rows = survey_.rowsExpected;
    const std::int64_t most = rows > 2'000'000 ? 4096 : 1024;
    std::int64_t size = 2;
    while (2 * size <= std::min(rows / 64, most)) size *= 2;
    // Below that the negatives of a batch are too few, if there are more rows at all.
    while (size < 64 && 4 * size <= rows) size *= 2;
    spec_.batch.size = size;
    spec_.batch.perDevice.reset();
    spec_.batch.shuffle = experiment::BatchOrder::kEpoch;
    say("/dataset/batch/size",
        fmt::format("{} rows{}: about {} steps in an epoch{}", formatCount(rows),
                    survey_.complete ? "" : " (estimated)",
                    formatCount(std::max<std::int64_t>(1, rows / size)),
                    feedback_ == Feedback::kYesOrNo
                        ? std::string()
                        : fmt::format(", and {} negatives for each query", formatCount(size - 1))));
  }

  [[nodiscard]] double shareOfLines(std::int64_t count) const {
    return static_cast<double>(count) /
           static_cast<double>(survey_.rejected + survey_.incomplete + survey_.rows);
  }

  /// Rows without a cell that every row needs are left out by a filter, where they are more than
  /// an import lets pass.
  void incomplete() {
    const auto columns = data::columnsOf(spec_, chosen_.preview.columns);
    std::int64_t rows = survey_.incomplete;
    std::vector<std::string> conditions, found;
    const auto require = [&](const std::string& name, std::int64_t missing) {
      if (missing == 0) return;
      conditions.push_back(fmt::format("`{}` is not missing", name));
      found.push_back(fmt::format("{} of {}", formatCount(missing), printable(name)));
    };
    require(sourceColumnOf(columns, ColumnRole::kUser), survey_.missingUsers);
    require(sourceColumnOf(columns, ColumnRole::kItem), survey_.missingItems);
    for (const std::string& name :
         {sourceColumnOf(columns, ColumnRole::kTime), spec_.label.column.value_or("")})
      if (const data::ColumnSurvey* cells = surveyOf(name)) {
        require(name, cells->missing);
        rows += cells->missing;
      }
    if (shareOfLines(rows) <= spec_.maxRejectedShare) {
      leftIncomplete_ = rows;
      return;
    }
    if (spec_.filter) conditions.insert(conditions.begin(), fmt::format("({})", *spec_.filter));
    spec_.filter = join(conditions, " and ");
    say("/dataset/filter", fmt::format("cells that every row needs are missing or cannot be read "
                                       "({}): rows without one are left out",
                                       join(found)));
  }

  /// The guard stays where it is: what is beyond it may be a mistake of the proposal.
  void rejected() {
    const std::int64_t lost = survey_.rejected + leftIncomplete_;
    const double share = shareOfLines(lost);
    if (share <= spec_.maxRejectedShare) return;
    const auto& lines = chosen_.preview.rejectedLines.lines();
    say("/dataset/max_rejected_share",
        fmt::format("{} of {} lines {} ({:.1f} %), so an import of this document fails "
                    "until the file is repaired or a larger share is accepted{}",
                    formatCount(lost),
                    formatCount(survey_.rejected + survey_.incomplete + survey_.rows),
                    leftIncomplete_ > 0 ? "cannot be read or lack a cell that every row needs"
                                        : "cannot be read",
                    100.0 * share,
                    lines.empty() ? std::string()
                                  : fmt::format(". line {}: {} [{}]", lines[0].number,
                                                lines[0].reason, lines[0].excerpt)));
  }

  ChosenData& chosen_;
  experiment::Dataset& spec_;
  const SourceSurvey& survey_;
  const Feedback feedback_;
  std::vector<ProposalReason>& reasons_;
  std::optional<std::string> parts_;  ///< the column with the parts of a split
  bool validates_ = false;            ///< some of its rows validate
  std::int64_t leftIncomplete_ = 0;   ///< rows that lack a cell and that no filter leaves out
};

/// Columns of the source that the survey looks at besides user and item.
std::vector<data::ColumnRequest> surveyedColumns(const ChosenData& chosen) {
  std::vector<data::ColumnRequest> requests;
  for (const data::ImportedColumn& column :
       data::importedColumns(chosen.dataset, chosen.preview.columns))
    if (!column.isId) requests.push_back(column.request);
  for (const std::string& name : columnsOfParts(chosen))
    if (std::ranges::find(requests, name, &data::ColumnRequest::name) == requests.end())
      requests.push_back({name, {}, "", ""});
  return requests;
}

/// Checks that the proposed document is accepted; otherwise nothing is proposed.
Status checkProposal(const std::filesystem::path& file, const experiment::Experiment& proposed) {
  const experiment::Parsed parsed = experiment::parse(nlohmann::json(experiment::toJson(proposed)));
  if (parsed.findings.problems.empty()) return {};
  const experiment::Problem& problem = parsed.findings.problems.front();
  return Error{.code = ErrorCode::kData,
               .message = fmt::format("{}: no document fits: {}: {}", file.string(),
                                      problem.pointer, problem.message),
               .pointer = problem.pointer,
               .path = file.string()};
}

}  // namespace

void moveReasons(std::vector<ProposalReason>& reasons, std::string_view list, std::size_t first,
                 std::ptrdiff_t places) {
  const std::string entries = fmt::format("{}/", list);
  for (ProposalReason& each : reasons) {
    if (!each.pointer.starts_with(entries)) continue;
    const char* const number = each.pointer.data() + entries.size();
    const char* const end = each.pointer.data() + each.pointer.size();
    std::size_t index = 0;
    const auto [rest, error] = std::from_chars(number, end, index);
    if (error != std::errc() || index < first) continue;
    each.pointer = fmt::format("{}{}{}", entries, static_cast<std::ptrdiff_t>(index) + places,
                               std::string(rest, end));
  }
}

Result<Proposal> proposeExperiment(const std::filesystem::path& file, const WorkContext& context) {
  PARAPET_ASSIGN(const experiment::Dataset found, data::detectSource(file));
  if (found.isText()) {
    PARAPET_ASSIGN(Proposal proposal, proposeLanguageModel(found));
    proposal.experiment.name = nameOfData(*found.path);
    PARAPET_TRY(checkProposal(file, proposal.experiment));
    return proposal;
  }
  PARAPET_ASSIGN(ChosenData chosen,
                 data::suggestData(found, kPreviewRows, context, data::makeGenerator));
  const std::vector<Column> columns = data::columnsOf(chosen.dataset, chosen.preview.columns);
  PARAPET_TRY(requireIds(file, chosen, columns));
  PARAPET_ASSIGN(
      const SourceSurvey survey,
      data::surveySource(chosen.dataset, sourceColumnOf(columns, ColumnRole::kUser),
                         sourceColumnOf(columns, ColumnRole::kItem), surveyedColumns(chosen),
                         kMaxSurveyRows, context, data::makeGenerator));
  if (survey.rows == 0)
    return noProposal(file, "has no row with a user and an item; `preview` shows what is rejected");
  if (survey.rows < kMinProposalRows)
    return noProposal(file,
                      fmt::format("has {} row{} with a user and an item; accepted: at least "
                                  "{}, so that each part of a split has one",
                                  survey.rows, survey.rows == 1 ? "" : "s", kMinProposalRows));
  const Feedback feedback = feedbackOf(chosen, survey);
  Proposal proposal;
  DatasetProposer(chosen, survey, feedback, proposal.reasons).propose();
  proposal.experiment.name = nameOfData(*found.path);
  proposal.experiment.dataset = chosen.dataset;
  proposeTitles(proposal, chosen.preview, context);
  proposeModel(proposal, survey, feedback, data::columnsOf(chosen.dataset, chosen.preview.columns));
  proposal.roles = std::move(chosen.proposals);
  PARAPET_TRY(checkProposal(file, proposal.experiment));
  return proposal;
}

nlohmann::ordered_json documentOf(const Proposal& proposal) {
  std::vector<std::string> pointers;
  for (const ProposalReason& each : proposal.reasons) pointers.push_back(each.pointer);
  return experiment::compactJson(proposal.experiment, pointers);
}

std::string nameOfData(const std::filesystem::path& path) {
  std::filesystem::path plain = path.lexically_normal();
  if (!plain.has_filename()) plain = plain.parent_path();
  std::string name = plain.filename().string();
  std::error_code ignored;
  if (!std::filesystem::is_directory(plain, ignored))
    name.resize(std::min(name.find('.'), name.size()));
  return experiment::experimentNameFrom(name);
}

}  // namespace parapet::workspace
