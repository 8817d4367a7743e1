// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/cell_delegates.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFileInfo>
#include <QFrame>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QScreen>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStyle>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "ui/forms/drop_area.h"
#include "ui/forms/form.h"
#include "ui/models/document_rows_model.h"
#include "ui/models/document_text.h"
#include "ui/models/setting_names.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

/// Only on the screen: copied and exported texts are those of the model.
const QString kRoom(QChar(0x2002));

constexpr int kMinChecksWidth = 208, kMaxChecksHeight = 320, kAround = 16;

/// Shows which are chosen; all of them where the cell says null.
void showChecks(QListWidget& list, const QModelIndex& cell, const QString& absent) {
  const QSignalBlocker quiet(&list);
  const QString text = cell.data(Qt::EditRole).toString();
  const bool isAbsent = text == absent;
  QStringList chosen;
  for (const QString& part : text.split(QLatin1Char(','))) chosen << part.trimmed();
  for (int row = 0; row < list.count(); ++row) {
    QListWidgetItem& item = *list.item(row);
    const bool checked =
        item.text() == absent ? isAbsent : !isAbsent && chosen.contains(item.text());
    item.setCheckState(checked ? Qt::Checked : Qt::Unchecked);
  }
}

/// "user/" of "user/genres"; "" if a name has no folder.
QString folderOf(const QString& name) {
  return name.left(name.lastIndexOf('/') + 1);
}

const DocumentRowsModel& modelOf(const QModelIndex& index) {
  return *qobject_cast<const DocumentRowsModel*>(index.model());
}

int boundOf(std::optional<double> bound, int otherwise) {
  constexpr double kLargest = std::numeric_limits<int>::max();
  return bound ? static_cast<int>(std::clamp(*bound, -kLargest, kLargest)) : otherwise;
}

}  // namespace

bool takesFirstValue(QWidget& editor) {
  constexpr const char* kProperty = "hasValue";
  if (editor.property(kProperty).toBool()) return false;
  editor.setProperty(kProperty, true);
  return true;
}

void RoomyDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  if (takesFirstValue(*editor)) QStyledItemDelegate::setEditorData(editor, index);
}

void RoomyDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (option->displayAlignment & Qt::AlignRight) option->text += kRoom;
}

void RoomyHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const {
  QHeaderView::initStyleOptionForIndex(option, section);
  if (option->textAlignment & Qt::AlignRight) option->text += kRoom;
}

