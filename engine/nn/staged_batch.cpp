// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/staged_batch.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::nn {

// A batch that needs more memory gets it when it first comes; a dry run asks for it here.
StagedBatch::StagedBatch(const tensor::Device& device, From from, std::int64_t capacityRows,
                         std::vector<Column> columns)
    : device_(device),
      from_(device.isHost() ? from : From::kCopies),
      capacityRows_(capacityRows),
      columns_(std::move(columns)) {
  if (!device.isDry() || from_ == From::kViews) return;
  labels_ = {device, capacityRows};
  for (const Column& column : columns_) {
    const bool isBag = column.isRead && column.idsPerRow != 1;
    const std::int64_t perRow = column.isRead ? std::max<std::int64_t>(1, column.idsPerRow) : 1;
    Feature& feature = features_.emplace_back();
    feature.ids = {device, capacityRows * perRow};
    if (isBag) feature.offsets = {device, capacityRows + 1};
  }
}

template <class T>
std::span<const T> StagedBatch::copy(tensor::StagedArray<T>& into, std::span<const T> from,
                                     std::int64_t capacity, const T** here) {
  const auto count = static_cast<std::int64_t>(from.size());
  if (into.size() < std::max(count, capacity))
    into = tensor::StagedArray<T>(device_, std::max(count, capacity));
  std::ranges::copy(from, into.data());
  if (here) {
    into.upload(count);
    *here = into.here();
  }
  return {into.data(), from.size()};
}

// Offsets of a space count from the first of its ids.
void StagedBatch::stageFeature(std::size_t feature, const data::FeatureIds& from,
                               mesh::RowSlice rows, std::int32_t firstPosition) {
  Feature& into = features_[feature];
  data::FeatureIds& view = views_[feature];
  FeatureHere& here = here_.features[feature];
  view = {};
  here = {};
  const auto begin = static_cast<std::size_t>(rows.begin), end = static_cast<std::size_t>(rows.end);
  const auto require = [&](std::size_t found, std::size_t accepted, const char* what) {
    if (found < accepted)
      throw InvalidArgument(fmt::format("[nn.StepRunner] {} {} of feature {}; the rows ask for {}",
                                        found, what, feature, accepted));
  };
  if (!from.dense.empty()) {
    require(from.dense.size(), end, "values");
    view.dense =
        copy(into.dense, from.dense.subspan(begin, end - begin), capacityRows_, &here.dense);
  }
  if (from.ids.empty() && from.offsets.empty()) return;
  const std::int64_t perRow = feature < columns_.size() ? columns_[feature].idsPerRow : 1;
  std::size_t firstId = begin, endId = end;
  if (!from.offsets.empty()) {
    require(from.offsets.size(), end + 1, "offsets");
    if (from.offsets[begin] < 0 || from.offsets[end] < from.offsets[begin])
      throw InvalidArgument(
          fmt::format("[nn.StepRunner] offsets {} … {} of feature {}; accepted are "
                      "ascending ones from 0",
                      from.offsets[begin], from.offsets[end], feature));
    firstId = static_cast<std::size_t>(from.offsets[begin]);
    endId = static_cast<std::size_t>(from.offsets[end]);
    offsets_.assign(from.offsets.begin() + static_cast<std::ptrdiff_t>(begin),
                    from.offsets.begin() + static_cast<std::ptrdiff_t>(end + 1));
    for (std::int32_t& offset : offsets_) offset -= static_cast<std::int32_t>(firstId);
    view.offsets = copy(into.offsets, std::span<const std::int32_t>(offsets_), capacityRows_ + 1,
                        &here.offsets);
  }
  require(from.ids.size(), endId, "ids");
  std::span<const std::int32_t> ids = from.ids.subspan(firstId, endId - firstId);
  if (firstPosition > 0) {
    positions_.assign(ids.begin(), ids.end());
    for (std::int32_t& position : positions_) position -= firstPosition;
    ids = positions_;
  }
  view.ids = copy(into.ids, ids, capacityRows_ * perRow, &here.ids);
  if (from.weights.empty()) return;
  require(from.weights.size(), endId, "weights");
  view.weights =
      copy(into.weights, from.weights.subspan(firstId, endId - firstId), capacityRows_ * perRow);
}

std::int32_t StagedBatch::firstPosition(const StepBatch& batch, std::size_t feature,
                                        mesh::RowSlice rows) const {
  const std::int32_t of = feature < columns_.size() ? columns_[feature].positionsOf : -1;
  return of < 0 ? 0 : batch.features[at(of)].offsets[static_cast<std::size_t>(rows.begin)];
}

const StepBatch& StagedBatch::stage(const StepBatch& batch, mesh::RowSlice rows) {
  input_ = batch;
  here_.features.resize(batch.features.size());
  if (from_ == From::kViews) {
    viewBatch();
    return input_;
  }
  here_.labels = here_.weights = nullptr;
  input_.rows = rows.rows();
  features_.resize(batch.features.size());
  views_.resize(batch.features.size());
  for (std::size_t feature = 0; feature < batch.features.size(); ++feature)
    stageFeature(feature, batch.features[feature], rows, firstPosition(batch, feature, rows));
  input_.features = views_;
  const auto ofRows = [&](std::span<const float> values) {
    return values.subspan(static_cast<std::size_t>(rows.begin),
                          static_cast<std::size_t>(rows.rows()));
  };
  if (!batch.labels.empty())
    input_.labels = copy(labels_, ofRows(batch.labels), capacityRows_, &here_.labels);
  if (!batch.weights.empty())
    input_.weights = copy(weights_, ofRows(batch.weights), capacityRows_, &here_.weights);
  stageLists();
  return input_;
}

void StagedBatch::resume(const StepBatch& batch) {
  if (from_ == From::kViews) {
    input_ = batch;
    viewBatch();
    return;
  }
  input_.lists = batch.lists;
  input_.itemLogQ = batch.itemLogQ;
  stageLists();
}

void StagedBatch::viewBatch() {
  for (std::size_t feature = 0; feature < input_.features.size(); ++feature) {
    const data::FeatureIds& from = input_.features[feature];
    here_.features[feature] = {
        from.ids.data(), from.offsets.empty() ? nullptr : from.offsets.data(), from.dense.data()};
  }
  here_.labels = input_.labels.data();
  here_.weights = input_.weights.empty() ? nullptr : input_.weights.data();
  here_.lists = input_.lists.data();
}

// The host looks lists up in the batch; a copy is only needed where ops cannot read that.
void StagedBatch::stageLists() {
  here_.lists = input_.lists.data();
  if (!device_.isHost() && !input_.lists.empty())
    copy(lists_, input_.lists, capacityRows_ + 1, &here_.lists);
}

}  // namespace parapet::nn
