// SPDX-License-Identifier: Apache-2.0
#include "engine/base/hash.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace parapet {
namespace {

XXH3_state_t* state(void* opaque) {
  return static_cast<XXH3_state_t*>(opaque);
}

std::string hex(XXH128_hash_t hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

Hasher::Hasher() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc{};
  XXH3_128bits_reset(state(state_));
}

Hasher::~Hasher() {
  XXH3_freeState(state(state_));
}

void Hasher::update(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH3_128bits_update(state(state_), bytes.data(), bytes.size());
}

void Hasher::update(std::string_view text) {
  update(std::as_bytes(std::span(text)));
}

std::string Hasher::hex() const {
  return parapet::hex(XXH3_128bits_digest(state(state_)));
}

std::string hashHex(std::string_view bytes) {
  return hex(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string hashHex(std::span<const std::byte> bytes) {
  return hex(XXH3_128bits(bytes.data(), bytes.size()));
}

std::uint64_t hash64(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

}  // namespace parapet
