// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtTest>
#include <algorithm>
#include <string>

#include "engine/checkpoint/checkpoint.h"

namespace parapet::testing {

/// Fails the test unless two checkpoints are of one step and have the same tensors to the bit.
inline void compareTensors(const std::string& left, const std::string& right) {
  const auto a = checkpoint::open(left), b = checkpoint::open(right);
  QVERIFY(a.ok() && b.ok());
  QCOMPARE(a->manifest().step, b->manifest().step);
  QCOMPARE(a->tensors().size(), b->tensors().size());
  for (const checkpoint::TensorView& tensor : a->tensors()) {
    const checkpoint::TensorView* other = b->find(tensor.name);
    QVERIFY2(other && std::ranges::equal(tensor.bytes, other->bytes), tensor.name.c_str());
  }
}

}  // namespace parapet::testing
