// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/export_tensors.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/files.h"
#include "engine/base/progress.h"
#include "engine/base/quoting.h"
#include "engine/base/record/location.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/train/bert_weights.h"

namespace parapet::workspace {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kRowsAtOnce = 1 << 16;

/// A matrix whose rows belong to ids of the data: vectors of users or items, a table.
struct LabelledRows {
  std::string name;  ///< "users", "tables/item/weight"
  std::int64_t rows = 0, dim = 0;
  /// Raw ids as in the data, "" where a row has none; null: no row has, as in the weight of a layer.
  std::function<std::string_view(std::int64_t row)> id;
  std::span<const float> values;  ///< [rows, dim], row-major
};

std::span<const float> rowOf(const LabelledRows& matrix, std::int64_t row) {
  return matrix.values.subspan(static_cast<std::size_t>(row * matrix.dim),
                               static_cast<std::size_t>(matrix.dim));
}

checkpoint::TensorView valuesOf(const LabelledRows& matrix) {
  return {matrix.name,
          checkpoint::ElementType::kF32,
          {matrix.rows, matrix.dim},
          std::as_bytes(matrix.values)};
}

Status writeSafetensors(const fs::path& path, std::span<const LabelledRows> matrices,
                        const std::map<std::string, std::string>& metadata) {
  struct Ids {
    std::string bytes;
    std::vector<std::int64_t> ends;
  };
  std::list<Ids> kept;
  std::vector<checkpoint::TensorView> tensors;
  for (const LabelledRows& matrix : matrices) {
    tensors.push_back(valuesOf(matrix));
    if (!matrix.id) continue;
    Ids& ids = kept.emplace_back();
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      ids.bytes += matrix.id(row);
      ids.ends.push_back(static_cast<std::int64_t>(ids.bytes.size()));
    }
    tensors.push_back({matrix.name + "/ids",
                       checkpoint::ElementType::kU8,
                       {static_cast<std::int64_t>(ids.bytes.size())},
                       std::as_bytes(std::span(ids.bytes))});
    tensors.push_back({matrix.name + "/id_ends",
                       checkpoint::ElementType::kI64,
                       {matrix.rows},
                       std::as_bytes(std::span(ids.ends))});
  }
  return checkpoint::writeSafetensors(path, tensors, metadata);
}

Status writeIds(const fs::path& path, const LabelledRows& matrix) {
  return writeAtomically(path, [&](FileWriter& file) -> Status {
    std::string lines = "id\n";
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      // A line without a character would be no row to those who skip blank lines.
      if (matrix.id(row).empty())
        lines += "\"\"";
      else
        appendCsvField(lines, matrix.id(row));
      lines += '\n';
    }
    return file.write(lines);
  });
}

Status writeCsv(const fs::path& path, const LabelledRows& matrix, const WorkContext& context) {
  return writeAtomically(path, [&](FileWriter& file) -> Status {
    std::string lines = matrix.id ? "id," : "";
    for (std::int64_t column = 0; column < matrix.dim; ++column)
      lines += fmt::format("v{}{}", column, column + 1 < matrix.dim ? ',' : '\n');
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      if (matrix.id) {
        appendCsvField(lines, matrix.id(row));
        lines += ',';
      }
      for (const float value : rowOf(matrix, row))
        fmt::format_to(std::back_inserter(lines), FMT_COMPILE("{},"), value);
      lines.back() = '\n';
      if ((row + 1) % kRowsAtOnce != 0) continue;
      if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
      context.report("exporting", row + 1, matrix.rows);
      PARAPET_TRY(file.write(lines));
      lines.clear();
    }
    return file.write(lines);
  });
}

Status writeParquet(const fs::path& path, const LabelledRows& matrix, const WorkContext& context) {
  std::vector<data::ParquetColumn> columns;
  if (matrix.id) columns.push_back({"id", data::ParquetType::kText});
  columns.push_back({"vector", data::ParquetType::kFloat, /*isList=*/true});
  PARAPET_ASSIGN(auto writer, data::ParquetWriter::create(path, columns));
  data::RowBlock block;
  block.columns.resize(columns.size());
  data::ColumnValues& vectors = block.columns.back();
  for (std::int64_t first = 0; first < matrix.rows; first += kRowsAtOnce) {
    if (context.cancelled()) return Error{ErrorCode::kCancelled, "the export was cancelled"};
    context.report("exporting", first, matrix.rows);
    const std::int64_t end = std::min(first + kRowsAtOnce, matrix.rows);
    block.clear();
    block.rows = end - first;
    if (matrix.id) block.columns[0].type = data::ValueType::kText;
    vectors.type = data::ValueType::kNumber;
    vectors.offsets.assign(1, 0);
    for (std::int64_t row = first; row < end; ++row) {
      if (matrix.id) block.columns[0].texts.push_back(matrix.id(row));
      const std::span<const float> values = rowOf(matrix, row);
      vectors.numbers.insert(vectors.numbers.end(), values.begin(), values.end());
      vectors.offsets.push_back(static_cast<std::int32_t>(vectors.numbers.size()));
    }
    PARAPET_TRY(writer.write(block));
  }
  return writer.finish();
}

