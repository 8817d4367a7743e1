// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/cases.h"

namespace parapet::selftest {

std::vector<Case> opCases(const tensor::Device& device) {
  std::vector<Case> cases;
  addRowCases(device, cases);
  addDenseCases(device, cases);
  addOptimizerCases(device, cases);
  addClippingCases(device, cases);
  addGradientCases(device, cases);
  addLayerCases(device, cases);
  addNormCases(device, cases);
  addLossCases(device, cases);
  addNegativesCases(device, cases);
  addAttentionCases(device, cases);
  addSequenceCases(device, cases);
  addTableCases(device, cases);
  return cases;
}

}  // namespace parapet::selftest
