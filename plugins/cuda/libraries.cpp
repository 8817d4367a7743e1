// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/libraries.h"

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>

namespace parapet::cuda {
namespace {

std::vector<std::string> folders() {
  std::vector<std::string> all;
  const char* const text = std::getenv("PARAPET_CUDA_LIB_DIRS");
  std::istringstream words(text ? text : "");
  for (std::string folder; std::getline(words, folder, ':');)
    if (!folder.empty()) all.push_back(folder + "/");
  all.emplace_back();
  return all;
}

}  // namespace

// Left open: a library that has threads or a context of its own is not safely closed.
Library::Library(const std::vector<std::string>& names) {
  std::string tried;
  for (const std::string& name : names)
    for (const std::string& folder : folders()) {
      handle_ = ::dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_) {
        file_ = folder + name;
        looked_ = "found as " + file_;
        return;
      }
      const char* const error = ::dlerror();
      tried += (tried.empty() ? "" : "; ") + std::string(error ? error : name);
    }
  looked_ = "looked for it in PARAPET_CUDA_LIB_DIRS and where the system looks: " + tried;
}

void* Library::symbol(const char* name) const {
  return handle_ ? ::dlsym(handle_, name) : nullptr;
}

}  // namespace parapet::cuda
