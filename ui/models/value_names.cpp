// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/value_names.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace parapet::ui {
namespace {

struct Name {
  const char* word;
  const char* name;
};

/// Where the name is more than the word with spaces and a capital.
constexpr Name kNames[] = {
    {"mse", QT_TRANSLATE_NOOP("ValueNames", "Mean squared error")},
    {"bce", QT_TRANSLATE_NOOP("ValueNames", "Binary cross entropy")},
    {"bpr", QT_TRANSLATE_NOOP("ValueNames", "BPR")},
    {"in_batch_softmax", QT_TRANSLATE_NOOP("ValueNames", "In-batch softmax")},
    {"masked_lm", QT_TRANSLATE_NOOP("ValueNames", "Masked language model")},
    {"list_mle", QT_TRANSLATE_NOOP("ValueNames", "ListMLE")},
    {"pairwise_mse", QT_TRANSLATE_NOOP("ValueNames", "Pairwise squared error")},
    {"pairwise_soft_zero_one", QT_TRANSLATE_NOOP("ValueNames", "Pairwise soft 0/1")},
    {"adamw", QT_TRANSLATE_NOOP("ValueNames", "AdamW")},
    {"sgd", QT_TRANSLATE_NOOP("ValueNames", "SGD")},
    {"ftrl", QT_TRANSLATE_NOOP("ValueNames", "FTRL")},
    {"rowwise_adagrad", QT_TRANSLATE_NOOP("ValueNames", "Row-wise Adagrad")},
    {"relu", QT_TRANSLATE_NOOP("ValueNames", "ReLU")},
    {"gelu", QT_TRANSLATE_NOOP("ValueNames", "GELU")},
    {"gelu_tanh", QT_TRANSLATE_NOOP("ValueNames", "GELU (tanh)")},
    {"log1p", QT_TRANSLATE_NOOP("ValueNames", "log(1 + x)")},
    {"l2_normalize", QT_TRANSLATE_NOOP("ValueNames", "L2 normalize")},
    {"dot", QT_TRANSLATE_NOOP("ValueNames", "Dot product")},
    {"movielens", QT_TRANSLATE_NOOP("ValueNames", "MovieLens")},
    {"csv", QT_TRANSLATE_NOOP("ValueNames", "Text file (CSV, TSV)")},
    {"text", QT_TRANSLATE_NOOP("ValueNames", "Lines of text")},
    {"replicated", QT_TRANSLATE_NOOP("ValueNames", "Replicated")},
    {"row", QT_TRANSLATE_NOOP("ValueNames", "Row-wise (modulo)")},
    {"column", QT_TRANSLATE_NOOP("ValueNames", "Column-wise")},
    {"table", QT_TRANSLATE_NOOP("ValueNames", "Table-wise")},
    {"row_block", QT_TRANSLATE_NOOP("ValueNames", "Row-wise (block)")},
    {"sqrtn", QT_TRANSLATE_NOOP("ValueNames", "Sum / √n")},
    {"fp32", QT_TRANSLATE_NOOP("ValueNames", "fp32")},
    {"bf16", QT_TRANSLATE_NOOP("ValueNames", "bf16")},
    {"tf32", QT_TRANSLATE_NOOP("ValueNames", "tf32")},
};

}  // namespace

QString valueName(const QString& word) {
  for (const Name& each : kNames)
    if (word == QLatin1String(each.word))
      return QCoreApplication::translate("ValueNames", each.name);
  static const QRegularExpression kWord(QStringLiteral("^[a-z][a-z0-9_]*$"));
  if (!kWord.match(word).hasMatch()) return word;
  QString name = QString(word).replace(QLatin1Char('_'), QLatin1Char(' '));
  name[0] = name[0].toUpper();
  return name;
}

}  // namespace parapet::ui
