// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/communicator/mover.h"

#include <bit>
#include <cstring>

namespace parapet::cuda {
namespace {

float fromBf16(std::uint16_t x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
}
std::uint16_t toBf16(float x) {
  auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  bits += 0x7fffu + (bits >> 16 & 1u);
  return static_cast<std::uint16_t>(bits >> 16);
}

template <class T, class Sum>
void addAs(void* out, const std::vector<const void*>& in, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    Sum sum{};
    for (const void* part : in) sum += static_cast<Sum>(static_cast<const T*>(part)[i]);
    static_cast<T*>(out)[i] = static_cast<T>(sum);
  }
}

void addBf16(void* out, const std::vector<const void*>& in, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (const void* part : in) sum += fromBf16(static_cast<const std::uint16_t*>(part)[i]);
    static_cast<std::uint16_t*>(out)[i] = toBf16(sum);
  }
}

class HostMover : public Mover {
 public:
  std::int32_t copy(void* out, const void* in, std::uint64_t bytes) override {
    if (out != in && bytes > 0) std::memmove(out, in, bytes);
    return PP_OK;
  }
  std::int32_t add(void* out, const std::vector<const void*>& in, std::int64_t n,
                   std::int32_t type) override {
    switch (type) {
      case PC_F32:
        addAs<float, float>(out, in, n);
        return PP_OK;
      case PC_F64:
        addAs<double, double>(out, in, n);
        return PP_OK;
      case PC_BF16:
        addBf16(out, in, n);
        return PP_OK;
      case PC_I32:  // whole numbers wrap around
        addAs<std::uint32_t, std::uint32_t>(out, in, n);
        return PP_OK;
      case PC_I64:
        addAs<std::uint64_t, std::uint64_t>(out, in, n);
        return PP_OK;
      default:
        return PP_UNSUPPORTED;
    }
  }
};

class DeviceMover : public Mover {
 public:
  explicit DeviceMover(const PcRank& rank)
      : device_(*rank.device), stream_(rank.device->stream(rank.index)) {
    call_.structSize = sizeof call_;
    call_.stream = stream_;
    call_.parallelFor = [](void*, std::int64_t blocks, void (*body)(void*, std::int64_t),
                           void* argument) {
      for (std::int64_t block = 0; block < blocks; ++block) body(argument, block);
    };
  }

  // The device's own copy takes whole f32; a few bytes more go through the host.
  std::int32_t copy(void* out, const void* in, std::uint64_t bytes) override {
    if (out == in || bytes == 0) return PP_OK;
    constexpr std::uint64_t kElement = sizeof(float);
    const auto aligned = [](const void* at) {
      return reinterpret_cast<std::uintptr_t>(at) % kElement == 0;
    };
    if (bytes % kElement == 0 && aligned(out) && aligned(in))
      return copyElements(static_cast<float*>(out), static_cast<const float*>(in),
                          static_cast<std::int64_t>(bytes / kElement));
    return through(out, {in}, bytes, [](void*, const std::vector<const void*>&) { return PP_OK; });
  }

  std::int32_t add(void* out, const std::vector<const void*>& in, std::int64_t n,
                   std::int32_t type) override {
    if (n == 0) return PP_OK;
    if (type == PC_F32) {
      std::vector<const float*> parts;
      for (const void* part : in) parts.push_back(static_cast<const float*>(part));
      const PpSumParts args{n, static_cast<std::int32_t>(parts.size()), parts.data(),
                            static_cast<float*>(out)};
      return device_.ops->sumParts(&call_, &args);
    }
    return through(out, in, static_cast<std::uint64_t>(n) * bytesOf(type),
                   [&](void* sum, const std::vector<const void*>& parts) {
                     return host_.add(sum, parts, n, type);
                   });
  }

 private:
  // Copies rows of one width, then the rest: the op gives blocks of threads to rows, and a single
  // row would have one block.
  std::int32_t copyElements(float* out, const float* in, std::int64_t count) {
    constexpr std::int64_t kWidth = 256;
    const std::int64_t rows = count / kWidth, rest = count % kWidth;
    const PpCopyColumns whole{rows, kWidth, in, kWidth, out, kWidth, 0};
    if (rows > 0)
      if (const std::int32_t code = device_.ops->copyColumns(&call_, &whole)) return code;
    const PpCopyColumns last{1, rest, in + rows * kWidth, rest, out + rows * kWidth, rest, 0};
    return rest > 0 ? device_.ops->copyColumns(&call_, &last) : PP_OK;
  }

