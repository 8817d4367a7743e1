// SPDX-License-Identifier: Apache-2.0
#include "engine/data/import/import_writer.h"

#include "engine/base/hash.h"
#include "engine/data/dataset.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

Status describeFile(const fs::path& folder, const std::string& name, Manifest& manifest) {
  PARAPET_ASSIGN(const MappedFile file, MappedFile::open(folder / name));
  manifest.files.push_back({name, file.bytes().size(), hashHex(file.bytes())});
  return {};
}

}  // namespace

Status removeFolder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) return ioError("remove", folder, error.value());
  return {};
}

ImportWriter::ImportWriter(PendingFolder folder, IdColumn users, IdColumn items, FileWriter labels,
                           FileWriter times)
    : folder_(std::move(folder)),
      users_(std::move(users)),
      items_(std::move(items)),
      labels_(std::move(labels)),
      times_(std::move(times)) {}

Result<ImportWriter> ImportWriter::create(const fs::path& target, const experiment::Dataset& spec) {
  PARAPET_ASSIGN(PendingFolder folder, PendingFolder::create(target));
  PARAPET_ASSIGN(IdColumn users, IdColumn::create(folder.path(), "user"));
  PARAPET_ASSIGN(IdColumn items, IdColumn::create(folder.path(), "item"));
  PARAPET_ASSIGN(FileWriter labels, FileWriter::create(folder.path() / "label.f32"));
  PARAPET_ASSIGN(FileWriter times, FileWriter::create(folder.path() / "time.i64"));
  std::optional<FileWriter> weights;
  if (spec.weight) {
    PARAPET_ASSIGN(FileWriter created, FileWriter::create(folder.path() / "weight.f32"));
    weights.emplace(std::move(created));
  }
  ImportWriter writer(std::move(folder), std::move(users), std::move(items), std::move(labels),
                      std::move(times));
  if (weights) writer.weights_.emplace(std::move(*weights));
  writer.scale_ = spec.label.scale;
  return writer;
}

Status ImportWriter::add(const RowChunk& chunk) {
  PARAPET_TRY(users_.add(chunk.users));
  PARAPET_TRY(items_.add(chunk.items));
  PARAPET_TRY(times_.write(std::as_bytes(std::span(chunk.times))));
  buffer_.clear();
  for (const double raw : chunk.labels)
    buffer_.push_back(
        static_cast<float>(scale_ ? (raw - (*scale_)[0]) / ((*scale_)[1] - (*scale_)[0]) : raw));
  PARAPET_TRY(labels_.write(std::as_bytes(std::span(buffer_))));
  if (weights_) {
    buffer_.clear();
    for (const double weight : chunk.weights) buffer_.push_back(static_cast<float>(weight));
    PARAPET_TRY(weights_->write(std::as_bytes(std::span(buffer_))));
  }
  rows_ += static_cast<std::int64_t>(chunk.size());
  return {};
}

Status ImportWriter::finishRows() {
  PARAPET_TRY(labels_.finish());
  PARAPET_TRY(times_.finish());
  if (weights_) PARAPET_TRY(weights_->finish());
  PARAPET_TRY(users_.finishSpill());
  return items_.finishSpill();
}

Status ImportWriter::commit(Manifest& manifest) {
  std::vector<std::string> names{"user.i32", "item.i32", "label.f32", "time.i64"};
  if (weights_) names.emplace_back("weight.f32");
  names.insert(names.end(), {"user.vocab", "item.vocab"});
  for (const std::string& name : names) PARAPET_TRY(describeFile(folder(), name, manifest));
  PARAPET_TRY(manifest.write(folder()));
  const Status committed = folder_.commit();
  if (!committed && Dataset::open(folder_.target()).ok()) return {};
  return committed;
}

}  // namespace parapet::data
