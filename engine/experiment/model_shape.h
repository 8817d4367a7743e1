// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/record/location.h"
#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"

namespace parapet::experiment {

/// Index into ModelShape::values.
using ShapeIndex = std::int32_t;

/// Something a layer can read: a feature, or what a layer gives. [rows, width]; the rows are the
/// examples of a batch, or the positions of a sequence.
struct ShapeValue {
  std::string name;     ///< of the feature or layer; "" if nothing can name it
  std::string pointer;  ///< of what gives it, in the document
  std::int64_t width = 0;
  ShapeIndex sequence = -1;  ///< the feature whose positions its rows are; −1: examples
  std::int64_t longest = 1;  ///< of a feature: ids that an example has at most, if it is a sequence
};

/// A weight of a layer, [rows, cols].
struct LayerWeight {
  enum class Start {
    kInitializer,  ///< the layer's
    kZero,
    kOne,
  };
  std::string name;  ///< after the prefix of the layer
  std::int64_t rows = 0, cols = 0;
  Start start = Start::kInitializer;
  bool isState = false;  ///< not trained (moving statistics)
};

/// A layer with what it reads.
struct ShapeLayer {
  const Layer* layer = nullptr;  ///< of the experiment, which must outlive the shape
  std::string parameterPrefix;   ///< "query_0": names of its weights begin with it
  std::string pointer;
  std::vector<ShapeIndex> inputs;
  ShapeIndex x0 = -1;  ///< of layers that cross or gate
  ShapeIndex output = -1;
  std::vector<LayerWeight> weights{};
  bool isImplied = false;  ///< concatenates inputs; the document does not have it

  /// Elements of the weights, the moving statistics of a norm included.
  [[nodiscard]] std::int64_t parameters() const {
    std::int64_t count = 0;
    for (const LayerWeight& weight : weights) count += weight.rows * weight.cols;
    return count;
  }
};

struct ShapeHead {
  const Head* head = nullptr;
  std::string pointer;
  ShapeIndex prediction = -1;
};

/// A model with names resolved and widths inferred, as layer_kind.h has them. The graph is built from
/// it, the rules check it and the window draws it.
struct ModelShape {
  std::vector<ShapeValue> values;         ///< the features first, in their order
  std::vector<ShapeLayer> layers;         ///< in execution order
  ShapeIndex query = -1, candidate = -1;  ///< kRetrieval: outputs of the towers
  ShapeIndex score = -1;                  ///< kRanking
  /// kMaskedLm: the encoder's output, its rows at masked positions, and those after all layers.
  ShapeIndex encoded = -1, masked = -1, hidden = -1;
  std::vector<ShapeHead> heads;

  [[nodiscard]] const ShapeValue& at(ShapeIndex index) const {
    return values.at(static_cast<std::size_t>(index));
  }
  /// Width of the concatenation of some values.
  [[nodiscard]] std::int64_t widthOf(const std::vector<ShapeIndex>& some) const {
    std::int64_t width = 0;
    for (const ShapeIndex value : some) width += at(value).width;
    return width;
  }
};

/// Values that lie over positions, and the others.
std::vector<ShapeIndex> overPositions(const ModelShape& shape, std::vector<ShapeIndex> some);
std::vector<ShapeIndex> overExamples(const ModelShape& shape, std::vector<ShapeIndex> some);

/// Resolves a model and notes what is wrong with it: names of nothing, widths that do not fit,
/// parts without features, outputs that are not 1 wide. What depends on a wrong part is omitted.
ModelShape inferModel(const Experiment& experiment, const Location& root);
/// The shape of a valid experiment.
ModelShape inferModel(const Experiment& experiment);

}  // namespace parapet::experiment