QWidget* ChecksDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                      const QModelIndex& index) const {
  const auto* model = qobject_cast<const DocumentRowsModel*>(index.model());
  if (model == nullptr) return nullptr;
  auto* popup = new PopupFrame(parent);
  popup->setAttribute(Qt::WA_DeleteOnClose);
  popup->setObjectName(QStringLiteral("checksPopup"));
  auto* list = new QListWidget(popup);
  list->setFrameShape(QFrame::NoFrame);
  list->setAccessibleName(
      model->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
  const QStringList choices = model->choicesAt(index);
  const QString absent = model->absentOf(index.column());
  for (const QString& choice : choices) {
    auto* item = new QListWidgetItem(choice, list);
    item->setFlags(Qt::ItemIsUserCheckable | Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  }
  const QPersistentModelIndex cell(index);
  showChecks(*list, index, absent);
  connect(list, &QListWidget::itemChanged, popup, [list, cell, absent](QListWidgetItem* changed) {
    if (!cell.isValid()) return;
    QStringList chosen;
    const bool toAbsent = changed->text() == absent && changed->checkState() == Qt::Checked;
    for (int row = 0; !toAbsent && row < list->count(); ++row)
      if (list->item(row)->checkState() == Qt::Checked && list->item(row)->text() != absent)
        chosen << list->item(row)->text();
    // Without any the cell says null again.
    const QString text = toAbsent ? absent : chosen.join(QStringLiteral(", "));
    auto* edited = const_cast<QAbstractItemModel*>(cell.model());
    edited->setData(cell, text, Qt::EditRole);
    showChecks(*list, cell, absent);
  });
  connect(model, &QAbstractItemModel::rowsRemoved, popup, &QWidget::close);
  auto* layout = verticalBox(popup, -1, {4, 4, 4, 4});
  layout->addWidget(list);
  const QRect onScreen(parent->mapToGlobal(option.rect.topLeft()), option.rect.size());
  const QRect screen = parent->screen()->availableGeometry();
  const int height =
      std::min(kMaxChecksHeight, std::max(1, list->count()) * list->sizeHintForRow(0) + kAround);
  const int width = std::max(kMinChecksWidth, list->sizeHintForColumn(0) + 2 * kAround);
  const bool below = onScreen.bottom() + height <= screen.bottom();
  popup->setGeometry(std::max(screen.left(), std::min(onScreen.left(), screen.right() - width)),
                     below ? onScreen.bottom() + 1 : onScreen.top() - height, width, height);
  popup->show();
  list->setFocus();
  return nullptr;
}

QWidget* FileDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                    const QModelIndex& index) const {
  auto* line = new QLineEdit(parent);
  line->setFrame(false);
  line->setAccessibleName(
      index.model()->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
  QAction* browse =
      line->addAction(lineIcon(QStringLiteral("folder")), QLineEdit::TrailingPosition);
  browse->setObjectName(QStringLiteral("chooseFile"));
  browse->setToolTip(tr("Chooses a file"));
  const auto* model = qobject_cast<const DocumentRowsModel*>(index.model());
  connect(
      browse, &QAction::triggered, line,
      [this, line, parent, model, cell = QPersistentModelIndex(index)] {
        const QString data =
            model == nullptr ? QString() : shownValue(model->editor().value("/dataset/path"));
        // The line goes away when the dialog takes the focus; the cell stays.
        chooseFile(
            parent,
            {.title = tr("Choose a file"),
             .filter = vectorFilter(),
             .folder = QFileInfo(data).absolutePath()},
            model->parent(), [cell](const QString& path) {
              if (cell.isValid())
                const_cast<QAbstractItemModel*>(cell.model())->setData(cell, path, Qt::EditRole);
            });
        emit const_cast<FileDelegate*>(this)->closeEditor(line);
      });
  return line;
}

void FileDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  RoomyDelegate::initStyleOption(option, index);
  option->textElideMode = Qt::ElideMiddle;
}

void PathDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const QString name = cell.text;
  const QString folder = folderOf(name);
  if (folder.isEmpty()) return RoomyDelegate::paint(painter, option, index);
  cell.text.clear();
  const QStyle* style = cell.widget ? cell.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
  cell.text = name;
  const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, &cell, cell.widget) + 1;
  QRect text = style->subElementRect(QStyle::SE_ItemViewItemText, &cell, cell.widget)
                   .adjusted(margin, 0, -margin, 0);
  const bool selected = cell.state & QStyle::State_Selected;
  const QColor strong = cell.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
  const int wide = cell.fontMetrics.horizontalAdvance(folder);
  const QString above = index.siblingAtRow(index.row() - 1).data().toString();
  painter->save();
  painter->setFont(cell.font);
  if (folderOf(above) != folder) {
    painter->setPen(selected ? strong : quietColor(cell.palette));
    painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, folder);
  }
  text.setLeft(text.left() + wide);
  painter->setPen(strong);
  painter->drawText(
      text, Qt::AlignVCenter | Qt::AlignLeft,
      cell.fontMetrics.elidedText(name.mid(folder.size()), Qt::ElideRight, text.width()));
  painter->restore();
}

QWidget* SettingsDelegate::makeForm(const DocumentRowsModel& model, const QModelIndex& index,
                                    QWidget* parent) const {
  auto* form =
      new SettingsForm(model.editor(), model.cellPointer(index), tr("experiment's"), parent);
  form->setFocusProxy(&form->form());
  return form;
}

