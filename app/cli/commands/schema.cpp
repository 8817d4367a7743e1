// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "engine/base/text.h"
#include "engine/experiment/experiment.h"

namespace parapet::cli {
namespace {

/// The schema as a page of tables: each object has one, with its keys, and objects with the same keys
/// share it.
class KeyPage {
 public:
  explicit KeyPage(const Json& schema) { addObject("", schema); }

  [[nodiscard]] std::string text() const {
    return "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
           "# Keys of an experiment document\n\n"
           "`parapet-cli schema --format markdown` prints this page. A document may leave out "
           "every "
           "key that has a default. A name in brackets, as in `tables[]`, stands for each entry of "
           "a "
           "list.\n" +
           sections_;
  }

 private:
  /// The objects of a value: its own, that of its entries, those of its alternatives.
  static void objectsOf(const Json& schema, const std::string& name,
                        std::vector<std::pair<std::string, const Json*>>& found) {
    if (schema.contains("properties")) found.emplace_back(name, &schema);
    if (schema.contains("items")) objectsOf(schema["items"], name + "[]", found);
    if (const auto more = schema.find("additionalProperties");
        more != schema.end() && more->is_object())
      objectsOf(*more, name + "{}", found);
    if (const auto some = schema.find("anyOf"); some != schema.end())
      for (const Json& each : *some) objectsOf(each, name, found);
  }

  static std::string code(const Json& value) {
    return "`" + (value.is_string() ? value.get<std::string>() : value.dump()) + "`";
  }

  /// "number > 0", "`dot` or `cosine`", "list of text", "object, or null"
  static std::string valuesOf(const Json& schema) {
    std::vector<std::string> parts;
    if (schema.contains("anyOf")) {
      for (const Json& each : schema["anyOf"]) parts.push_back(valuesOf(each));
      return join(parts, ", or ");
    }
    if (schema.contains("enum")) {
      for (const Json& each : schema["enum"]) parts.push_back(code(each));
      return join(parts, ", ");
    }
    if (schema.contains("const")) return code(schema["const"]);
    const std::string type = schema.value("type", "");
    if (type == "array") {
      const std::string each = valuesOf(schema.value("items", Json::object()));
      return "list of " + (each == "object" ? "objects" : each);
    }
    std::string text = type == "string" ? "text" : type.empty() ? "any value" : type;
    for (const auto& [key, sign] : {std::pair{"minimum", "≥"},
                                    {"exclusiveMinimum", ">"},
                                    {"maximum", "≤"},
                                    {"exclusiveMaximum", "<"}})
      if (schema.contains(key)) text += fmt::format(" {} {}", sign, schema[key].dump());
    return text;
  }

  /// The kinds of an object that have a key; "" if all have it.
  static std::string kindsWith(const Json& object, const std::string& key) {
    std::vector<std::string> kinds;
    bool isLimited = false;
    for (const Json& rule : object.value("allOf", Json::array())) {
      const auto kind = Json::json_pointer("/if/properties/kind/const");
      if (!rule.contains(kind)) continue;
      const bool has = !rule.contains("then") || !rule["then"].contains("properties") ||
                       rule["then"]["properties"].value(key, Json(true)) != Json(false);
      isLimited = isLimited || !has;
      if (has) kinds.push_back(code(rule.at(kind)));
    }
    return isLimited ? join(kinds) : "";
  }

  static std::string cell(std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
      text.replace(at, 1, "\\|");
    return text;
  }

  void addObject(const std::string& name, const Json& object) {
    const Json& keys = object["properties"];
    const auto same = std::ranges::find(known_, keys, &std::pair<std::string, Json>::second);
    sections_ += fmt::format("\n## {}\n\n", name.empty() ? "The document" : "`" + name + "`");
    if (same != known_.end()) {
      sections_ += fmt::format("Has the keys of `{}`.\n", same->first);
      return;
    }
    known_.emplace_back(name, keys);
    const bool hasKinds = std::ranges::any_of(
        keys.items(), [&](const auto& each) { return !kindsWith(object, each.key()).empty(); });
    sections_ +=
        hasKinds ? "| key | values | default | of the kinds | meaning |\n|---|---|---|---|---|\n"
                 : "| key | values | default | meaning |\n|---|---|---|---|\n";
    for (const auto& [key, schema] : keys.items()) {
      // Defaults of an object's members stand in the table of the object.
      const Json fallbackValue = schema.value("default", Json());
      const std::string fallback = !schema.contains("default") ? ""
                                   : fallbackValue.is_object() && !fallbackValue.empty()
                                       ? "its own"
                                       : code(fallbackValue);
      sections_ +=
          fmt::format("| `{}` | ", key) + cell(valuesOf(schema)) + " | " + cell(fallback) + " | ";
      if (hasKinds) sections_ += cell(kindsWith(object, key)) + " | ";
      sections_ += cell(schema.value("description", "")) + " |\n";
    }
    std::vector<std::pair<std::string, const Json*>> inner;
    for (const auto& [key, schema] : keys.items())
      objectsOf(schema, name.empty() ? key : name + "." + key, inner);
    for (const auto& [path, each] : inner) addObject(path, *each);
  }

  std::vector<std::pair<std::string, Json>> known_;
  std::string sections_;
};

}  // namespace

void addSchema(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("schema", "Print the JSON Schema of experiment documents");
  command->footer(
      "Examples: parapet-cli schema > parapet.schema.json\n"
      "          parapet-cli schema --format markdown");
  const auto format = std::make_shared<std::string>("json");
  command->add_option("--format", *format, "json, or markdown: a page with every key [json]")
      ->type_name("FORMAT");
  onRun(*command, invocation, [format]() -> Answer {
    Json schema = experiment::schema();
    const std::vector<std::string> formats{"json", "markdown"};
    if (std::ranges::find(formats, *format) == formats.end())
      return wrongArgument(fmt::format("--format: \"{}\" is unknown{}; accepted: {}", *format,
                                       didYouMean(*format, formats), join(formats)));
    std::string text = *format == "json" ? schema.dump(2) + "\n" : KeyPage(schema).text();
    return Answer::of(std::move(schema), std::move(text));
  });
}

}  // namespace parapet::cli
