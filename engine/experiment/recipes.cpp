// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "resources/embedded.h"

namespace parapet::experiment {
namespace {

struct Entry {
  const char* name;
  const char* title;
  bool needsData;
};

/// The recipes in the order they are offered; the document of each is
/// resources/recipes/<name>.json.
constexpr std::array kRecipes{
    Entry{"sample", "Two-tower retrieval on generated ratings", false},
    Entry{"movielens-retrieval", "Data-parallel retrieval on MovieLens 100K", true},
    Entry{"movielens-retrieval-learned", "Two-tower retrieval on MovieLens 100K: cosine, log-Q",
          true},
    Entry{"movielens-ranking", "Rating prediction on MovieLens 100K", true},
    Entry{"movielens-ranking-as-published",
          "Ranking on MovieLens 100K with the fixed batches of the published run", true},
    Entry{"biased-mf", "Matrix factorization with biases (Koren et al. 2009) on MovieLens 100K",
          true},
    Entry{"simplex", "SimpleX (Mao et al. 2021): cosine contrastive loss on MovieLens 100K", true},
    Entry{"movielens-listwise", "Listwise ranking on MovieLens 100K", true},
    Entry{"movielens-multitask", "Multi-task retrieval and rating prediction on MovieLens 100K",
          true},
    Entry{"yambda-context", "Retrieval in a context on generated listening events", false},
    Entry{"yambda-context-as-published", "Retrieval in a context on Yambda as published", true},
    Entry{"sasrec", "SASRec: next item at every position, on generated listening events", false},
    Entry{"gsasrec", "gSASRec: calibrated cross entropy, on generated listening events", false},
    Entry{"esasrec", "eSASRec: gated blocks and a sampled softmax, on generated listening events",
          false},
    Entry{"bert-tiny-mlm", "Masked language model of two blocks on lines of text", true},
    Entry{"bert-tiny-mlm-as-published", "Masked language model on two logical devices as published",
          true},
    Entry{"frappe-context", "Retrieval in a context on Frappe app usage", true},
    Entry{"dlrm", "DLRM on generated clicks", false},
    Entry{"dcn-v2", "DCN-v2 on generated clicks", false},
};

std::vector<Recipe> loadRecipes() {
  std::vector<Recipe> recipes;
  for (const Entry& entry : kRecipes) {
    const std::string path = fmt::format("recipes/{}.json", entry.name);
    const auto text = resources::embedded(path);
    if (!text) throw InternalError("[experiment.recipes] " + path + " was not built in");
    recipes.push_back({entry.name, entry.title, entry.needsData, std::string(*text)});
  }
  return recipes;
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> loaded = loadRecipes();
  return loaded;
}

Result<Recipe> findRecipe(std::string_view name) {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes()) {
    if (recipe.name == name) return recipe;
    names.push_back(recipe.name);
  }
  return Error{.code = ErrorCode::kNotFound,
               .message = fmt::format("no recipe is named \"{}\"{}; there are: {}", printable(name),
                                      didYouMean(name, names), join(names))};
}

}  // namespace parapet::experiment
