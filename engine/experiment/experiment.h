// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/record/parse_json.h"
#include "engine/base/result.h"
#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"

namespace parapet::experiment {

/// The result of reading a document: the experiment as far as it could be read, and everything that
/// is wrong with it. `experiment` is meaningful only if `findings.problems` is empty.
struct Parsed {
  Experiment experiment;
  Findings findings;
};

using record::parseJson;

/// Reads and validates: unknown keys ("did you mean"), wrong types, values outside their range and
/// every contradiction that the document alone shows (features that name no table, two tables of one
/// name, towers without features, towers of different width under a dot score, …).
Parsed parse(const nlohmann::json& document);

/// The document with every default filled in, keys in the order of the structs.
nlohmann::ordered_json toJson(const Experiment& experiment);
/// toJson without insignificant differences, on one line: the input of the fingerprint.
std::string canonicalText(const Experiment& experiment);
/// 32 hex digits; equal for documents that mean the same. Names, devices and placements do not
/// count.
std::string fingerprint(const Experiment& experiment);
/// JSON Schema (2020-12) of documents.
nlohmann::ordered_json schema();

/// `--set POINTER=VALUE`: the value is JSON if it parses, else a string. The pointer must name a
/// key that documents can have (a default counts as present); otherwise InvalidDocument that names
/// the nearest pointer. Another "kind" of an object takes the settings away that stand at the
/// defaults of the old one; others stay, and the reader refuses those that the new kind has not.
Status setPointer(nlohmann::json& document, std::string_view pointer, std::string_view value);

/// One differing setting between two documents: pointer and the two values (null where absent).
struct Difference {
  std::string pointer;
  nlohmann::json left, right;
};
std::vector<Difference> differences(const Experiment& left, const Experiment& right);

struct Recipe {
  std::string name;
  std::string title;
  bool needsData = false;
  std::string text;  ///< the document, as it is shipped
};
/// The built-in documents, in the order they are offered.
const std::vector<Recipe>& recipes();
/// NotFound (with "did you mean") for an unknown name.
Result<Recipe> findRecipe(std::string_view name);

/// A published curve, with a note on how its values were computed.
struct ReferenceCurve {
  std::string name;
  std::string title;
  std::string source;
  std::string note;  ///< why published and true curves differ
  struct Point {
    std::int64_t epoch;
    double value;
  };
  std::vector<Point> lossAsDisplayed;
  std::vector<Point> valLoss;
};
Result<ReferenceCurve> findReferenceCurve(std::string_view name);

inline constexpr std::int64_t kMaxDevices = 1024;  ///< of a mesh

/// The devices of a mesh, one name per rank: "cpu*2" and "2xcpu" give two logical CPU devices
/// "cpu:0", "cpu:1"; "cuda:0" and "cuda:0/1" are names already. InvalidDocument names the entry and
/// what is accepted: no device twice, and none beside its parts.
Result<std::vector<std::string>> expandDevices(const std::vector<std::string>& devices);

/// The device that a name is of, or of a part of which: "cuda:0" of "cuda:0/1".
std::string wholeDevice(const std::string& name);

/// Devices of more than one kind, which make no mesh.
std::optional<Problem> kindsProblem(const std::vector<std::string>& devices);
/// A list of capacities that has not one number for each of these devices, which need not be those
/// that the mesh names. An empty list is a problem of its own.
std::optional<Problem> capacityProblem(const Mesh& mesh, const std::vector<std::string>& devices);

}  // namespace parapet::experiment
