// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parapet::cuda {

/// A library that is looked for at run time: in the folders of PARAPET_CUDA_LIB_DIRS (separated by
/// colons), where the system looks, and where CUDA is usually installed. The names are tried in
/// their order, each in every place.
class Library {
 public:
  explicit Library(const std::vector<std::string>& names);
  /// The file that would be opened, without opening it, which may take seconds; "" if it is in none
  /// of the usual folders: the system's loader may know another.
  static std::string find(const std::string& name);
  /// Null if there is none: see looked().
  [[nodiscard]] void* handle() const { return handle_; }
  /// The file that was opened; "" if there is none.
  [[nodiscard]] const std::string& file() const { return file_; }
  /// The places that were tried and what came of it, a sentence for the user.
  [[nodiscard]] const std::string& looked() const { return looked_; }
  /// Null if the library lacks it.
  [[nodiscard]] void* symbol(const char* name) const;

 private:
  void* handle_ = nullptr;
  std::string file_, looked_;
};

}  // namespace parapet::cuda
