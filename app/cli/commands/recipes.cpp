// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/commands.h"
#include "app/cli/text_table.h"
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

// The same with and without --json: the document is the answer, as it is shipped.
Answer printRecipe(const std::string& name) {
  auto recipe = experiment::findRecipe(name);
  if (!recipe.ok()) return Answer::failed(recipe.error());
  std::string text = recipe->text;
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
  onRun(*one, invocation, [name] { return printRecipe(*name); });
}

}  // namespace parapet::cli
