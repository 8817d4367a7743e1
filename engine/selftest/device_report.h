// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/selftest/measure.h"
#include "engine/tensor/device.h"

namespace parapet::selftest {

/// The bytes that a device moves and the operations that it computes, by the shortest of agreeing
/// repetitions. Bytes are those that the op must move: read and written.
struct Speed {
  double fillBytesPerSecond = 0.0;    ///< one value into 128 MiB
  double copyBytesPerSecond = 0.0;    ///< 64 MiB, in order
  double gatherBytesPerSecond = 0.0;  ///< rows of 64 elements, at random out of 128 MiB
  double matmulFlopsPerSecond = 0.0;  ///< 512 × 512 × 512, a multiplication and an addition each
};

/// Takes about a second, with the workers of `launch`.
///
/// Errors   kDevice if the device has no room; kCancelled.
Result<Speed> measureSpeed(const tensor::Launch& launch, const std::stop_token& stop);

/// Rates of a device in the shapes in which tests/gpu/peers.py measures other programs.
struct LargeShapes {
  double matmulFlopsPerSecond = 0.0, bf16MatmulFlopsPerSecond = 0.0;
  double gatherBytesPerSecond = 0.0;   ///< read and written
  double inBatchSoftmaxSeconds = 0.0;  ///< the loss and both gradients
  double topKSeconds = 0.0;
};

/// All cases of one op, or of one collective.
struct OpReport {
  std::string op;
  int cases = 0, failed = 0;
  double maxError =
      0.0;  ///< largest error in units of Σ|terms|, that of bf16 by 2¹⁵ smaller; infinite for a wrong structure
};

/// A case that did not pass.
struct FailedCase {
  std::string name, op;
  Outcome outcome;
};

/// How a device did.
struct DeviceReport {
  std::string device, kind, instructionSet;
  std::vector<OpReport> ops{};  ///< in the order in which they were tested
  std::vector<FailedCase> failures{};
  int cases = 0;
  double maxError = 0.0;         ///< over all ops
  std::optional<Speed> speed{};  ///< nullopt: not measured
  std::optional<LargeShapes> large{};
  double seconds = 0.0;

  [[nodiscard]] bool passed() const { return failures.empty(); }
  /// Largest error in units of rounding (2⁻²⁴; of bf16 2⁻⁹).
  [[nodiscard]] double maxErrorUnits() const;
};

struct DeviceTestOptions {
  bool speed = true;
  bool large = false;  ///< large shapes, too; where no speed is measured, whether they work
  int threads = 0;     ///< workers of the measurement of speed; 0: all cores
};

/// Runs every case of a device against its reference implementation, then measures its speed. On
/// the CPU the collectives run on it too. Progress counts cases; its stage is "<instruction set>
/// <op>".
///
/// Errors   kDevice if the speed cannot be measured; kCancelled. A failed case is no error.
Result<DeviceReport> testDevice(const tensor::Device& device, const DeviceTestOptions& options,
                                const WorkContext& context);

/// The usable devices that a name means: "cpu:0" or "cpu:portable" one, a kind or an instruction
/// set all of it, "" all there are.
///
/// Errors   kInvalidDocument with what there is.
Result<std::vector<tensor::Device>> devicesNamed(const std::string& name);

}  // namespace parapet::selftest
