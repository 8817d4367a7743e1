// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/optimizer_text.h"

#include <QCoreApplication>
#include <QStringList>

namespace parapet::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("OptimizerText", text);
}

}  // namespace

QString optimizerExplanation(const nlohmann::ordered_json& optimizer) {
  if (!optimizer.is_object()) return {};
  const auto is = [&optimizer](const char* key, const nlohmann::ordered_json& value) {
    return optimizer.contains(key) && optimizer[key] == value;
  };
  QStringList sentences;
  if (is("kind", "adagrad") || is("kind", "rowwise_adagrad"))
    sentences << (is("epsilon_inside_root", true)
                      ? tr("Step = rate · gradient / √(accumulator + ε), as Keras.")
                      : tr("Step = rate · gradient / (√accumulator + ε), as PyTorch."));
  if (is("kind", "rowwise_adagrad"))
    sentences << tr("One accumulator a row: the mean of its squared gradients.");
  if (is("kind", "adam") || is("kind", "adamw"))
    sentences << (is("epsilon_mode", "corrected")
                      ? tr("ε is added to the root of the corrected second moment, as "
                           "the paper and PyTorch do.")
                      : tr("ε is added to the root of the uncorrected second moment, "
                           "as Keras does."));
  if (is("kind", "sgd"))
    sentences << (is("momentum", 0) ? tr("Step = rate · gradient.")
                                    : tr("Step = rate · gradient + momentum."));
  if (is("kind", "ftrl")) sentences << tr("Rows without a gradient stay where they are.");
  const bool moves = is("kind", "adam") || is("kind", "adamw") ||
                     (is("kind", "sgd") && !is("momentum", 0)) ||
                     (optimizer.contains("weight_decay") && !is("weight_decay", 0));
  if (moves && !is("kind", "ftrl"))
    sentences << (is("sparse_update", "lazy")
                      ? tr("Lazy: only the rows of the batch move.")
                      : tr("Dense: rows that a batch did not touch move, too."));
  return sentences.join(' ');
}

}  // namespace parapet::ui
