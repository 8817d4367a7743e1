// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// The functions of NCCL 2 that are used, found at run time: its header would need CUDA's, and this
/// plugin builds without either. Numbers, structures and signatures are those of nccl.h 2.14, the
/// first whose communicators need not block.
namespace parapet::cuda {

struct NcclApi {
  using Comm = void*;
  using Stream = void*;  // cudaStream_t
  struct UniqueId {
    char bytes[128];
  };
  /// ncclConfig_t of 2.14. Newer ones are longer, and read of this one as much as it says it has.
  struct Config {
    std::size_t size = sizeof(Config);
    unsigned magic = 0xcafebeef;
    unsigned version = 21400;
    int blocking = 0;
  };
  int (*getVersion)(int*) = nullptr;
  const char* (*getErrorString)(int) = nullptr;
  int (*getUniqueId)(UniqueId*) = nullptr;
  int (*commInitRankConfig)(Comm*, int ranks, UniqueId, int rank, Config*) = nullptr;
  int (*commAbort)(Comm) = nullptr;
  int (*commFinalize)(Comm) = nullptr;
  int (*commDestroy)(Comm) = nullptr;
  int (*commGetAsyncError)(Comm, int*) = nullptr;
  int (*groupStart)() = nullptr;
  int (*groupEnd)() = nullptr;
  int (*allReduce)(const void*, void*, std::size_t, int type, int op, Comm, Stream) = nullptr;
  int (*reduce)(const void*, void*, std::size_t, int type, int op, int root, Comm,
                Stream) = nullptr;
  int (*broadcast)(const void*, void*, std::size_t, int type, int root, Comm, Stream) = nullptr;
  int (*send)(const void*, std::size_t, int type, int peer, Comm, Stream) = nullptr;
  int (*receive)(void*, std::size_t, int type, int peer, Comm, Stream) = nullptr;

  static constexpr int kSuccess = 0, kInProgress = 7, kSum = 0, kMajor = 2;
  /// Whether a call went wrong; one that goes on has not.
  static bool isWrong(int code) { return code != kSuccess && code != kInProgress; }
  /// ncclDataType_t of an element type of the ABI.
  static int typeOf(std::int32_t type);

  /// Null, and why: it was not found, lacks a function, or is of another major version.
  static std::shared_ptr<const NcclApi> open(std::string& why,
                                             const std::vector<std::string>& names = {
                                                 "libnccl.so.2", "libnccl.so"});
};

}  // namespace parapet::cuda
