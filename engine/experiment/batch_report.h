// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parapet::experiment {

/// One training step from the inside: what was in its batch and what it did to the parameters. Made
/// for a batch that a person steps through, never otherwise. Norms are L2; NaN: not measured.
struct BatchReport {
  /// Examples that are told in full; the rest is counted.
  static constexpr std::int64_t kShownExamples = 50;

  struct Loss {
    std::string head;     ///< "" for the score
    double weight = 1.0;  ///< of its term in the loss of the step
    double value = 0.0;   ///< mean over the batch as its reduction says
  };
  struct Feature {
    std::string name;   ///< column of the data set, or feature of a history
    std::string table;  ///< that its ids look up; "" of a dense feature
    std::int64_t ids = 0, distinct = 0, truncated = 0, oov = 0, empty = 0;
  };
  /// The rows that a rank requests of a shard.
  struct Route {
    std::string tables;  ///< with the same sharding, one after the other
    int rank = 0, shard = 0, owner = 0;
    std::int64_t ids = 0;   ///< with duplicates
    std::int64_t rows = 0;  ///< that are sent: duplicates merged
  };
  struct Parameter {
    std::string name;
    bool isTable = false;
    std::int64_t rows = 0;  ///< with a gradient; of a layer all
    double weight = 0.0;    ///< norm of these rows before the step
    double gradient = 0.0;  ///< of the loss of the batch, before clipping and decay
    double maxRowGradient = 0.0;
    double update = 0.0;  ///< norm of what the optimizer added to the whole parameter
  };

  std::int64_t step = 0, epoch = 0;
  std::int64_t examples = 0;
  double loss = 0.0;
  std::vector<std::string> columns;                ///< of the data set, then the label
  std::vector<std::vector<std::string>> contents;  ///< of the first examples, one text a column
  std::vector<Loss> losses;
  std::vector<Feature> features;
  std::vector<Route> routes;
  std::vector<Parameter> parameters;
};

}  // namespace parapet::experiment
