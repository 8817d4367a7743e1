// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"

namespace parapet::checkpoint {

enum class ElementType { kF32, kF64, kI32, kI64, kU8, kF16, kBf16 };
std::size_t elementBytes(ElementType type);

/// A named array, row-major. Names: tables/<t>/weight, tables/<t>/<slot>, dense/<p>/weight,
/// dense/<p>/<slot>, vocab/<v>/….
struct TensorView {
  std::string name;
  ElementType type = ElementType::kF32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

/// Everything beside the tensors. Independent of the mesh that trained it.
struct Manifest {
  std::int64_t step = 0;
  std::int64_t epoch = 0;  ///< finished epochs
  std::int64_t batch = 0;  ///< data cursor: finished batches of the next epoch
  std::string runId;
  std::string fingerprint;    ///< of the experiment
  std::string dataset;        ///< content hash
  std::string build;          ///< version and instruction set that wrote it
  nlohmann::json experiment;  ///< the whole document
  nlohmann::json
      trainerState;  ///< running sums of the unfinished epoch, best metric, optimizer step, seconds
  nlohmann::json
      mesh;  ///< devices, axes and where each table lay as it was written, for information
  std::map<std::string, double> metrics;  ///< of the last finished epoch
};

/// An opened, verified checkpoint; tensors are views into the mapped file.
class Checkpoint {
 public:
  [[nodiscard]] const Manifest& manifest() const;
  [[nodiscard]] const std::filesystem::path& folder() const;
  [[nodiscard]] const std::vector<TensorView>& tensors() const;
  /// Null if there is none of that name.
  [[nodiscard]] const TensorView* find(std::string_view name) const;
  [[nodiscard]] std::uint64_t bytes() const;
  /// See MappedFile::intact; asked once tensors have been read.
  [[nodiscard]] Status intact() const;

  struct State;
  explicit Checkpoint(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

/// Commits `<folder>/ckpt-<step>` : tensors.safetensors and manifest.json are written into
/// ckpt-<step>.tmp, manifest last, every file and the folder fsynced, then renamed, then the parent
/// fsynced. After a crash at any point either the whole checkpoint is there or none of it. An
/// existing checkpoint of the same step is replaced. On failure (disk full) the temporary folder is
/// removed and the older checkpoints are untouched. Returns the committed folder.
///
/// The manifest holds a hash per block of 1 MiB of the tensor file, and its own hash.
Result<std::filesystem::path> write(const std::filesystem::path& folder, const Manifest& manifest,
                                    std::span<const TensorView> tensors);

/// Opens and verifies one checkpoint folder: manifest hash, sizes, every block, and that the
/// manifest is of the step that the folder is named after. kData error that says what does not
/// match; kCancelled once `stop` fires.
Result<Checkpoint> open(const std::filesystem::path& checkpointFolder,
                        const std::stop_token& stop = {});

/// A checkpoint on disk by its folder name; not verified.
struct Listed {
  std::int64_t step = 0;
  std::filesystem::path folder;
};
/// Committed checkpoints of a run, ascending by step. Temporary folders are not listed.
std::vector<Listed> list(const std::filesystem::path& folder);
/// Removes temporary folders left by a crash; returns how many.
int removeTemporaries(const std::filesystem::path& folder);
Status remove(const std::filesystem::path& checkpointFolder);

/// A checkpoint of a run, opened to be used.
struct Opened {
  Checkpoint checkpoint;
  /// For the user: which newer checkpoints are not used, why, and how many steps that loses; those
  /// that a repair has moved aside among them.
  std::vector<std::string> warnings;
};
/// Opens the checkpoint of `step`, or, without one, the newest that verifies. A checkpoint whose
/// manifest names another run than `runId` is refused. Everything that uses the checkpoint of a run
/// opens it here and hands the warnings on.
///
/// Errors   kNotFound if there is none (of that step); kData if it, or every one, is damaged;
///          kCancelled.
Result<Opened> openOfRun(const std::filesystem::path& folder, const std::string& runId,
                         std::optional<std::int64_t> step = std::nullopt,
                         const std::stop_token& stop = {});

/// Writes tensors as one safetensors file (atomic), for export.
Status writeSafetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                        const std::map<std::string, std::string>& metadata);
/// Parses a safetensors file; views into `bytes`. kData error for anything malformed: header
/// length, JSON, unknown types, overlapping or out-of-range offsets, size ≠ shape × element.
Result<std::vector<TensorView>> parseSafetensors(std::span<const std::byte> bytes);
/// Writes one tensor as NumPy .npy version 1.0 (atomic).
Status writeNpy(const std::filesystem::path& path, const TensorView& tensor);

}  // namespace parapet::checkpoint
