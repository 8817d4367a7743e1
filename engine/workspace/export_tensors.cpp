// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/export_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/files.h"
#include "engine/base/record/location.h"
#include "engine/base/text.h"
#include "engine/train/bert_config.h"
#include "engine/train/bert_weights.h"
#include "engine/workspace/labelled_rows.h"

namespace parapet::workspace {
namespace {

std::map<std::string, std::string> originOf(const OpenedRun& opened) {
  return {{"run", opened.record.id},
          {"step", fmt::format("{}", opened.manifest.step)},
          {"fingerprint", opened.manifest.fingerprint}};
}

/// Vectors of what the data know by an id, with the ids.
class VectorsOfIds {
 public:
  explicit VectorsOfIds(std::int64_t dim) : dim_(dim) {}
  /// Adds row `row` of a matrix [., dim].
  void add(std::string_view id, std::span<const float> values, std::int64_t row) {
    ids_.push_back(id);
    const auto from =
        values.subspan(static_cast<std::size_t>(row * dim_), static_cast<std::size_t>(dim_));
    values_.insert(values_.end(), from.begin(), from.end());
  }
  [[nodiscard]] LabelledRows labelled(std::string name) const {
    return {std::move(name), static_cast<std::int64_t>(ids_.size()), dim_,
            [this](std::int64_t row) { return ids_[static_cast<std::size_t>(row)]; }, values_};
  }

 private:
  std::int64_t dim_;
  std::vector<std::string_view> ids_;
  std::vector<float> values_;
};

std::string contextNames(const retrieval::QueryEncoder& encoder) {
  std::vector<std::string> names;
  for (const retrieval::ContextColumn& column : encoder.contexts())
    names.push_back(printable(column.name));
  return join(names);
}

/// [U, D] of all rows of the users' vocabulary; empty where a query is more than its user. A history
/// is the user's own at the end of the data, as that of the lists that `recommend` makes.
Result<std::vector<float>> vectorsOfUsers(const retrieval::ModelSnapshot& model,
                                          const WorkContext& context) {
  if (!model.encoder) return model.queries;
  if (!model.encoder->contexts().empty()) return std::vector<float>();
  constexpr std::int64_t kBlock = 4096;  // users between two looks at a cancellation
  const auto dim = static_cast<std::size_t>(model.dim);
  std::vector<float> vectors(static_cast<std::size_t>(model.queryRows) * dim);
  std::vector<retrieval::EncoderQuery> queries;
  for (std::int64_t first = 0; first < model.queryRows; first += kBlock) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
    context.report("vectors of users", first, model.queryRows);
    queries.assign(static_cast<std::size_t>(std::min(kBlock, model.queryRows - first)), {});
    for (std::size_t i = 0; i < queries.size(); ++i)
      queries[i].user = static_cast<std::int32_t>(first) + static_cast<std::int32_t>(i);
    model.encoder->encode(queries, std::span(vectors).subspan(static_cast<std::size_t>(first) * dim,
                                                              queries.size() * dim));
  }
  return vectors;
}

}  // namespace

Result<Exported> exportCheckpoint(Shared& shared, const std::string& run,
                                  const ExportOptions& options) {
  PARAPET_ASSIGN(const OpenedRun opened, openRun(shared, run, options.checkpoint, 1));
  Exported exported{{}, opened.manifest.step, opened.warnings};
  const std::vector<checkpoint::TensorView> tensors = opened.session->tensors();
  if (options.format == "safetensors") {
    PARAPET_TRY(checkpoint::writeSafetensors(options.out, tensors, originOf(opened)));
    exported.files = {options.out};
    return exported;
  }
  PARAPET_TRY(createFolders(options.out));
  for (const checkpoint::TensorView& tensor : tensors) {
    exported.files.push_back(options.out / exportedFileName(tensor.name, ".npy"));
    PARAPET_TRY(checkpoint::writeNpy(exported.files.back(), tensor));
  }
  return exported;
}

Result<Exported> exportTables(Shared& shared, const std::string& run, const ExportOptions& options,
                              const WorkContext& context) {
  PARAPET_ASSIGN(const OpenedRun opened, openRun(shared, run, options.checkpoint, 1));
  std::map<std::string, const data::Vocabulary*> vocabularies;
  for (const experiment::Table& table : opened.experiment.tables)
    vocabularies["tables/" + table.name + "/weight"] =
        &opened.dataset->vocabulary(table.vocabulary);
  std::vector<LabelledRows> matrices;
  for (const checkpoint::TensorView& tensor : opened.session->tensors()) {
    if (!tensor.name.ends_with("/weight")) continue;
    LabelledRows& matrix =
        matrices.emplace_back(LabelledRows{tensor.name,
                                           tensor.shape[0],
                                           tensor.shape[1],
                                           {},
                                           {reinterpret_cast<const float*>(tensor.bytes.data()),
                                            tensor.bytes.size() / sizeof(float)}});
    if (const auto found = vocabularies.find(tensor.name); found != vocabularies.end())
      matrix.id = [ids = found->second](std::int64_t row) {
        return row < ids->size() ? ids->rawId(row) : std::string_view();
      };
  }
  PARAPET_ASSIGN(auto files, writeLabelledRows(options.out, options.format, matrices,
                                               originOf(opened), context));
  Exported exported{std::move(files), opened.manifest.step, opened.warnings};
  if (std::string note = formulaNote(options.format, matrices); !note.empty())
    exported.warnings.push_back(std::move(note));
  return exported;
}

