// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/record/location.h"
#include "engine/base/text.h"
#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"

namespace parapet::experiment {

// Rules between places of a document. What a single value may be stands with its field.

/// Every rule, over an experiment that was read.
void validate(const Experiment& experiment, const Location& root);

// The parts of validate().
void validateDataset(const Dataset& dataset, const Training& training, const Location& location);
void validateTables(const Experiment& experiment, const Location& root);
void validateInitializer(const Initializer& initializer, const Location& location);
void validateFeatures(const Experiment& experiment, const Location& root);
void validateModel(const Experiment& experiment, const Location& root);
void validateOptimizer(const Optimizer& optimizer, const Location& location);
/// `learningRate`: the full rate that the schedule is applied to.
void validateSchedule(const Schedule& schedule, double learningRate, const Location& location);
void validateMesh(const Experiment& experiment, const Location& location);
void validateTraining(const Experiment& experiment, const Location& root);

/// Notes entries whose name stood before.
template <class T>
void refuseDuplicateNames(const std::vector<T>& entries, const Location& location) {
  for (std::size_t index = 0; index < entries.size(); ++index)
    for (std::size_t earlier = 0; earlier < index && !entries[index].name.empty(); ++earlier)
      if (entries[earlier].name == entries[index].name) {
        (location / index / "name")
            .problem("\"" + entries[index].name + "\" is the name of another entry of this list",
                     "a name of its own");
        break;
      }
}

template <class T>
std::vector<std::string> namesOf(const std::vector<T>& entries) {
  std::vector<std::string> names;
  for (const T& entry : entries)
    if (!entry.name.empty()) names.push_back(entry.name);
  return names;
}

template <class T>
const T* findNamed(const std::vector<T>& entries, const std::string& name) {
  for (const T& entry : entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

/// Notes a name that no entry has. A name that could not be read was noted before.
template <class T>
void requireNamed(const std::vector<T>& entries, const std::string& name, const std::string& what,
                  const Location& location) {
  if (name.empty() || findNamed(entries, name) != nullptr) return;
  const std::vector<std::string> names = namesOf(entries);
  const std::string a = what.starts_with('e') ? "an " : "a ";
  location.problem("no " + what + " is named \"" + name + "\"" + didYouMean(name, names),
                   names.empty() ? a + what + "; there is none" : "one of: " + join(names));
}

}  // namespace parapet::experiment
