// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/libraries.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <utility>

namespace parapet::cuda {
namespace {

constexpr const char* kToolkit = "/usr/local/cuda/lib64/";

/// The folders that an environment variable names, each with its slash.
std::vector<std::string> foldersOf(const char* variable) {
  std::vector<std::string> all;
  const char* const text = std::getenv(variable);
  std::istringstream words(text ? text : "");
  for (std::string folder; std::getline(words, folder, ':');)
    if (!folder.empty()) all.push_back(folder + "/");
  return all;
}

/// "": where the system looks.
std::vector<std::string> folders() {
  std::vector<std::string> all = foldersOf("PARAPET_CUDA_LIB_DIRS");
  all.emplace_back();
  all.emplace_back(kToolkit);
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
  looked_ =
      "looked for it in PARAPET_CUDA_LIB_DIRS, where the system looks and in /usr/local/cuda: " +
      tried;
}

std::string Library::find(const std::string& name) {
  std::vector<std::string> all = foldersOf("PARAPET_CUDA_LIB_DIRS");
  for (std::string& folder : foldersOf("LD_LIBRARY_PATH")) all.push_back(std::move(folder));
  for (const char* const usual : {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib64/",
                                  "/usr/lib64/", "/usr/lib/", kToolkit})
    all.emplace_back(usual);
  for (const std::string& folder : all)
    if (::access((folder + name).c_str(), R_OK) == 0) return folder + name;
  return "";
}

void* Library::symbol(const char* name) const {
  return handle_ ? ::dlsym(handle_, name) : nullptr;
}

}  // namespace parapet::cuda
