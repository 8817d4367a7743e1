// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/two_tower.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::nn {
namespace {

using experiment::Experiment;
using experiment::Layer;
using experiment::Tower;

Error documentError(std::string pointer, std::string message) {
  return Error{ErrorCode::kInvalidDocument, std::move(message), std::move(pointer)};
}

tensor::ActivationOp activationOp(experiment::Activation activation) {
  switch (activation) {
    case experiment::Activation::kLinear:
      return tensor::ActivationOp::kLinear;
    case experiment::Activation::kRelu:
      return tensor::ActivationOp::kRelu;
    case experiment::Activation::kTanh:
      return tensor::ActivationOp::kTanh;
    case experiment::Activation::kSigmoid:
      return tensor::ActivationOp::kSigmoid;
    case experiment::Activation::kGelu:
      return tensor::ActivationOp::kGelu;
  }
  return tensor::ActivationOp::kLinear;
}

/// A parameter per table of the document, in its order.
Result<std::map<std::string, ParameterIndex>> addTables(
    Graph& graph, const Experiment& experiment,
    const std::map<std::string, std::int64_t>& vocabularySizes) {
  std::map<std::string, ParameterIndex> indexOf;
  for (std::size_t i = 0; i < experiment.tables.size(); ++i) {
    const experiment::Table& table = experiment.tables[i];
    const auto size = vocabularySizes.find(table.vocabulary);
    if (size == vocabularySizes.end())
      return documentError(fmt::format("/tables/{}/vocabulary", i),
                           fmt::format("vocabulary \"{}\" has no size", table.vocabulary));
    indexOf[table.name] =
        graph.addParameter({.name = "tables/" + table.name,
                            .rows = size->second,
                            .cols = table.embeddingDim,
                            .initializer = table.initializer,
                            .optimizer = table.optimizer.value_or(experiment.optimizer),
                            .trainable = table.trainable,
                            .sparse = true});
  }
  return indexOf;
}

Value addLayer(Graph& graph, const Experiment& experiment, const std::string& name,
               const Layer& layer, Value x) {
  const ParameterIndex kernel = graph.addParameter({.name = "dense/" + name + "_kernel",
                                                    .rows = graph.cols(x),
                                                    .cols = layer.units,
                                                    .initializer = layer.initializer,
                                                    .optimizer = experiment.optimizer});
  const Value product = graph.matmul(name + "/matmul", x, kernel);
  if (!layer.useBias && layer.activation == experiment::Activation::kLinear) return product;
  const ParameterIndex bias =
      layer.useBias
          ? graph.addParameter({.name = "dense/" + name + "_bias",
                                .rows = 1,
                                .cols = layer.units,
                                .initializer = {.kind = experiment::InitializerKind::kConstant},
                                .optimizer = experiment.optimizer})
          : -1;
  return graph.biasActivation(name + "/activation", product, bias, activationOp(layer.activation));
}

}  // namespace

Result<TwoTower> buildTwoTower(const Experiment& experiment,
                               const std::map<std::string, std::int64_t>& vocabularySizes) {
  TwoTower model;
  PARAPET_ASSIGN(const auto tables, addTables(model.graph, experiment, vocabularySizes));
  std::vector<Value> parts[2];
  std::string* columnOf[2] = {&model.queryColumn, &model.candidateColumn};
  for (std::size_t i = 0; i < experiment.features.size(); ++i) {
    const experiment::Feature& feature = experiment.features[i];
    const auto table = tables.find(feature.table);
    if (table == tables.end())
      return documentError(fmt::format("/features/{}/table", i),
                           fmt::format("no table is named \"{}\"", feature.table));
    const std::size_t tower = feature.tower == Tower::kQuery ? 0 : 1;
    std::string& column = *columnOf[tower];
    if (!column.empty() && column != feature.column)
      return documentError(
          fmt::format("/features/{}/column", i),
          fmt::format("this tower reads \"{}\" and \"{}\"; features of a tower read "
                      "one column",
                      column, feature.column));
    column = feature.column;
    model.columns.push_back(feature.column);
    parts[tower].push_back(model.graph.lookup("features/" + feature.name, table->second,
                                              static_cast<std::int32_t>(i)));
  }
  const std::vector<Layer>* layersOf[2] = {&experiment.model.query, &experiment.model.candidate};
  const char* nameOf[2] = {"query", "candidate"};
  Value output[2] = {-1, -1};
  for (std::size_t tower = 0; tower < 2; ++tower) {
    if (parts[tower].empty())
      return documentError("/features", fmt::format("the {} tower has no feature", nameOf[tower]));
    Value x = parts[tower].size() == 1
                  ? parts[tower][0]
                  : model.graph.concat(fmt::format("{}/concat", nameOf[tower]), parts[tower]);
    for (std::size_t layer = 0; layer < layersOf[tower]->size(); ++layer)
      x = addLayer(model.graph, experiment, fmt::format("{}_{}", nameOf[tower], layer),
                   (*layersOf[tower])[layer], x);
    output[tower] = x;
  }
  model.query = output[0];
  model.candidate = output[1];
  if (model.graph.cols(model.query) != model.graph.cols(model.candidate))
    return documentError(
        "/model", fmt::format("the query tower is {} wide, the candidate tower {}; a "
                              "dot product needs equal widths",
                              model.graph.cols(model.query), model.graph.cols(model.candidate)));
  model.score = model.graph.dot("score", model.query, model.candidate);
  model.loss = model.graph.squaredError("loss", model.score);
  return model;
}

}  // namespace parapet::nn
