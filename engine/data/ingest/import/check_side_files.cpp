// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/import/check_side_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/import/column_roles.h"
#include "engine/data/ingest/import/vectors_import.h"
#include "engine/data/ingest/sources/catalogue_file.h"
#include "engine/data/ingest/sources/corpus_source.h"
#include "engine/data/ingest/sources/side_file.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;
using experiment::ColumnRole;

bool isArray(const fs::path& file) {
  return toLowerAscii(file.extension().string()) == ".npy";
}

/// The columns of user and item, which a document may leave to the names of its source.
std::vector<experiment::Column> idColumnsOf(const experiment::Dataset& spec,
                                            const GeneratorFactory& makeGenerator) {
  if (!spec.columns.empty()) return spec.columns;
  experiment::Dataset alone = spec;
  alone.catalogues.clear();
  alone.vectors.clear();
  const auto source = openSource(alone, makeGenerator);
  return source ? columnsOf(spec, (*source)->columns()) : spec.columns;
}

std::string originOf(const std::vector<experiment::Column>& columns, std::string_view role) {
  for (const experiment::Column& column : columns)
    if (roleName(column.role) == role) return column.originName();
  return {};
}

std::optional<Error> errorOfCatalogue(const experiment::Dataset& spec, std::size_t index,
                                      const std::vector<experiment::Column>& columns) {
  experiment::Dataset one = spec;
  one.catalogues = {spec.catalogues[index]};
  const auto opened =
      openCatalogueFiles(one, [&](std::string_view role) { return originOf(columns, role); });
  if (opened) return std::nullopt;
  Error error = opened.error();
  const std::string first = "/dataset/catalogues/0";
  if (error.pointer.starts_with(first))
    error.pointer =
        fmt::format("/dataset/catalogues/{}{}", index, error.pointer.substr(first.size()));
  return error;
}

/// The setting that keeps a file of vectors from being read.
const char* keyOfVectors(const experiment::Dataset& spec,
                         const experiment::PretrainedEmbeddings& vectors) {
  if (!findSideFile(spec, vectors.path)) return "path";
  const auto columns = sideFileColumns(spec, vectors.ids.value_or(vectors.path));
  if (!columns) return isArray(vectors.path) ? "ids" : "path";
  const auto has = [&](const std::string& name) {
    return std::ranges::find(*columns, name, &SourceColumn::name) != columns->end();
  };
  return !has(vectors.id) ? "id" : isArray(vectors.path) ? "path" : "column";
}

}  // namespace

Result<std::vector<SourceColumn>> sideFileColumns(
    const experiment::Dataset& spec, const std::string& path,
    const std::optional<experiment::TextFormat>& format) {
  std::string table = path;
  if (isArray(path)) table = fs::path(path).replace_extension(".ids.csv").string();
  PARAPET_ASSIGN(const std::string found, findSideFile(spec, table));
  PARAPET_ASSIGN(const auto lines, openTable(found, format, TextEncoding::kWindows1252));
  return lines->columns();
}

std::vector<Error> checkSideFiles(const experiment::Dataset& spec,
                                  const GeneratorFactory& makeGenerator) {
  std::vector<Error> errors;
  if (spec.catalogues.empty() && spec.vectors.empty()) return errors;
  const std::vector<experiment::Column> columns = idColumnsOf(spec, makeGenerator);
  // Nothing is known of data that cannot be opened; the import says why.
  for (std::size_t i = 0; !columns.empty() && i < spec.catalogues.size(); ++i)
    if (auto error = errorOfCatalogue(spec, i, columns)) errors.push_back(std::move(*error));
  for (std::size_t i = 0; i < spec.vectors.size(); ++i) {
    const auto opened = VectorSource::open(spec, spec.vectors[i]);
    if (opened) continue;
    Error error = opened.error();
    error.pointer = fmt::format("/dataset/vectors/{}/{}", i, keyOfVectors(spec, spec.vectors[i]));
    errors.push_back(std::move(error));
  }
  return errors;
}

std::string sideFileName(const experiment::Dataset& spec, const fs::path& file) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(file, ignored);
  if (spec.source == experiment::SourceKind::kGenerated || !spec.path) return whole.string();
  const fs::path data = fs::absolute(*spec.path, ignored);
  const fs::path folder = fs::is_directory(data, ignored) ? data : data.parent_path();
  return fs::equivalent(whole.parent_path(), folder, ignored) ? whole.filename().string()
                                                              : whole.string();
}

Result<experiment::PretrainedEmbeddings> proposeVectors(const experiment::Dataset& spec,
                                                        const fs::path& file) {
  PARAPET_ASSIGN(const std::vector<SourceColumn> columns, sideFileColumns(spec, file.string()));
  experiment::PretrainedEmbeddings vectors;
  vectors.path = sideFileName(spec, file);
  const auto isOf = [](const SourceColumn& column, ColumnRole role) {
    return !column.isList && column.type != ValueType::kNumber &&
           (roleOfName(column.name) == role || roleOfWord(column.name) == role);
  };
  ColumnRole role = ColumnRole::kItem;
  const SourceColumn* id = nullptr;
  for (const ColumnRole each : {ColumnRole::kItem, ColumnRole::kUser})
    for (const SourceColumn& column : columns)
      if (id == nullptr && isOf(column, each)) {
        id = &column;
        role = each;
      }
  if (id == nullptr && !columns.empty()) id = columns.data();
  if (id != nullptr) vectors.id = id->name;
  for (const experiment::Column& column : spec.columns)
    if (column.role == role) vectors.of = column.vocabularyName();
  if (vectors.of.empty()) vectors.of = roleName(role);
  std::vector<std::string> lists;
  for (const SourceColumn& column : columns)
    if (column.isList && column.type != ValueType::kText) lists.push_back(column.name);
  const auto normal = std::ranges::find_if(lists, [](const std::string& name) {
    return toLowerAscii(name).find("normal") != std::string::npos;
  });
  if (lists.size() > 1) vectors.column = normal == lists.end() ? lists.front() : *normal;
  // Names of files may have what names of a document may not.
  std::string name = toLowerAscii(file.stem().string());
  std::ranges::replace_if(
      name, [](unsigned char byte) { return std::isalnum(byte) == 0 && byte != '_'; }, '-');
  vectors.name = name.empty() ? "vectors" : name;
  const auto isTaken = [&](const std::string& wanted) {
    return std::ranges::find(spec.vectors, wanted, &experiment::PretrainedEmbeddings::name) !=
           spec.vectors.end();
  };
  for (int number = 2; isTaken(vectors.name); ++number)
    vectors.name = fmt::format("{}-{}", name, number);
  return vectors;
}

std::vector<Error> missingFiles(const experiment::Dataset& spec) {
  std::vector<Error> errors;
  if (spec.isText())
    if (const auto pieces = openPieces(spec); !pieces) errors.push_back(pieces.error());
  const experiment::Split& split = spec.split;
  if (split.kind != experiment::SplitKind::kFiles) return errors;
  for (const auto& [part, file] :
       {std::pair{"train", &split.trainFile}, std::pair{"validation", &split.validationFile},
        std::pair{"test", &split.testFile}}) {
    if (!*file) continue;
    const auto found = findSideFile(spec, **file);
    if (found) continue;
    Error error = found.error();
    error.pointer = std::string("/dataset/split/") + part;
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace parapet::data
