// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>

#include "engine/base/atomic_file.h"
#include "engine/base/text.h"
#include "engine/data/ingest/import/row_pipeline.h"
#include "engine/workspace/input_rows.h"
#include "engine/workspace/temporary_folder.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;

/// Position in the file of each row that is kept, rejected rows counted, from `first` on.
std::vector<std::int64_t> positionsOf(const data::ShapedRows& rows, std::int64_t first) {
  std::vector<std::int64_t> rejected;
  for (const data::RejectedRow& line : rows.block.rejected) rejected.push_back(line.line);
  std::ranges::sort(rejected);
  std::vector<std::int64_t> positions;
  std::int64_t kept = 0;
  for (std::int64_t row = 0; row < rows.block.rows; ++row) {
    if (!rows.keep[static_cast<std::size_t>(row)]) continue;
    const auto before =
        std::ranges::lower_bound(rejected, rows.block.lineOf(row)) - rejected.begin();
    positions.push_back(first + kept++ + before);
  }
  return positions;
}

void addRejected(const data::ShapedRows& rows, std::int64_t linesBefore, const std::string& path,
                 RowScores& out) {
  constexpr std::size_t kShown = 100;
  out.rejected += std::ssize(rows.block.rejected);
  for (const data::RejectedRow& line : rows.block.rejected)
    if (out.rejectedLines.size() < kShown)
      out.rejectedLines.push_back({path, linesBefore + line.line + 1, line.reason, line.excerpt});
}

Status checkRejected(const experiment::Dataset& of, const RowScores& out) {
  const auto good = static_cast<double>(out.scores.size());
  const auto all = good + static_cast<double>(out.rejected);
  if (out.rejected == 0 && !out.scores.empty()) return {};
  if (!out.scores.empty() && static_cast<double>(out.rejected) <= of.maxRejectedShare * all)
    return {};
  Error error{ErrorCode::kData,
              out.rejected == 0 ? fmt::format("{} has no row; at least one is accepted", *of.path)
                                : fmt::format("{}: {} of {} lines were rejected; a share of at "
                                              "most {} is accepted, and at least one row",
                                              *of.path, out.rejected, all, of.maxRejectedShare),
              {},
              *of.path};
  if (!out.rejectedLines.empty()) {
    const data::RejectedLine& first = out.rejectedLines.front();
    error.line = first.line;
    error.message += fmt::format(". line {}: {} [{}]", first.line, first.reason, first.excerpt);
  }
  return error;
}

/// The form of a value: objects by their keys, others by the types that columns of them have. A text
/// that is read as a number, but is none as it stands, is a form of its own.
void addForm(const nlohmann::json& value, std::string& form) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      form += nlohmann::json(key).dump() + ':';
      addForm(member, form);
      form += ',';
    }
    form += '}';
  } else if (value.is_array()) {
    std::set<std::string> forms;
    for (const nlohmann::json& each : value) {
      std::string one;
      addForm(each, one);
      forms.insert(std::move(one));
    }
    for (const std::string& each : forms) form += each + ',';
    form += ']';
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const auto integer = parseInt(text);
    if (integer && fmt::to_string(*integer) == text)
      form += 'i';
    else
      form += parseDouble(text) || text.empty() || text == "true" || text == "false" ? value.dump()
                                                                                     : "s";
  } else {
    const bool isTooLarge =
        value.is_number_unsigned() &&
        value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    form += isTooLarge                  ? value.dump()
            : value.is_number_integer() ? "i"
            : value.is_number()         ? "f"
            : value.is_boolean()        ? "b"
                                        : "n";
  }
}

/// The row, and one that has a value of the right kind where it has none: a column of nulls alone
/// would have no type.
std::string linesToLookAt(std::string_view line, nlohmann::json row, const Experiment& experiment,
                          const data::Dataset& dataset) {
  std::string lines = std::string(line) + '\n';
  bool hasNull = false;
  for (auto& [key, value] : row.items()) {
    if (!value.is_null()) continue;
    hasNull = true;
    value = 0;
    for (const experiment::Column& column : experiment.dataset.columns) {
      const data::IdColumnInfo* ids = dataset.idColumn(column.name);
      if (column.originName() == key && ids && ids->longestBag > 0 && !column.separator)
        value = nlohmann::json::array({0});
    }
  }
  return hasNull ? lines + row.dump() + '\n' : lines;
}

}  // namespace

Result<RowScores> Workspace::predict(const std::string& run, const PredictOptions& options,
                                     const WorkContext& context) const {
  PARAPET_ASSIGN(const store::RunRecord record, state_->shared->store->find(run));
  PARAPET_TRY(requireFile(options.input));
  PARAPET_ASSIGN(OpenedRun opened, openRun(*state_->shared, record.id, options.checkpoint, 0,
                                           context, BagRoom::kOfFile));
  PARAPET_TRY(requireUsersAndItems(opened));
  RowScores out{.runId = opened.record.id, .step = opened.manifest.step};
  out.warnings = opened.warnings;
  PARAPET_ASSIGN(InputRows input,
                 InputRows::open(opened.experiment, options.input, out.warnings, context));
  auto& [spec, source, plan] = input;
  // A piece of the file has many batches.
  const train::Histories histories =
      train::makeHistories(opened.experiment, *opened.dataset, opened.split.train);
  std::int64_t serial = 0;
  RowScorer scorer(opened, histories, plan, serial, out, [&]() -> Status {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the prediction was cancelled"};
    context.report("reading", source->done(), source->total());
    return {};
  });
  data::LineNumbers numbers(*source);
  std::int64_t first = 0;
  const auto take = [&](data::ShapedRows& rows) -> Status {
    const std::int64_t before = numbers.before(rows.piece, rows.block.lines);
    const auto positions = positionsOf(rows, first);
    addRejected(rows, before, *spec.path, out);
    first += rows.rows + std::ssize(rows.block.rejected);
    return scorer.add(rows, positions);
  };
  const data::RowShaper shaper(*source, plan);
  PARAPET_TRY(data::shapeInOrder(*source, shaper, {}, 1, take, context));
  PARAPET_TRY(scorer.flush());
  PARAPET_TRY(checkRejected(spec, out));
  scorer.tell();
  return out;
}