/// A warning of ids in CSV files that spreadsheets take for formulas; "" if there are none.
std::string formulaNote(const std::string& format, std::span<const LabelledRows> matrices) {
  if (format != "csv" && format != "npy") return {};  // whose ids are in a CSV file
  FormulaCount formulas;
  for (const LabelledRows& matrix : matrices)
    for (std::int64_t row = 0; matrix.id && row < matrix.rows; ++row) formulas.look(matrix.id(row));
  return formulas.note();
}

/// The file of a tensor in a folder: "tables.item.weight.npy" of "tables/item/weight".
std::string exportedFileName(std::string name, std::string_view ending) {
  std::ranges::replace(name, '/', '.');
  return name.append(ending);
}

/// Writes matrices with their ids as files that others read; returns the files.
///
///   safetensors  one file `out`: <name> f32 [rows, dim]; <name>/ids u8 [bytes], the ids one after
///                the other in UTF-8; <name>/id_ends i64 [rows], where each of them ends
///   npy          folder `out`: <name>.npy f32 [rows, dim], <name>.ids.csv with one column `id`
///   csv          folder `out`: <name>.csv with columns id, v0, v1, …; digits that read back exactly
///   parquet      folder `out`: <name>.parquet with columns id (text) and vector (list of float)
///
/// Without ids their part is left out. A file appears when it is complete.
///
/// Errors   kInvalidDocument for another format; kDevice where the Parquet plugin is missing; kIo;
///          kCancelled.
Result<std::vector<fs::path>> writeLabelledRows(const fs::path& out, const std::string& format,
                                                std::span<const LabelledRows> matrices,
                                                const std::map<std::string, std::string>& metadata,
                                                const WorkContext& context) {
  if (format == "safetensors") {
    PARAPET_TRY(writeSafetensors(out, matrices, metadata));
    return std::vector{out};
  }
  if (format != "npy" && format != "csv" && format != "parquet")
    return Error{
        ErrorCode::kInvalidDocument,
        fmt::format("format \"{}\" for vectors; accepted are safetensors, npy, csv, parquet",
                    format)};
  PARAPET_TRY(createFolders(out));
  std::vector<fs::path> files;
  for (const LabelledRows& matrix : matrices) {
    files.push_back(out / exportedFileName(matrix.name, "." + format));
    if (format == "csv") {
      PARAPET_TRY(writeCsv(files.back(), matrix, context));
    } else if (format == "parquet") {
      PARAPET_TRY(writeParquet(files.back(), matrix, context));
    } else {
      PARAPET_TRY(checkpoint::writeNpy(files.back(), valuesOf(matrix)));
      if (!matrix.id) continue;
      files.push_back(out / exportedFileName(matrix.name, ".ids.csv"));
      PARAPET_TRY(writeIds(files.back(), matrix));
    }
  }
  return files;
}

constexpr const char* kDotProduct = "the dot product of two vectors";

/// Facts that readers of the file need besides its values; texts, as safetensors has them.
std::map<std::string, std::string> originOf(const OpenedRun& opened) {
  std::map<std::string, std::string> origin{{"run", opened.record.id},
                                            {"step", fmt::format("{}", opened.manifest.step)},
                                            {"fingerprint", opened.manifest.fingerprint},
                                            {"data", opened.manifest.dataset},
                                            {"name", opened.record.name}};
  if (experiment::hasTowers(opened.experiment.model.kind)) origin["score"] = kDotProduct;
  if (const auto temperature = opened.session->temperature())
    origin["temperature"] = fmt::format("{}", *temperature);
  return origin;
}