  template <class Body>
  std::int32_t through(void* out, const std::vector<const void*>& in, std::uint64_t bytes,
                       const Body& body) {
    staged_.resize(in.size());
    std::vector<const void*> parts;
    for (std::size_t i = 0; i < in.size(); ++i) {
      staged_[i].resize(bytes);
      if (const std::int32_t code = device_.copyToHost(stream_, staged_[i].data(), in[i], bytes))
        return code;
      parts.push_back(staged_[i].data());
    }
    if (const std::int32_t code = body(staged_[0].data(), parts)) return code;
    return device_.copyToDevice(stream_, out, staged_[0].data(), bytes);
  }

  const PpDevice& device_;
  void* stream_;
  PpCall call_{};
  HostMover host_;
  std::vector<std::vector<std::byte>> staged_;
};

const std::byte* offset(const void* begin, std::int64_t elements, std::int32_t type) {
  return static_cast<const std::byte*>(begin) + elements * static_cast<std::int64_t>(bytesOf(type));
}
std::byte* offset(void* begin, std::int64_t elements, std::int32_t type) {
  return static_cast<std::byte*>(begin) + elements * static_cast<std::int64_t>(bytesOf(type));
}
std::uint64_t sizeOf(std::int64_t elements, std::int32_t type) {
  return static_cast<std::uint64_t>(elements) * bytesOf(type);
}

}  // namespace

std::size_t bytesOf(std::int32_t type) {
  constexpr std::size_t kBytes[] = {4, 8, 2, 4, 8, 1};
  return kBytes[type];
}

std::unique_ptr<Mover> hostMover() {
  return std::make_unique<HostMover>();
}
std::unique_ptr<Mover> deviceMover(const PcRank& rank) {
  return std::make_unique<DeviceMover>(rank);
}

std::int32_t allReduce(Mover& mover, const PcCall& call, std::int32_t ranks, std::int64_t n) {
  const std::vector<const void*> parts(call.out, call.out + ranks);
  if (const std::int32_t code = mover.add(call.out[0], parts, n, call.type)) return code;
  for (std::int32_t rank = 1; rank < ranks; ++rank)
    if (const std::int32_t code = mover.copy(call.out[rank], call.out[0], sizeOf(n, call.type)))
      return code;
  return PP_OK;
}

std::int32_t reduceScatter(Mover& mover, const PcCall& call, std::int32_t ranks,
                           const std::int64_t* counts) {
  std::int64_t begin = 0;
  for (std::int32_t rank = 0; rank < ranks; begin += counts[rank++]) {
    std::vector<const void*> parts;
    for (std::int32_t peer = 0; peer < ranks; ++peer)
      parts.push_back(offset(call.in[peer], begin, call.type));
    if (const std::int32_t code = mover.add(call.out[rank], parts, counts[rank], call.type))
      return code;
  }
  return PP_OK;
}

std::int32_t allGather(Mover& mover, const PcCall& call, std::int32_t ranks,
                       const std::int64_t* counts) {
  std::int64_t begin = 0;
  for (std::int32_t peer = 0; peer < ranks; begin += counts[peer++])
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      if (const std::int32_t code = mover.copy(offset(call.out[rank], begin, call.type),
                                               call.in[peer], sizeOf(counts[peer], call.type)))
        return code;
  return PP_OK;
}

std::int32_t allToAll(Mover& mover, const PcCall& call, std::int32_t ranks,
                      const PcPeerCounts* counts) {
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    std::int64_t begin = 0;
    for (std::int32_t peer = 0; peer < ranks; begin += counts[rank].receive[peer++])
      if (const std::int32_t code =
              mover.copy(offset(call.out[rank], begin, call.type),
                         offset(call.in[peer], counts[peer].sendBegin[rank], call.type),
                         sizeOf(counts[rank].receive[peer], call.type)))
        return code;
  }
  return PP_OK;
}

}  // namespace parapet::cuda
