// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace parapet::bench {

/// Who connects the processes of a measurement, and does what is measured.
class Participant {
 public:
  virtual ~Participant() = default;
  /// data [n] becomes the sum over all processes.
  virtual void allReduce(std::vector<float>& data) = 0;
  /// Every process sends every other n / P elements of `in`, from n / P · its number on, and keeps
  /// its own.
  virtual void allToAll(const std::vector<float>& in, std::vector<float>& out) = 0;
};

/// Connects with the other processes, at 127.0.0.1 by way of a folder.
std::unique_ptr<Participant> parapetParticipant(const std::filesystem::path& folder, int processes,
                                                int process);
std::unique_ptr<Participant> glooParticipant(const std::filesystem::path& folder, int processes,
                                             int process);

}  // namespace parapet::bench
