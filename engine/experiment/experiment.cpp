// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/experiment.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/renamed_keys.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

/// Whoever reads one field knows what a name is, and not which columns there are.
void offerColumns(Parsed& parsed) {
  const std::vector<std::string> columns = parsed.experiment.dataset.idColumns();
  for (Problem& problem : parsed.findings.problems)
    if (!columns.empty() && problem.pointer.starts_with("/features/") &&
        problem.pointer.ends_with("/column") && problem.accepted.starts_with("a name such as"))
      problem.accepted = oneOf(columns);
}

}  // namespace

Parsed parse(const nlohmann::json& document) {
  Parsed parsed;
  const Location root("", parsed.findings);
  recordOf<Experiment>().read(document, parsed.experiment, root);
  if (parsed.experiment.parapet > kDocumentVersion) {
    // All else that is wrong with it may be right in that version.
    parsed.findings = {};
    (root / "parapet")
        .problem(fmt::format("written for a newer version of Parapet: document version {}",
                             parsed.experiment.parapet),
                 fmt::format("{}, or a newer Parapet", kDocumentVersion));
    return parsed;
  }
  // An old name is accepted, and named.
  if (std::optional<std::string>& curve = parsed.experiment.reference.curve)
    if (const auto current = renamedCurve(*curve)) {
      (root / "reference" / "curve")
          .warning(fmt::format("the reference curve \"{}\" is now called \"{}\"", *curve, *current),
                   fmt::format("\"{}\"", *current));
      *curve = *current;
    }
  if (document.is_object()) validate(parsed.experiment, root);
  offerColumns(parsed);
  return parsed;
}

nlohmann::ordered_json toJson(const Experiment& experiment) {
  return recordOf<Experiment>().write(experiment);
}

std::string canonicalText(const Experiment& experiment) {
  // Programs may fill the structs without a document; bytes that are not UTF-8 must not throw here.
  return toJson(experiment).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string fingerprint(const Experiment& experiment) {
  Experiment meaning = experiment;
  // Name, devices, placements and the location of the data do not count.
  meaning.name.clear();
  meaning.mesh = Mesh{};
  meaning.layout.clear();
  for (Table& table : meaning.tables) {
    table.placement = Placement::kAuto;
    table.axes.clear();
    table.device.reset();
    table.cacheRows.reset();
  }
  meaning.dataset.path.reset();
  return hashHex(canonicalText(meaning));
}

nlohmann::ordered_json schema() {
  nlohmann::ordered_json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                                {"title", "Parapet experiment"}};
  schema.update(recordOf<Experiment>().schema());
  return schema;
}

}  // namespace parapet::experiment
