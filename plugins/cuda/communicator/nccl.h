// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// The functions of NCCL 2 that are used, found at run time: its header would need CUDA's, and this
/// plugin builds without either. Numbers and signatures are those of nccl.h 2.
namespace parapet::cuda {

struct NcclApi {
  using Comm = void*;
  using Stream = void*;  // cudaStream_t
  int (*getVersion)(int*) = nullptr;
  const char* (*getErrorString)(int) = nullptr;
  int (*commInitAll)(Comm*, int, const int*) = nullptr;
  int (*commAbort)(Comm) = nullptr;
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
  /// ncclDataType_t of an element type of the ABI.
  static int typeOf(std::int32_t type);

  /// Null, and why: it was not found, lacks a function, or is of another major version.
  static const NcclApi* open(std::string& why);
};

}  // namespace parapet::cuda