struct RowPredictor::State {
  /// Reads rows of one form.
  struct Reader {
    Reader(State& of, InputRows opened, std::vector<std::string> notes)
        : input(std::move(opened)),
          warnings(std::move(notes)),
          shaper(*input.source, input.plan),
          out{.runId = of.opened->record.id, .step = of.opened->manifest.step},
          scorer(*of.opened, of.histories, input.plan, of.serial, out, [&of]() -> Status {
            if (of.context.cancelled())
              return Error{ErrorCode::kCancelled, "the prediction was cancelled"};
            return {};
          }) {}
    InputRows input;
    std::vector<std::string> warnings;
    data::RowShaper shaper;
    RowScores out;
    RowScorer scorer;
    data::ShapedRows rows;
  };
  /// Forms that are kept: a service has few, and what differs by row makes many.
  static constexpr std::size_t kReaders = 64;

  State(std::unique_ptr<OpenedRun> run, WorkContext work)
      : opened(std::move(run)),
        context(std::move(work)),
        histories(train::makeHistories(opened->experiment, *opened->dataset, opened->split.train)) {
  }

  Result<Reader*> readerOf(std::string_view line, const nlohmann::json& row) {
    std::string form;
    addForm(row, form);
    if (const auto known = readers.find(form); known != readers.end()) return known->second.get();
    if (folder.path().empty())
      return Error{ErrorCode::kIo, "no temporary folder can be made to look at the row in"};
    const std::filesystem::path file = folder.path() / "row.jsonl";
    PARAPET_TRY(
        writeFileAtomically(file, linesToLookAt(line, row, opened->experiment, *opened->dataset)));
    std::vector<std::string> warnings;
    auto input = InputRows::open(opened->experiment, file, warnings, context);
    if (!input.ok()) {
      // Nobody knows the file.
      Error error = input.error();
      error.path.clear();
      error.pointer.clear();
      for (std::size_t at; (at = error.message.find(file.string())) != std::string::npos;)
        error.message.replace(at, file.string().size(), "the row");
      return error;
    }
    if (readers.size() == kReaders) readers.clear();
    auto& reader = readers[form];
    reader = std::make_unique<Reader>(*this, std::move(*input), std::move(warnings));
    return reader.get();
  }

  std::unique_ptr<OpenedRun> opened;
  WorkContext context;
  const train::Histories histories;
  TemporaryFolder folder;
  std::int64_t serial = 0;
  std::map<std::string, std::unique_ptr<Reader>> readers;
};

RowPredictor::RowPredictor(std::unique_ptr<OpenedRun> opened, WorkContext context)
    : state_(std::make_unique<State>(std::move(opened), std::move(context))) {}
RowPredictor::~RowPredictor() = default;

std::int64_t RowPredictor::step() const {
  return state_->opened->manifest.step;
}

const std::vector<std::string>& RowPredictor::warnings() const {
  return state_->opened->warnings;
}

Result<RowScores> RowPredictor::score(std::string_view line) {
  const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
  if (!row.is_object()) return Error{ErrorCode::kData, "the row is no JSON object"};
  PARAPET_ASSIGN(State::Reader * reader, state_->readerOf(line, row));
  reader->scorer.startAgain();
  reader->rows.piece.text = line;
  PARAPET_TRY(reader->shaper.shape(reader->rows, 0, std::numeric_limits<std::int64_t>::max()));
  if (!reader->rows.block.rejected.empty())
    return Error{ErrorCode::kData, reader->rows.block.rejected.front().reason};
  const std::int64_t first = 0;
  PARAPET_TRY(reader->scorer.add(reader->rows, {&first, 1}));
  PARAPET_TRY(reader->scorer.flush());
  if (reader->out.scores.empty())
    return Error{ErrorCode::kData, "the row has no value of a column that is read"};
  reader->out.warnings = reader->warnings;
  reader->scorer.tell();
  return reader->out;
}

Result<std::unique_ptr<RowPredictor>> Workspace::rowPredictor(const std::string& run,
                                                              CheckpointChoice choice,
                                                              const WorkContext& context) const {
  PARAPET_ASSIGN(const store::RunRecord record, state_->shared->store->find(run));
  PARAPET_ASSIGN(OpenedRun opened,
                 openRun(*state_->shared, record.id, choice, 0, context, BagRoom::kOfFile));
  PARAPET_TRY(requireUsersAndItems(opened));
  return std::make_unique<RowPredictor>(std::make_unique<OpenedRun>(std::move(opened)), context);
}

}  // namespace parapet::workspace
