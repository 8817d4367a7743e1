// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xmmintrin.h>

namespace parapet::plugin {

/// Takes and gives denormals as 0 for as long as it lives, as instructions for bf16 always do.
class DenormalsOff {
 public:
  DenormalsOff() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
  ~DenormalsOff() { _mm_setcsr(before_); }
  DenormalsOff(const DenormalsOff&) = delete;
  DenormalsOff& operator=(const DenormalsOff&) = delete;

 private:
  unsigned before_;
};

}  // namespace parapet::plugin
