// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/data_forms.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QObject>
#include <QPushButton>
#include <algorithm>

#include "engine/workspace/source_questions.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/document_words.h"

namespace parapet::ui {
namespace {

constexpr int kAmountWidth = 144, kPathWidth = 416;

/// A part of the split: an amount of rows, or a file where the kind of split has one for each part.
void addPart(Form& form, ExperimentEditor& editor, const QString& pointer, const QString& label) {
  Field* field =
      form.addField(pointer, label, [pointer](const ValueChanged& changed, QWidget* parent) {
        FieldBinding binding = bindField(fieldInfo(pointer), changed, parent);
        binding.show = [show = binding.show,
                        widget = binding.widget](const nlohmann::ordered_json& value) {
          widget->setMaximumWidth(value.is_number() ? kAmountWidth : kPathWidth);
          show(value);
        };
        return binding;
      });
  auto* browse = new QPushButton(QObject::tr("Browse…"), field);
  browse->setAccessibleName(QObject::tr("Choose the file of %1").arg(insideSentence(label)));
  browse->setToolTip(QObject::tr("Chooses the file of these rows"));
  field->addBeside(browse);
  QObject::connect(browse, &QPushButton::clicked, field, [&editor, field, pointer, label] {
    const QString path = QFileDialog::getOpenFileName(field->window(), label);
    if (!path.isEmpty())
      editor.setValue(pointer, path.toStdString(),
                      QObject::tr("Choose the file of %1").arg(insideSentence(label)));
  });
  const auto follow = [&editor, browse, line = qobject_cast<QLineEdit*>(field->editWidget())] {
    browse->setVisible(editor.value("/dataset/split/kind") == "files");
    // A corpus has files of its own for the parts.
    if (line != nullptr)
      line->setPlaceholderText(editor.experiment().dataset.isText()
                                   ? QObject::tr("that of the corpus")
                                   : QObject::tr("not set"));
  };
  QObject::connect(&editor, &ExperimentEditor::documentChanged, browse, follow);
  follow();
}

QStringList columnsOf(const SourceWatch& watch) {
  QStringList names;
  if (watch.state() != SourceWatch::State::kReady) return names;
  const workspace::SourcePreview& preview = watch.preview();
  for (std::size_t at = 0; at < std::min(preview.columns.size(), preview.sourceColumns); ++at)
    names << QString::fromStdString(preview.columns[at].name);
  return names;
}

/// A choice of the columns of the source; what the document says is there, too.
FieldBinding bindColumn(ExperimentEditor& editor, SourceWatch& watch, const ValueChanged& changed,
                        QWidget* parent) {
  FieldBinding binding = bindName({}, changed, parent);
  const auto offer = [offer = binding.offer, &watch](const QStringList&) {
    offer(columnsOf(watch));
  };
  QObject::connect(&watch, &SourceWatch::previewChanged, binding.widget,
                   [offer, show = binding.show, &editor] {
                     offer({});
                     show(editor.value("/dataset/split/column"));
                   });
  binding.offer = offer;
  return binding;
}

}  // namespace

Field* addSourceFields(Form& form) {
  form.addField("/dataset/source", QObject::tr("Source"));
  return form.addField("/dataset/path", QObject::tr("File or folder"));
}

void addSourceSettings(Form& form) {
  form.addField("/dataset/generator/kind", QObject::tr("Generated"));
  form.addField("/dataset/generator/users", QObject::tr("Users"));
  form.addField("/dataset/generator/items", QObject::tr("Items"));
  form.addField("/dataset/generator/events", QObject::tr("Events"));
  form.addField("/dataset/generator/seed", QObject::tr("Generator seed"));
  form.addField("/dataset/generator/context_strength", QObject::tr("Context strength"));
  form.addField("/dataset/generator/order_strength", QObject::tr("Order strength"));
  form.addField("/dataset/text/vocabulary", QObject::tr("WordPiece vocabulary"));
  form.addField("/dataset/text/lowercase", QObject::tr("Lower case"));
  form.addField("/dataset/text/min_bytes", QObject::tr("Min. bytes of a line"));
  form.addField("/dataset/text/max_length", QObject::tr("Max. tokens of a sequence"));
  form.addField("/dataset/slice", QObject::tr("Rows to read"));
  form.addField("/dataset/format/delimiter", QObject::tr("Delimiter"));
  form.addField("/dataset/format/quote", QObject::tr("Quote"));
  form.addField("/dataset/format/header", QObject::tr("Header"));
  form.addField("/dataset/format/names", QObject::tr("Names of columns"));
}

void addLabelFields(Form& form) {
  // Without labels every row counts 1, which a threshold of ratings leaves out.
  form.addField("/dataset/label/column", QObject::tr("Label column"))
      ->setClearedAlongside({QStringLiteral("/evaluation/relevance_threshold")});
  const Field* scale = form.addField("/dataset/label/scale", QObject::tr("Label scale"));
  QLabel* note =
      form.addNote(QObject::tr("Two numbers, lowest and highest label: they become 0 and 1."));
  note->setVisible(scale->isInDocument());
  QObject::connect(scale, &Field::presenceChanged, note, &QWidget::setVisible);
  form.addField("/dataset/weight", QObject::tr("Weight column"));
  form.addField("/dataset/max_rejected_share", QObject::tr("Max. rejected share"));
}

void addSplitFields(Form& form, ExperimentEditor& editor, SourceWatch& watch) {
  form.addField("/dataset/split/kind", QObject::tr("Kind"),
                choiceOf({{"random", QObject::tr("Random")},
                          {"leave_last", QObject::tr("Leave last")},
                          {"leave_random", QObject::tr("Leave random")},
                          {"batches", QObject::tr("Batches")},
                          {"temporal", QObject::tr("Temporal")},
                          {"column", QObject::tr("By a column")},
                          {"files", QObject::tr("A file for each part")}}));
  form.addField("/dataset/split/column", QObject::tr("Column"),
                [&editor, &watch](const ValueChanged& changed, QWidget* parent) {
                  return bindColumn(editor, watch, changed, parent);
                });
  addPart(form, editor, "/dataset/split/train", QObject::tr("Training"));
  addPart(form, editor, "/dataset/split/validation", QObject::tr("Validation"));
  addPart(form, editor, "/dataset/split/test", QObject::tr("Test"));
  QLabel* amounts = form.addNote(QObject::tr(
      "Counts of rows, or shares between 0 and 1; rows of each user or batches where the kind "
      "says so."));
  QLabel* cells = form.addNote({});
  QLabel* files = form.addNote(
      QObject::tr("Files with the same columns. Validation or test may be left empty, not both."));
  QLabel* corpus = form.addNote(QObject::tr(
      "A folder of texts has a file for each part. Of a single file the first 90 % of the lines "
      "train, and the others validate."));
  form.addField("/dataset/split/validation_seconds", QObject::tr("Validation seconds"));
  form.addField("/dataset/split/test_seconds", QObject::tr("Test seconds"));
  form.addField("/dataset/split/gap_seconds", QObject::tr("Gap seconds"));
  form.addField("/dataset/split/end", QObject::tr("End"));
  Field* users = form.addField("/dataset/split/cold_users", QObject::tr("Unknown users"));
  Field* items = form.addField("/dataset/split/cold_items", QObject::tr("Unknown items"));
  form.addField("/dataset/split/seed", QObject::tr("Seed"));
  const auto follow = [&editor, &watch, amounts, cells, files, corpus, users, items] {
    const nlohmann::ordered_json kind = editor.value("/dataset/split/kind");
    const bool isText = editor.experiment().dataset.isText();
    const QString column = QString::fromStdString(editor.experiment().dataset.split.column);
    const bool known =
        watch.state() != SourceWatch::State::kReady || columnsOf(watch).contains(column);
    cells->setText(known
                       ? QObject::tr("Its cells are train, validation or test.")
                       : QObject::tr("The data have no column “%1”: choose the one whose cells are "
                                     "train, validation or test.")
                             .arg(shownText(column)));
    cells->setVisible(kind == "column");
    files->setVisible(kind == "files" && !isText);
    corpus->setVisible(kind == "files" && isText);
    amounts->setVisible(kind != "column" && kind != "files");
    for (Field* of : {users, items}) of->setApplies(!isText);
  };
  QObject::connect(&editor, &ExperimentEditor::documentChanged, amounts, follow);
  QObject::connect(&watch, &SourceWatch::previewChanged, amounts, follow);
  follow();
}

}  // namespace parapet::ui
