// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/experiment/model_shape.h"

// A table with a row for each kind of layer. Documents, their schema and rules, shapes and pages ask
// it. To add a layer: an enumerator in document_model.h, its row in layer_kind.cpp, its nodes in
// engine/nn/model.cpp; a setting that no other kind has in document_model.h and fields_model.cpp.

namespace parapet::experiment {

/// The rows that a kind of layer reads.
enum class LayerRows {
  kEach,      ///< one by itself: an example, a position or a masked position
  kAligned,   ///< those of several values together: examples, or positions of one sequence
  kCrossed,   ///< kAligned, with x0: of consecutive layers that of the first, unless x0 names one
  kGated,     ///< kAligned, with x0: what `gate_input` names, or all of them
  kBatch,     ///< all examples of a batch together
  kSequence,  ///< positions of a sequence
  kPooled,    ///< positions of a sequence, which become a row per example
};

/// A layer with the values of a shape that it reads, where it stands in the document.
struct LayerInputs {
  const Layer& layer;
  const ModelShape& shape;
  const std::vector<ShapeIndex>& inputs;
  const std::vector<ShapeIndex>& x0;  ///< empty unless they are crossed or gated
  const Location& location;
};

/// Sizes of what a layer reads.
struct LayerExtent {
  std::int64_t width = 1;      ///< of the inputs side by side
  std::int64_t positions = 1;  ///< that a sequence has at most
  std::int64_t parts = 1;      ///< inputs
  std::int64_t widthOfX0 = 1;
};

struct LayerTraits {
  LayerKind kind;
  std::string_view word;     ///< in documents
  std::string_view purpose;  ///< in a few words
  LayerRows rows;
  /// Keys of its settings, with blanks between, besides the kind, name and inputs of every layer.
  std::string_view settings;
  /// Width of the output. nullopt, and a note at the layer, if the inputs do not fit.
  std::optional<std::int64_t> (*width)(const LayerInputs&);
  /// Adds the weights for inputs of these sizes. Null: none.
  void (*addWeights)(std::vector<LayerWeight>&, const Layer&, const LayerExtent&) = nullptr;
  /// Sets the defaults that are not those of Layer. Null: there are none.
  void (*setDefaults)(Layer&) = nullptr;

  [[nodiscard]] bool has(std::string_view setting) const;
};

/// In the order of the enumerators.
std::span<const LayerTraits> layerTraits();
const LayerTraits& traitsOf(LayerKind kind);
/// The row of a word in documents; null: there is none.
const LayerTraits* findLayerTraits(std::string_view word);

/// The sequence over whose positions the output of a layer lies; −1: it has a row per example.
/// nullopt, and a note at the layer, if the inputs lie over other rows than it reads.
std::optional<ShapeIndex> outputSequence(const LayerInputs& of);

std::vector<LayerWeight> weightsOf(const Layer& layer, const LayerExtent& of = {});
/// Whether a layer has weights that change.
bool isTrained(const Layer& layer);
/// Whether any layer of a model is so, those of heads included.
bool anyLayer(const Model& model, bool (*is)(const Layer&));

}  // namespace parapet::experiment
