// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/fit_vocabularies.h"

/// A result is one, or the test ends with its error.
#define QVERIFY_OK(result) QVERIFY2((result).ok(), (result) ? "" : (result).error().text().c_str())

namespace parapet::data {

/// An imported data set with the vocabularies that its rows give, all of them for training.
inline Result<std::shared_ptr<const Dataset>> fittedToAllRows(const Result<ImportReport>& report,
                                                              const experiment::Dataset& spec) {
  if (!report) return report.error();
  Split split;
  split.train = RowSet::all(report->rows);
  return fitVocabularies(report->dataset, spec, split);
}

/// A MovieLens folder that a test writes, and a folder for data sets, both gone at its end.
class ImportFixture {
 public:
  ImportFixture() { std::filesystem::create_directory(source()); }

  [[nodiscard]] std::filesystem::path root() const { return directory_.path().toStdString(); }
  [[nodiscard]] std::filesystem::path source() const { return root() / "source"; }
  [[nodiscard]] std::filesystem::path datasets() const { return root() / "datasets"; }

  void write(const std::string& name, std::string_view content) const {
    std::ofstream(source() / name, std::ios::binary) << content;
  }
  /// Items 1 … count, "Item n (1990)", comedies.
  void writeItems(int count) const {
    std::string text;
    for (int item = 1; item <= count; ++item)
      text += std::to_string(item) + "|Item " + std::to_string(item) +
              " (1990)|01-Jan-1990|||0|0|0|0|0|1|0|0|0|0|0|0|0|0|0|0|0|0|0\n";
    write("u.item", text);
  }

  /// Direct ids, users "max+1", items as given, ratings 1 to 5.
  [[nodiscard]] experiment::Dataset spec(experiment::VocabularySize::Kind items =
                                             experiment::VocabularySize::Kind::kMaxPlusOne) const {
    experiment::Dataset spec;
    spec.path = source().string();
    spec.label.scale = {1.0, 5.0};
    spec.vocabularies.resize(2);
    spec.vocabularies[0].name = "user";
    spec.vocabularies[0].size.kind = experiment::VocabularySize::Kind::kMaxPlusOne;
    spec.vocabularies[1].name = "item";
    spec.vocabularies[1].size.kind = items;
    return spec;
  }

  [[nodiscard]] Result<ImportReport> import(const experiment::Dataset& spec,
                                            const WorkContext& context = {}) const {
    return importDataset(spec, datasets(), context, makeGenerator);
  }

  /// Entries in the folder of data sets, temporary ones included.
  [[nodiscard]] int leftBehind() const {
    std::error_code missing;
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(datasets(), missing)) {
      static_cast<void>(entry);
      ++count;
    }
    return count;
  }

 private:
  QTemporaryDir directory_;
};

}  // namespace parapet::data
