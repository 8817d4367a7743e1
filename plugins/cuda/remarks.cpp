// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/remarks.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "plugins/cuda/libraries.h"
#include "plugins/cuda/products.h"

namespace parapet::cuda {
namespace {

/// "driver 580.65.06 (CUDA 13.0)": the kernel's module, and the newest CUDA that it runs.
std::string driver() {
  int version = 0;
  std::string cuda;
  if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
    cuda = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return "driver " + word + (cuda.empty() ? "" : " (" + cuda + ")");
  return cuda.empty() ? "" : "driver for " + cuda;
}

/// Asks NVML, a library of the driver: the runtime would make a context, which takes memory.
std::string memoryInUse(const Gpu& gpu) {
  struct Memory {
    unsigned long long total, free, used;
  };
  static const Library library({"libnvidia-ml.so.1"});
  const auto init = reinterpret_cast<int (*)()>(library.symbol("nvmlInit_v2"));
  const auto find = reinterpret_cast<int (*)(const char*, void**)>(
      library.symbol("nvmlDeviceGetHandleByPciBusId_v2"));
  const auto ask =
      reinterpret_cast<int (*)(void*, Memory*)>(library.symbol("nvmlDeviceGetMemoryInfo"));
  std::array<char, 32> bus{};
  std::snprintf(bus.data(), bus.size(), "%08X:%02X:%02X.0", static_cast<unsigned>(gpu.pciDomain),
                static_cast<unsigned>(gpu.pciBus), static_cast<unsigned>(gpu.pciDevice));
  void* device = nullptr;
  Memory memory{};
  if (!init || !find || !ask || init() != 0 || find(bus.data(), &device) != 0 ||
      ask(device, &memory) != 0)
    return "";
  return sizeText(memory.used) + " of " + sizeText(memory.total) + " in use";
}

}  // namespace

std::string remarkOf(const Gpu& gpu) {
  std::string text = gpu.name;
  for (const std::string& more : {driver(), memoryInUse(gpu), productsRemark()})
    if (!more.empty()) text += "; " + more;
  return text;
}

}  // namespace parapet::cuda
