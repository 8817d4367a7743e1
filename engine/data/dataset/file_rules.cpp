// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/file_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/text.h"
#include "engine/experiment/split_part.h"

namespace parapet::data {
namespace {

// Collects the rules of a manifest; the first contradiction is kept.
class RuleBook {
 public:
  RuleBook(const std::filesystem::path& folder, const Manifest& manifest)
      : path_(folder / Manifest::kFileName), manifest_(manifest) {
    rules_.resize(manifest.files.size());
    for (std::size_t i = 0; i < rules_.size(); ++i) rules_[i].file = manifest.files[i];
    isRuled_.resize(rules_.size());
    if (folder.filename() != manifest.hash)
      refuse(fmt::format("is the manifest of the data set {}; the folder is named {}",
                         printable(manifest.hash), folder.filename().string()));
  }

  void refuse(std::string what) {
    if (!error_)
      error_ =
          Error{ErrorCode::kData, fmt::format("{}: {}", path_.string(), what), "", path_.string()};
  }

  // The rule of a file that the manifest must name; null if it does not.
  FileRule* require(const std::string& name, FileContent content) {
    const auto found = std::ranges::find(manifest_.files, name, &Manifest::File::name);
    if (found == manifest_.files.end()) {
      refuse(fmt::format("names no file {}", name));
      return nullptr;
    }
    const auto index = static_cast<std::size_t>(found - manifest_.files.begin());
    if (isRuled_[index]) refuse(fmt::format("has two uses of the file {}", name));
    isRuled_[index] = true;
    rules_[index].content = content;
    return &rules_[index];
  }

  // The rule of a file of `count` elements, which the manifest must name.
  FileRule* require(const std::string& name, FileContent content, std::int64_t count,
                    std::uint64_t elementBytes) {
    FileRule* rule = require(name, content);
    if (!rule) return nullptr;
    const std::uint64_t bytes = rule->file.bytes;
    if (bytes / elementBytes != static_cast<std::uint64_t>(count) || bytes % elementBytes != 0)
      refuse(fmt::format("says that {} has {} bytes; {} elements of {} bytes are expected", name,
                         bytes, count, elementBytes));
    return rule;
  }

  void addVocabularies() {
    for (const auto& vocabulary : manifest_.vocabularies) {
      if (FileRule* rule = require(vocabularyFile(vocabulary.name), FileContent::kVocabulary))
        rule->limit = vocabulary.size;
    }
  }

  void addIds(const Manifest::Column& column) {
    const auto vocabulary = sizeOf(column.vocabulary);
    if (!vocabulary)
      return refuse(fmt::format("has no vocabulary \"{}\", which the column \"{}\" uses",
                                column.vocabulary, column.name));
    std::int64_t count = manifest_.rows;
    if (column.longestBag > 0) {
      const Manifest::File* values = manifest_.file(rowsFile(column.name));
      if (!values) return refuse(fmt::format("names no file {}", rowsFile(column.name)));
      count = static_cast<std::int64_t>(values->bytes / sizeof(std::int32_t));
      if (FileRule* offsets = require(offsetsFile(column.name), FileContent::kOffsets,
                                      manifest_.rows + 1, sizeof(std::int64_t))) {
        offsets->limit = count;
        offsets->longestBag = column.longestBag;
      }
    }
    if (FileRule* rows =
            require(rowsFile(column.name), FileContent::kRows, count, sizeof(std::int32_t)))
      rows->limit = *vocabulary;
    if (manifest_.file(entriesFile(column.name)))
      if (FileRule* entries =
              require(entriesFile(column.name), FileContent::kRows, count, sizeof(std::int32_t)))
        entries->limit = *vocabulary + sharedIdsOf(column.vocabulary);
    if (manifest_.file(bagWeightsFile(column.name)))
      require(bagWeightsFile(column.name), FileContent::kValues, count, sizeof(float));
  }

  // What a catalogue knows of the rows of another vocabulary: ids, bags of them, or numbers.
  void addEntities(const Manifest::Column& column) {
    if (column.entities.empty()) return;
    const auto entities = sizeOf(column.entities);
    if (!entities)
      return refuse(fmt::format("has no vocabulary \"{}\", which the column \"{}\" describes",
                                column.entities, column.name));
    const std::string name = entitiesFile(column.name);
    if (column.role == Manifest::kNumberRole) {
      require(name, FileContent::kValues, *entities, sizeof(float));
      return;
    }
    const auto vocabulary = sizeOf(column.vocabulary);
    const Manifest::File* values = manifest_.file(name);
    if (!vocabulary || !values) return refuse(fmt::format("names no file {}", name));
    std::int64_t count = *entities;
    if (column.longestBag > 0) {
      count = static_cast<std::int64_t>(values->bytes / sizeof(std::int32_t));
      if (FileRule* offsets = require(entityOffsetsFile(column.name), FileContent::kOffsets,
                                      *entities + 1, sizeof(std::int64_t))) {
        offsets->limit = count;
        offsets->longestBag = column.longestBag;
      }
    }
    if (FileRule* rows = require(name, FileContent::kRows, count, sizeof(std::int32_t)))
      rows->limit = *vocabulary;
  }

