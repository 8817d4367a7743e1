// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parapet::cuda {

/// A library that is looked for at run time: in the folders of PARAPET_CUDA_LIB_DIRS (separated by
/// colons), then where the system looks. The names are tried in their order, each in every place.
class Library {
 public:
  explicit Library(const std::vector<std::string>& names);
  /// Null if there is none: see looked().
  [[nodiscard]] void* handle() const { return handle_; }
  /// The file that was opened; "" if there is none.
  [[nodiscard]] const std::string& file() const { return file_; }
  /// What was tried and what came of it, a sentence for the user.
  [[nodiscard]] const std::string& looked() const { return looked_; }
  /// Null if the library lacks it.
  [[nodiscard]] void* symbol(const char* name) const;

 private:
  void* handle_ = nullptr;
  std::string file_, looked_;
};

}  // namespace parapet::cuda
