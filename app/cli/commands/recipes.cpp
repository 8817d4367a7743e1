// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/commands/commands.h"
#include "app/cli/text_table.h"
#include "engine/experiment/encoder_presets.h"
#include "engine/experiment/experiment.h"

namespace parapet::cli {
namespace {

Answer listRecipes() {
  Json list = Json::array();
  TextTable table({{"recipe"}, {"data"}, {"title"}});
  for (const experiment::Recipe& recipe : experiment::recipes()) {
    list.push_back(
        Json{{"name", recipe.name}, {"title", recipe.title}, {"needs_data", recipe.needsData}});
    table.add({recipe.name, recipe.needsData ? "--data" : "built in", recipe.title});
  }
  return Answer::of(std::move(list), table.text());
}

/// The recipe with an encoder of another size.
Result<std::string> withEncoder(const experiment::Recipe& recipe, const std::string& encoder) {
  const auto preset = experiment::findEncoderPreset(encoder);
  if (!preset) return wrongArgument(preset.error().message);
  Json document = Json::parse(recipe.text);
  if (document["model"]["kind"] != "masked_lm")
    return wrongArgument(
        fmt::format("{} has no encoder of texts; --encoder is for recipes of masked language "
                    "models, such as bert-tiny-mlm",
                    recipe.name));
  document["name"] = recipe.name + "-" + preset->name;
  return experiment::withEncoder(document, preset->sizes).dump(1);
}

// The answer is the document as it is shipped, with and without --json.
Answer printRecipe(const std::string& name, const std::string& encoder) {
  PARAPET_ASSIGN(auto recipe, experiment::findRecipe(name));
  std::string text = recipe.text;
  if (!encoder.empty()) {
    PARAPET_ASSIGN(auto changed, withEncoder(recipe, encoder));
    text = std::move(changed);
  }
  if (!text.ends_with('\n')) text += '\n';
  Json document = Json::parse(text);
  return Answer::of(std::move(document), std::move(text));
}

}  // namespace

void addRecipes(CLI::App& program, Invocation& invocation) {
  CLI::App* list = program.add_subcommand("recipes", "List the built-in experiment documents");
  list->footer("Example: parapet-cli recipes");
  onRun(*list, invocation, listRecipes);

  CLI::App* one = program.add_subcommand("recipe", "Print a built-in experiment document");
  one->footer("Example: parapet-cli recipe sample > mine.json");
  const auto name = std::make_shared<std::string>();
  one->add_option("NAME", *name, "A name that `recipes` lists")->required();
  const auto encoder = std::make_shared<std::string>();
  one->add_option("--encoder", *encoder,
                  "Of a masked language model: the sizes of bert-tiny, bert-mini, bert-small, "
                  "bert-medium or bert-base")
      ->type_name("NAME");
  onRun(*one, invocation, [name, encoder] { return printRecipe(*name, *encoder); });
}

}  // namespace parapet::cli