/// Says what files of matrices are, in `manifest.json` of their folder; of one file, beside it.
Status writeManifest(const fs::path& out, const std::string& format,
                     std::span<const LabelledRows> matrices,
                     const std::map<std::string, std::string>& origin,
                     std::vector<fs::path>& files) {
  nlohmann::ordered_json manifest{{"format", "parapet-matrices"}, {"version", 1}};
  for (const auto& [name, value] : origin) manifest[name] = value;
  for (const LabelledRows& matrix : matrices) {
    nlohmann::ordered_json entry{{"name", matrix.name},
                                 {"rows", matrix.rows},
                                 {"width", matrix.dim},
                                 {"has_ids", static_cast<bool>(matrix.id)}};
    if (format != "safetensors") entry["file"] = exportedFileName(matrix.name, "." + format);
    if (format == "npy" && matrix.id) entry["ids"] = exportedFileName(matrix.name, ".ids.csv");
    manifest["matrices"].push_back(std::move(entry));
  }
  fs::path path = out / "manifest.json";
  if (format == "safetensors") (path = out) += ".manifest.json";
  PARAPET_TRY(writeFileAtomically(path, manifest.dump(1) + "\n"));
  files.push_back(std::move(path));
  return {};
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
                                  const ExportOptions& options, const WorkContext& context) {
  if (shared.isModel)
    return shared.readOnlyBecause->wrap("the slots of the optimizer are not known; its tables are");
  PARAPET_ASSIGN(const OpenedRun opened, openRun(shared, run, options.checkpoint, 1, context));
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
  PARAPET_ASSIGN(const OpenedRun opened, openRun(shared, run, options.checkpoint, 1, context));
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
  const auto origin = originOf(opened);
  PARAPET_ASSIGN(auto files,
                 writeLabelledRows(options.out, options.format, matrices, origin, context));
  PARAPET_TRY(writeManifest(options.out, options.format, matrices, origin, files));
  Exported exported{std::move(files), opened.manifest.step, opened.warnings};
  if (std::string note = formulaNote(options.format, matrices); !note.empty())
    exported.warnings.push_back(std::move(note));
  return exported;
}

Result<Exported> exportModel(Shared& shared, const std::string& run, const ExportOptions& options,
                             const WorkContext& context) {
  PARAPET_ASSIGN(const OpenedRun opened, openRun(shared, run, options.checkpoint, 1, context));
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
                               const WorkContext& context) try {
  PARAPET_ASSIGN(const OpenedRun opened, openRun(shared, run, options.checkpoint, 0, context));
  PARAPET_TRY(requireUsersAndItems(opened));
  if (!experiment::hasTowers(opened.experiment.model.kind))
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("run {} is a ranking model, which has no vectors of users and items; "
                             "accepted are its tables",
                             opened.record.id)};
  PARAPET_ASSIGN(const retrieval::ModelSnapshot model, opened.session->snapshot(context.stop));
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
  const auto origin = originOf(opened);
  PARAPET_ASSIGN(exported.files,
                 writeLabelledRows(options.out, options.format, matrices, origin, context));
  PARAPET_TRY(writeManifest(options.out, options.format, matrices, origin, exported.files));
  if (std::string note = formulaNote(options.format, matrices); !note.empty())
    exported.warnings.push_back(std::move(note));
  return exported;
} catch (const data::PassStopped&) {
  return Error{ErrorCode::kCancelled, "the export was cancelled"};
}

Result<Exported> exportQueryVectors(Workspace& workspace, const std::string& run,
                                    const ExportOptions& options, const WorkContext& context) {
  Exported exported;
  PARAPET_ASSIGN(const auto asked,
                 workspace.recommender(run, options.checkpoint, &exported.warnings, context));
  PARAPET_ASSIGN(const std::vector<float> vectors, asked->queryVectors(options.queries));
  const retrieval::ModelSnapshot& model = asked->model();
  exported.step = model.step;
  const LabelledRows matrix{"queries", std::ssize(options.queries), model.dim,
                            [&](std::int64_t row) -> std::string_view {
                              return options.queries[static_cast<std::size_t>(row)].user;
                            },
                            vectors};
  const std::map<std::string, std::string> origin{
      {"run", model.runId}, {"step", fmt::format("{}", model.step)}, {"score", kDotProduct}};
  PARAPET_ASSIGN(exported.files,
                 writeLabelledRows(options.out, options.format, {&matrix, 1}, origin, context));
  PARAPET_TRY(writeManifest(options.out, options.format, {&matrix, 1}, origin, exported.files));
  return exported;
}

}  // namespace parapet::workspace
