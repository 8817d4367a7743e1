// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/tensor/plugin_abi.h"

namespace parapet::tensor {

struct Backend;

/// The findings about a CPU backend before it may be chosen.
struct CpuCheck {
  double gflops = 0.0;      ///< f32 products on one thread, best of several; 0: not measured
  double bf16Gflops = 0.0;  ///< products with operands rounded to bf16, likewise
  std::string fault{};      ///< what it computes otherwise than the portable one; "": nothing
  bool operator==(const CpuCheck&) const = default;
};

/// Compares products in f32 and bf16, activations, row sums and updates with the portable
/// backend's, at sizes that fill no register, then times a product of each kind. Takes a few
/// milliseconds.
CpuCheck checkCpu(const PpOps& ops);

/// The checks of this machine, remembered from one start to the next: another processor, or another
/// state of the plugin's file, is checked anew. Where `file` cannot be written, or is "", nothing
/// is remembered, and all else works.
class CpuChecks {
 public:
  explicit CpuChecks(std::filesystem::path file) : file_(std::move(file)) {}
  /// `cpu_checks.json` in stateFolder().
  static CpuChecks ofUser();

  [[nodiscard]] CpuCheck of(const Backend& backend) const;

 private:
  std::filesystem::path file_;
};

/// Best first: by products a second, where one is by more than a fifth faster, so that noise
/// changes no choice and with it no bit; between equals the one whose bf16 products are more than
/// half as fast again; between equals in that too the narrower instruction set, and those that are
/// known before those that are not. Backends of other kinds stay in their order.
void sortByPreference(std::vector<Backend>& backends);

}  // namespace parapet::tensor
