// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/experiment/document_dataset.h"
#include "engine/experiment/document_model.h"
#include "engine/experiment/document_optimizer.h"
#include "engine/experiment/document_tables.h"
#include "engine/experiment/document_training.h"

// The experiment document as plain structs, a header for each part of it. A member's default is the
// document's default. `fields.h` describes every member once (key, meaning, accepted values); reader,
// writer and schema follow it.

namespace parapet::experiment {

struct Experiment {
  std::int64_t parapet = 1;  ///< version of the document format
  std::string name;
  Dataset dataset;
  std::vector<Table> tables;
  std::vector<Feature> features;
  Model model;
  Loss loss;
  Optimizer optimizer;
  Schedule schedule;
  Mesh mesh;
  std::map<std::string, std::vector<std::string>> layout;
  Training training;
  Evaluation evaluation;
  Reference reference;
};

}  // namespace parapet::experiment
