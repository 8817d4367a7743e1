// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/data/dataset/checked_file.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/dataset/vocabulary_writer.h"

namespace parapet::data {

/// A data set of six rows with a file of every kind, written without an import. Its manifest can be
/// made to agree with whatever its files hold.
class SampleDataset {
 public:
  explicit SampleDataset(const std::filesystem::path& parent) : folder_(parent / kHash) {
    std::filesystem::create_directories(folder_);
    manifest_.hash = kHash;
    manifest_.rows = 6;
    for (const auto& [name, rows] : {std::pair{"user", 4}, {"item", 5}, {"tag", 3}})
      addVocabulary(name, rows);
    addRows("user", "user", "user", {1, 2, 3, 1, 2, 0});
    addRows("item", "item", "item", {1, 2, 3, 4, 0, 1});
    addRows("tags", "feature", "tag", {1, 2, 2, 1, 0}, {0, 2, 2, 3, 5, 5, 5});
    add(bagWeightsFile("tags"), std::vector<float>{.5f, 1, 2, 1, 1});
    manifest_.columns.push_back({.name = "x", .role = Manifest::kNumberRole});
    add(Manifest::denseFile("x"), std::vector<float>{0, 1, 2, 3, 4, 5});
    add(kLabelFile, std::vector<float>{0, .25f, .5f, .75f, 1, 0});
    add(kWeightFile, std::vector<float>{1, 1, 2, 1, 1, 3});
    add(kTimeFile, std::vector<std::int64_t>{10, 20, 30, 40, 50, 60});
    manifest_.vectors = {{"image", "item", 2, 4}};
    add(vectorsFile("image"), std::vector<float>(10, .5f));
    writeManifest();
  }

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] Manifest& manifest() { return manifest_; }
  /// Names of the files, the manifest not among them.
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const Manifest::File& file : manifest_.files) names.push_back(file.name);
    return names;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    return readFile(folder_ / name).value();
  }
  void write(const std::string& name, std::string_view content) const {
    std::ofstream file(folder_ / name, std::ios::binary | std::ios::trunc);
    if (!file.write(content.data(), static_cast<std::streamsize>(content.size())))
      throw InternalError("the sample cannot be written");
  }
  /// Makes the manifest say what the files hold.
  void agree() {
    for (Manifest::File& file : manifest_.files) {
      const std::string content = read(file.name);
      file.bytes = content.size();
      file.blocks.clear();
      for (std::size_t first = 0; first < content.size(); first += Manifest::kBlockBytes)
        file.blocks.push_back(
            hashHex(std::string_view(content).substr(first, Manifest::kBlockBytes)));
    }
    writeManifest();
  }

 private:
  static constexpr const char* kHash = "0123456789abcdef0123456789abcdef";

  template <class T>
  void add(const std::string& name, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    manifest_.files.push_back({name, bytes.size(), {hashHex(bytes)}});
  }
  void addRows(const std::string& column, const std::string& role, const std::string& vocabulary,
               const std::vector<std::int32_t>& rows,
               const std::vector<std::int64_t>& offsets = {}) {
    manifest_.columns.push_back({column, role, vocabulary, offsets.empty() ? 0 : 2});
    add(rowsFile(column), rows);
    if (!offsets.empty()) add(offsetsFile(column), offsets);
  }
  void addVocabulary(const std::string& name, int rows) {
    VocabularyWriter writer({"kind"});
    writer.add({});
    for (int row = 1; row < rows; ++row)
      writer.add({std::to_string(row), name + " " + std::to_string(row), {"a"}, 1, true});
    if (!writer.write(folder_, name).ok()) throw InternalError("the sample cannot be written");
    manifest_.vocabularies.push_back({name, rows, 0.0, 0});
    const std::string content = read(vocabularyFile(name));
    manifest_.files.push_back({vocabularyFile(name), content.size(), {hashHex(content)}});
  }
  void writeManifest() const {
    if (!manifest_.write(folder_).ok()) throw InternalError("the sample cannot be written");
  }

  std::filesystem::path folder_;
  Manifest manifest_;
};

/// Reads everything of a data set, and throws InternalError where an element leads outside a table.
inline void readAll(const Dataset& dataset) {
  const auto require = [](bool holds) {
    if (!holds) throw InternalError("an element leads outside its table");
  };
  const auto rows = static_cast<std::size_t>(dataset.rows());
  for (const IdColumnInfo& column : dataset.columns()) {
    const auto ids = dataset.ids(column.name);
    const auto offsets = dataset.bagOffsets(column.name);
    const std::int64_t size = dataset.vocabularyOf(column.name).size();
    require(std::ranges::all_of(ids, [&](std::int32_t row) { return row >= 0 && row < size; }));
    require(ids.size() == rows || offsets.size() == rows + 1);
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
      require(offsets[row] <= offsets[row + 1] &&
              offsets[row + 1] - offsets[row] <= column.longestBag);
    if (!offsets.empty())
      require(offsets.front() == 0 && static_cast<std::size_t>(offsets.back()) == ids.size());
    const auto weights = dataset.bagWeights(column.name);
    require(weights.empty() || weights.size() == ids.size());
  }
  for (const std::string& column : dataset.denseColumns())
    require(dataset.denseValues(column).size() == rows);
  require(dataset.labels().size() == rows);
  require(dataset.weights().empty() || dataset.weights().size() == rows);
  require(dataset.times().empty() || dataset.times().size() == rows);
  for (const Vocabulary& vocabulary : dataset.vocabularies())
    for (std::int64_t row = 0; row < vocabulary.size(); ++row)
      require(vocabulary.title(row).size() + vocabulary.rawId(row).size() < (1u << 30));
}

}  // namespace parapet::data
