// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/data_forms.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>

namespace parapet::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("DataForms", text);
}

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
  auto* browse = new QPushButton(tr("Browse…"), field);
  browse->setAccessibleName(tr("Choose the file of %1").arg(label.toLower()));
  browse->setToolTip(tr("Chooses the file of these rows"));
  field->addBeside(browse);
  QObject::connect(browse, &QPushButton::clicked, field, [&editor, field, pointer, label] {
    const QString path = QFileDialog::getOpenFileName(field->window(), label);
    if (!path.isEmpty())
      editor.setValue(pointer, path.toStdString(),
                      tr("Choose the file of %1").arg(label.toLower()));
  });
  const auto follow = [&editor, browse, line = qobject_cast<QLineEdit*>(field->editWidget())] {
    browse->setVisible(editor.value("/dataset/split/kind") == "files");
    // A corpus has files of its own for the parts.
    if (line != nullptr)
      line->setPlaceholderText(editor.experiment().dataset.isText() ? tr("that of the corpus")
                                                                    : tr("not set"));
  };
  QObject::connect(&editor, &ExperimentEditor::documentChanged, browse, follow);
  follow();
}

}  // namespace

Field* addSourceFields(Form& form) {
  form.addField("/dataset/source", tr("Source"));
  return form.addField("/dataset/path", tr("File or folder"));
}

void addSourceSettings(Form& form) {
  form.addField("/dataset/generator/kind", tr("Generated"));
  form.addField("/dataset/generator/users", tr("Users"));
  form.addField("/dataset/generator/items", tr("Items"));
  form.addField("/dataset/generator/events", tr("Events"));
  form.addField("/dataset/generator/seed", tr("Generator seed"));
  form.addField("/dataset/text/vocabulary", tr("WordPiece vocabulary"));
  form.addField("/dataset/text/lowercase", tr("Lower case"));
  form.addField("/dataset/text/min_bytes", tr("Min. bytes of a line"));
  form.addField("/dataset/text/max_length", tr("Max. pieces of a sequence"));
  form.addField("/dataset/slice", tr("Rows to read"));
  form.addField("/dataset/format/delimiter", tr("Delimiter"));
  form.addField("/dataset/format/quote", tr("Quote"));
  form.addField("/dataset/format/header", tr("Header"));
  form.addField("/dataset/format/names", tr("Names of columns"));
}

void addLabelFields(Form& form) {
  form.addField("/dataset/label/column", tr("Label column"));
  const Field* scale = form.addField("/dataset/label/scale", tr("Label scale"));
  QLabel* note = form.addNote(tr("Two numbers, lowest and highest label: they become 0 and 1."));
  note->setVisible(scale->isInDocument());
  QObject::connect(scale, &Field::presenceChanged, note, &QWidget::setVisible);
  form.addField("/dataset/weight", tr("Weight column"));
  form.addField("/dataset/max_rejected_share", tr("Max. rejected share"));
}

void addSplitFields(Form& form, ExperimentEditor& editor) {
  form.addField("/dataset/split/kind", tr("Kind"),
                choiceOf({{"random", tr("Random")},
                          {"leave_last", tr("Leave last")},
                          {"leave_random", tr("Leave random")},
                          {"batches", tr("Batches")},
                          {"temporal", tr("Temporal")},
                          {"column", tr("As a column says")},
                          {"files", tr("A file for each part")}}));
  form.addField("/dataset/split/column", tr("Column"));
  addPart(form, editor, "/dataset/split/train", tr("Training"));
  addPart(form, editor, "/dataset/split/validation", tr("Validation"));
  addPart(form, editor, "/dataset/split/test", tr("Test"));
  QLabel* amounts = form.addNote(
      tr("Counts of rows, or shares between 0 and 1; rows of each user or batches where the kind "
         "says so."));
  QLabel* cells = form.addNote(tr("Its cells are train, validation or test."));
  QLabel* files = form.addNote(
      tr("Files with the same columns. Validation or test may be left empty, not both."));
  QLabel* corpus = form.addNote(
      tr("A folder of texts has a file for each part. Of a single file the first 90 % of the lines "
         "train, and the others validate."));
  form.addField("/dataset/split/validation_seconds", tr("Validation seconds"));
  form.addField("/dataset/split/test_seconds", tr("Test seconds"));
  form.addField("/dataset/split/gap_seconds", tr("Gap seconds"));
  form.addField("/dataset/split/end", tr("End"));
  Field* users = form.addField("/dataset/split/cold_users", tr("Unknown users"));
  Field* items = form.addField("/dataset/split/cold_items", tr("Unknown items"));
  form.addField("/dataset/split/seed", tr("Seed"));
  const auto follow = [&editor, amounts, cells, files, corpus, users, items] {
    const nlohmann::ordered_json kind = editor.value("/dataset/split/kind");
    const bool isText = editor.experiment().dataset.isText();
    cells->setVisible(kind == "column");
    files->setVisible(kind == "files" && !isText);
    corpus->setVisible(kind == "files" && isText);
    amounts->setVisible(kind != "column" && kind != "files");
    for (Field* of : {users, items}) of->setApplies(!isText);
  };
  QObject::connect(&editor, &ExperimentEditor::documentChanged, amounts, follow);
  follow();
}

}  // namespace parapet::ui