Result<Exported> exportModel(Shared& shared, const std::string& run, const ExportOptions& options) {
  PARAPET_ASSIGN(const OpenedRun opened, openRun(shared, run, options.checkpoint, 1));
  if (!experiment::readsText(opened.experiment.model.kind))
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("run {} is no masked language model; accepted are its tables, vectors "
                             "or checkpoint",
                             opened.record.id)};
  experiment::Findings findings;
  const experiment::BertLayout layout =
      experiment::bertLayout(opened.experiment, experiment::Location("", findings));
  if (!findings.problems.empty()) {
    const experiment::Problem& first = findings.problems.front();
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("run {} has not the layers of BERT: {}; accepted: {}",
                             opened.record.id, first.message, first.accepted),
                 first.pointer};
  }
  PARAPET_TRY(createFolders(options.out));
  const data::Vocabulary& pieces = opened.dataset->vocabularyOf(experiment::kTokensColumn);
  std::string lines;
  for (std::int64_t row = 0; row < pieces.size(); ++row)
    lines.append(pieces.rawId(row)).push_back('\n');
  std::map<std::string, std::string> metadata = originOf(opened);
  metadata["format"] = "pt";  // without it transformers refuses the file
  const train::OwnedTensors tensors = train::bertTensors(layout, opened.session->parameters());
  Exported exported{
      {options.out / "model.safetensors", options.out / "config.json", options.out / "vocab.txt"},
      opened.manifest.step,
      opened.warnings};
  PARAPET_TRY(checkpoint::writeSafetensors(exported.files[0], tensors.views, metadata));
  PARAPET_TRY(
      writeFileAtomically(exported.files[1], train::bertConfig(layout.settings, pieces.size())));
  PARAPET_TRY(writeFileAtomically(exported.files[2], lines));
  exported.warnings.insert(exported.warnings.end(), layout.differences.begin(),
                           layout.differences.end());
  return exported;
}

Result<Exported> exportVectors(Shared& shared, const std::string& run, const ExportOptions& options,
                               const WorkContext& context) {
  PARAPET_ASSIGN(const OpenedRun opened, openRun(shared, run, options.checkpoint, 0));
  PARAPET_TRY(requireUsersAndItems(opened));
  if (!experiment::hasTowers(opened.experiment.model.kind))
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("run {} is a ranking model, which has no vectors of users and items; "
                             "accepted are its tables",
                             opened.record.id)};
  PARAPET_ASSIGN(const retrieval::ModelSnapshot model, opened.session->snapshot());
  Exported exported{{}, opened.manifest.step, opened.warnings};
  const nn::Model& names = opened.session->model();
  // In the order of the data: of rows, then of the ids that share one.
  const data::ItemIndex& index = opened.dataset->itemIndex(names.candidateColumn);
  VectorsOfIds items(model.dim), users(model.dim);
  const std::int64_t entries = opened.dataset->vocabularyOf(names.candidateColumn).entries();
  for (std::int32_t entry = 1; entry < entries; ++entry)
    if (const std::int32_t item = index.ofEntry(entry); item > 0 && index.hasRow(item))
      items.add(index.id(item), model.candidates, index.vectorOf(item));
  std::vector<LabelledRows> matrices{items.labelled("items")};
  PARAPET_ASSIGN(const std::vector<float> queries, vectorsOfUsers(model, context));
  if (queries.empty()) {
    exported.warnings.push_back(fmt::format(
        "vectors of users are left out: they depend on more than the user, {} of each query",
        contextNames(*model.encoder)));
  } else {
    const data::Vocabulary& known = opened.dataset->vocabularyOf(names.queryColumn);
    for (std::int64_t row = 1; row < known.size(); ++row)
      if (!known.rawId(row).empty()) users.add(known.rawId(row), queries, row);
    matrices.push_back(users.labelled("users"));
  }
  PARAPET_ASSIGN(exported.files, writeLabelledRows(options.out, options.format, matrices,
                                                   originOf(opened), context));
  if (std::string note = formulaNote(options.format, matrices); !note.empty())
    exported.warnings.push_back(std::move(note));
  return exported;
}

}  // namespace parapet::workspace