  void addValues() {
    // Texts have no labels; rows of users and items always do.
    if (manifest_.hasInteractions() || manifest_.file(kLabelFile))
      require(kLabelFile, FileContent::kValues, manifest_.rows, sizeof(float));
    if (manifest_.file(kWeightFile))
      require(kWeightFile, FileContent::kValues, manifest_.rows, sizeof(float));
    if (manifest_.file(kTimeFile))
      require(kTimeFile, FileContent::kValues, manifest_.rows, sizeof(std::int64_t));
    if (manifest_.file(kPartFile))
      if (FileRule* parts =
              require(kPartFile, FileContent::kParts, manifest_.rows, sizeof(std::uint8_t)))
        parts->limit = static_cast<std::int64_t>(experiment::SplitPart::kUnused);
    for (const auto& column : manifest_.columns)
      if (column.role == Manifest::kNumberRole)
        require(Manifest::denseFile(column.name), FileContent::kValues, manifest_.rows,
                sizeof(float));
  }

  void addVectors() {
    for (const auto& vectors : manifest_.vectors) {
      const auto rows = sizeOf(vectors.vocabulary);
      // A vocabulary has at most 2^31 rows, so the product below stays in range.
      constexpr std::int64_t kMaxWidth = std::int64_t{1} << 28;
      if (!rows || vectors.width < 1 || vectors.width > kMaxWidth)
        refuse(fmt::format("has vectors \"{}\" of width {} for the vocabulary \"{}\"", vectors.name,
                           vectors.width, vectors.vocabulary));
      else
        require(vectorsFile(vectors.name), FileContent::kValues, *rows * vectors.width,
                sizeof(float));
    }
  }

  void checkBlocks() {
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const Manifest::File& file = rules_[i].file;
      if (!isRuled_[i]) refuse(fmt::format("names the file {}, which no column uses", file.name));
      const std::uint64_t blocks = blockCount(file.bytes);
      if (file.blocks.size() != blocks)
        refuse(fmt::format("has {} hashes of {}; {}, one per block, are expected",
                           file.blocks.size(), file.name, blocks));
    }
  }

  Result<std::vector<FileRule>> finish() {
    if (error_) return *error_;
    return std::move(rules_);
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> sizeOf(const std::string& vocabulary) const {
    const auto found =
        std::ranges::find(manifest_.vocabularies, vocabulary, &Manifest::Vocabulary::name);
    if (found == manifest_.vocabularies.end()) return std::nullopt;
    return found->size;
  }

  [[nodiscard]] std::int64_t sharedIdsOf(const std::string& vocabulary) const {
    return std::ranges::find(manifest_.vocabularies, vocabulary, &Manifest::Vocabulary::name)
        ->sharedIds;
  }

  std::filesystem::path path_;
  const Manifest& manifest_;
  std::vector<FileRule> rules_;
  std::vector<bool> isRuled_;
  std::optional<Error> error_;
};

}  // namespace

std::string rowsFile(const std::string& column) {
  return column + ".i32";
}
std::string entriesFile(const std::string& column) {
  return column + ".entries.i32";
}
std::string offsetsFile(const std::string& column) {
  return column + ".offsets.i64";
}
std::string bagWeightsFile(const std::string& column) {
  return column + ".weights.f32";
}
std::string entitiesFile(const std::string& column) {
  return column + ".entities";
}
std::string entityOffsetsFile(const std::string& column) {
  return column + ".entity_offsets";
}
std::string vocabularyFile(const std::string& vocabulary) {
  return vocabulary + ".vocab";
}
std::string vectorsFile(const std::string& vectors) {
  return vectors + ".vec.f32";
}

Result<std::vector<FileRule>> fileRules(const std::filesystem::path& folder,
                                        const Manifest& manifest) {
  RuleBook book(folder, manifest);
  book.addVocabularies();
  for (const auto& column : manifest.columns)
    if (column.role != Manifest::kNumberRole) book.addIds(column);
  for (const auto& column : manifest.columns) book.addEntities(column);
  book.addValues();
  book.addVectors();
  book.checkBlocks();
  return book.finish();
}

}  // namespace parapet::data