QWidget* SettingsDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                        const QModelIndex& index) const {
  const auto* model = qobject_cast<const DocumentRowsModel*>(index.model());
  if (model == nullptr) return nullptr;
  auto* popup = new PopupFrame(parent);
  popup->setAttribute(Qt::WA_DeleteOnClose);
  popup->setObjectName("settingsPopup");
  auto* layout = verticalBox(popup);
  auto* scroll = new QScrollArea(popup);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  QWidget* form = makeForm(*model, index, scroll);
  form->layout()->setContentsMargins(16, 16, 16, 16);
  scroll->setWidget(form);
  layout->addWidget(scroll);
  const QRect cell(parent->mapToGlobal(option.rect.topLeft()), option.rect.size());
  const QRect screen = parent->screen()->availableGeometry();
  // The popup is as high as its fields, beside the cell, and never beyond the edge of the screen.
  const auto fit = [popup, form, cell, screen] {
    const int room = std::max(screen.bottom() - cell.bottom(), cell.top() - screen.top());
    const QSize wanted = form->sizeHint() + QSize(2 * popup->frameWidth(), 2);
    const bool scrolls = wanted.height() > room;
    const int bar = scrolls ? popup->style()->pixelMetric(QStyle::PM_ScrollBarExtent) : 0;
    const QSize size(wanted.width() + bar, std::min(wanted.height(), room));
    const bool below = cell.bottom() + size.height() <= screen.bottom();
    const int left = std::min(cell.left(), screen.right() - size.width());
    popup->setGeometry(
        {{std::max(left, screen.left()), below ? cell.bottom() + 1 : cell.top() - size.height()},
         size});
  };
  // A row that goes away takes its popup along.
  connect(model, &QAbstractItemModel::rowsRemoved, popup, &QWidget::close);
  connect(&model->editor(), &ExperimentEditor::documentChanged, popup,
          [fit, popup] { QTimer::singleShot(0, popup, fit); });
  popup->show();
  fit();
  form->setFocus();
  return nullptr;
}

QWidget* ChoiceDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                      const QModelIndex& index) const {
  const DocumentRowsModel& model = modelOf(index);
  auto* combo = new QComboBox(parent);
  combo->setEditable(model.info(index.column()).type == FieldInfo::Type::kWordOrNumber);
  const bool words = model.info(index.column()).type == FieldInfo::Type::kWord;
  for (const QString& choice : model.choicesAt(index)) {
    combo->addItem(words ? valueName(choice) : choice, choice);
    if (words) combo->setItemData(combo->count() - 1, choice, Qt::ToolTipRole);
  }
  combo->setAccessibleName(
      model.headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
  auto* self = const_cast<ChoiceDelegate*>(this);
  if (!combo->isEditable())
    connect(combo, &QComboBox::activated, self, [self, combo] {
      emit self->commitData(combo);
      emit self->closeEditor(combo);
    });
  return combo;
}

void ChoiceDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  if (!takesFirstValue(*editor)) return;
  auto* combo = static_cast<QComboBox*>(editor);
  const QString text = index.data(Qt::EditRole).toString();
  if (combo->isEditable()) {
    combo->setEditText(text);
  } else {
    combo->setCurrentIndex(combo->findData(text));
  }
}

void ChoiceDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                  const QModelIndex& index) const {
  const auto* combo = static_cast<QComboBox*>(editor);
  if (combo->isEditable() || combo->currentIndex() >= 0)
    model->setData(index, combo->isEditable() ? combo->currentText() : combo->currentData(),
                   Qt::EditRole);
}

QWidget* IntegerDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                       const QModelIndex& index) const {
  const DocumentRowsModel& model = modelOf(index);
  const FieldInfo& info = model.info(index.column());
  auto* spin = new QSpinBox(parent);
  spin->setLocale(QLocale::c());
  spin->setRange(boundOf(info.min, std::numeric_limits<int>::min()),
                 boundOf(info.max, std::numeric_limits<int>::max()));
  spin->setFrame(false);
  spin->setAlignment(Qt::AlignRight);
  spin->setToolTip(info.toolTip());
  spin->setAccessibleName(
      model.headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
  return spin;
}

void IntegerDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  if (takesFirstValue(*editor))
    static_cast<QSpinBox*>(editor)->setValue(index.data(Qt::EditRole).toInt());
}

void IntegerDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                   const QModelIndex& index) const {
  auto* spin = static_cast<QSpinBox*>(editor);
  spin->interpretText();
  model->setData(index, spin->value(), Qt::EditRole);
}

}  // namespace parapet::ui
