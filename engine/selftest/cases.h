// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/mesh/communicator.h"
#include "engine/selftest/measure.h"
#include "engine/tensor/device.h"

namespace parapet::selftest {

/// Every op of engine/tensor/ops and every gradient on one device, run on the calling thread.
std::vector<Case> opCases(const tensor::Device& device);

/// Makes a communicator whose ranks are all local.
using CommunicatorOfRanks = std::function<std::unique_ptr<mesh::Communicator>(int ranks)>;
/// Every collective on 1, 2, 3 and 8 ranks, each time with a communicator of its own. `devices`:
/// what the ranks exchange lies in the memory of these, in turn; empty: in that of the host.
std::vector<Case> collectiveCases(const CommunicatorOfRanks& make,
                                  const std::vector<tensor::Device>& devices = {});

// The families that opCases is made of; each appends to `cases`.
void addRowCases(const tensor::Device& device, std::vector<Case>& cases);
void addDenseCases(const tensor::Device& device, std::vector<Case>& cases);
void addOptimizerCases(const tensor::Device& device, std::vector<Case>& cases);
void addClippingCases(const tensor::Device& device, std::vector<Case>& cases);
void addGradientCases(const tensor::Device& device, std::vector<Case>& cases);
void addLayerCases(const tensor::Device& device, std::vector<Case>& cases);
void addNormCases(const tensor::Device& device, std::vector<Case>& cases);
void addLossCases(const tensor::Device& device, std::vector<Case>& cases);
void addNegativesCases(const tensor::Device& device, std::vector<Case>& cases);
void addAttentionCases(const tensor::Device& device, std::vector<Case>& cases);
void addSequenceCases(const tensor::Device& device, std::vector<Case>& cases);
void addTableCases(const tensor::Device& device, std::vector<Case>& cases);

}  // namespace parapet::selftest
