// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/data_forms.h"

#include <QCoreApplication>

namespace parapet::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("DataForms", text);
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
  form.addField("/dataset/slice", tr("Rows to read"));
  form.addField("/dataset/format/delimiter", tr("Delimiter"));
  form.addField("/dataset/format/quote", tr("Quote"));
  form.addField("/dataset/format/header", tr("Header"));
  form.addField("/dataset/format/names", tr("Names of columns"));
}

void addLabelFields(Form& form) {
  form.addField("/dataset/label/column", tr("Label column"));
  form.addField("/dataset/label/scale", tr("Label scale"));
  form.addNote(tr("Two numbers, lowest and highest label: they become 0 and 1."));
  form.addField("/dataset/weight", tr("Weight column"));
  form.addField("/dataset/max_rejected_share", tr("Max. rejected share"));
}

void addSplitFields(Form& form) {
  form.addField("/dataset/split/kind", tr("Kind"));
  form.addField("/dataset/split/train", tr("Training"));
  form.addField("/dataset/split/validation", tr("Validation"));
  form.addField("/dataset/split/test", tr("Test"));
  form.addNote(
      tr("Counts of rows, or shares between 0 and 1; rows of each user or batches where the kind "
         "says so."));
  form.addField("/dataset/split/validation_seconds", tr("Validation seconds"));
  form.addField("/dataset/split/test_seconds", tr("Test seconds"));
  form.addField("/dataset/split/gap_seconds", tr("Gap seconds"));
  form.addField("/dataset/split/end", tr("End"));
  form.addField("/dataset/split/cold_users", tr("Unknown users"));
  form.addField("/dataset/split/cold_items", tr("Unknown items"));
  form.addField("/dataset/split/seed", tr("Seed"));
}

}  // namespace parapet::ui
