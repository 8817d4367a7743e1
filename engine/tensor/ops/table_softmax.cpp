// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/table_softmax.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

std::int64_t tableSoftmaxScratch(std::int64_t rows, std::int64_t tableRows, std::int64_t width,
                                 TableSoftmaxPass pass) {
  return ppTableSoftmaxScratch(rows, tableRows, width, pass == TableSoftmaxPass::kGradients);
}

void tableSoftmax(const Launch& launch, const TableLogits& inputs, float gradientScale,
                  float* scratch, const TableGradients& gradients, double* sums) {
  constexpr std::string_view kOp = "tableSoftmax";
  requireArgument(inputs.rows >= 0, kOp, "rows", inputs.rows, "at least 0 is accepted");
  requireArgument(inputs.tableRows >= 1, kOp, "rows of the table", inputs.tableRows,
                  "at least 1 is accepted");
  requireArgument(inputs.width >= 1, kOp, "width", inputs.width, "at least 1 is accepted");
  requireRowsInRange(launch, kOp, inputs.labels, inputs.rows, inputs.tableRows, "labels");
  const PpCall call = makeCall(launch);
  const PpTableSoftmax args{
      inputs.rows,       inputs.tableRows, inputs.width,    inputs.hidden, inputs.table,
      inputs.bias,       inputs.labels,    inputs.weight,   gradientScale, scratch,
      gradients.dHidden, gradients.dTable, gradients.dBias, sums};
  requireOk(launch.device->ops().tableSoftmax(&call, &args), launch, kOp);
}

}  // namespace parapet::tensor
