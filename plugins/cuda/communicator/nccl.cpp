// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/communicator/nccl.h"

#include "engine/mesh/communicator_abi.h"
#include "plugins/cuda/libraries.h"

namespace parapet::cuda {
namespace {

template <class Function>
bool get(const Library& library, const char* name, Function& out, std::string& missing) {
  out = reinterpret_cast<Function>(library.symbol(name));
  if (!out && missing.empty()) missing = name;
  return out != nullptr;
}

std::string load(const Library& library, NcclApi& api) {
  std::string missing;
  get(library, "ncclGetVersion", api.getVersion, missing);
  get(library, "ncclGetErrorString", api.getErrorString, missing);
  get(library, "ncclGetUniqueId", api.getUniqueId, missing);
  get(library, "ncclCommInitRankConfig", api.commInitRankConfig, missing);
  get(library, "ncclCommAbort", api.commAbort, missing);
  get(library, "ncclCommFinalize", api.commFinalize, missing);
  get(library, "ncclCommDestroy", api.commDestroy, missing);
  get(library, "ncclCommGetAsyncError", api.commGetAsyncError, missing);
  get(library, "ncclGroupStart", api.groupStart, missing);
  get(library, "ncclGroupEnd", api.groupEnd, missing);
  get(library, "ncclAllReduce", api.allReduce, missing);
  get(library, "ncclReduce", api.reduce, missing);
  get(library, "ncclBroadcast", api.broadcast, missing);
  get(library, "ncclSend", api.send, missing);
  get(library, "ncclRecv", api.receive, missing);
  return missing;
}

// 2.8.3 is 2803, 2.28.9 is 22809.
int majorOf(int version) {
  return version < 10'000 ? version / 1000 : version / 10'000;
}

}  // namespace

int NcclApi::typeOf(std::int32_t type) {
  switch (type) {
    case PC_F32:
      return 7;
    case PC_F64:
      return 8;
    case PC_BF16:
      return 9;
    case PC_I32:
      return 2;
    case PC_I64:
      return 4;
    default:
      return 1;  // bytes
  }
}

// The version first: a library of another one may well lack functions.
std::shared_ptr<const NcclApi> NcclApi::open(std::string& why,
                                             const std::vector<std::string>& names) {
  const Library library(names);
  if (!library.handle()) {
    why = "NCCL is not here: " + library.looked();
    return nullptr;
  }
  const auto api = std::make_shared<NcclApi>();
  const std::string missing = load(library, *api);
  int version = 0;
  if (api->getVersion && (api->getVersion(&version) != kSuccess || majorOf(version) != kMajor)) {
    why = library.file() + " is NCCL " + std::to_string(version) + ", of major version " +
          std::to_string(majorOf(version)) + "; 2 is accepted";
    return nullptr;
  }
  if (!missing.empty()) {
    why = library.file() + " has no " + missing + "; NCCL 2.14 or newer is accepted";
    return nullptr;
  }
  return api;
}

}  // namespace parapet::cuda
