// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/role_header.h"

#include <QPainter>
#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kSpace = 6, kMinWidth = 128;
// Wider tables are told what their columns are by the list of columns.
constexpr int kMaxBoxes = 200;

struct Use {
  const char* word;
  const char* label;
};
constexpr Use kUses[] = {
    {"", QT_TRANSLATE_NOOP("RoleHeader", "not used")},
    {"user", QT_TRANSLATE_NOOP("RoleHeader", "user")},
    {"item", QT_TRANSLATE_NOOP("RoleHeader", "item")},
    {"label", QT_TRANSLATE_NOOP("RoleHeader", "label")},
    {"weight", QT_TRANSLATE_NOOP("RoleHeader", "weight")},
    {"context", QT_TRANSLATE_NOOP("RoleHeader", "context")},
    {"feature", QT_TRANSLATE_NOOP("RoleHeader", "feature")},
    {"number", QT_TRANSLATE_NOOP("RoleHeader", "number")},
    {"time", QT_TRANSLATE_NOOP("RoleHeader", "time")},
};

}  // namespace

RoleHeader::RoleHeader(OfColumn useOf, OfColumn reasonOf, QWidget* parent)
    : QHeaderView(Qt::Horizontal, parent),
      useOf_(std::move(useOf)),
      reasonOf_(std::move(reasonOf)) {
  setDefaultAlignment(Qt::AlignLeft | Qt::AlignTop);
  setHighlightSections(false);
  setSectionsClickable(false);
  connect(this, &QHeaderView::sectionResized, this, &RoleHeader::placeBoxes);
  connect(this, &QHeaderView::sectionCountChanged, this, &RoleHeader::makeBoxes);
}

QComboBox* RoleHeader::box(int column) const {
  const auto at = static_cast<std::size_t>(column);
  return at < boxes_.size() ? boxes_[at] : nullptr;
}

QString RoleHeader::nameOf(int section) const {
  return model() == nullptr
             ? QString()
             : model()->headerData(section, Qt::Horizontal, Qt::DisplayRole).toString();
}

void RoleHeader::makeBoxes() {
  const auto wanted = static_cast<std::size_t>(std::min(count(), kMaxBoxes));
  while (boxes_.size() > wanted) {
    boxes_.back()->deleteLater();
    boxes_.back()->hide();
    boxes_.pop_back();
  }
  while (boxes_.size() < wanted) {
    auto* box = new QComboBox(viewport());
    for (const Use& use : kUses) box->addItem(tr(use.label), QString::fromLatin1(use.word));
    box->setFocusPolicy(Qt::StrongFocus);
    const int section = static_cast<int>(boxes_.size());
    connect(box, &QComboBox::activated, this, [this, box, section] {
      emit useChosen(nameOf(section), box->currentData().toString());
    });
    box->show();
    boxes_.push_back(box);
  }
  follow();
}

void RoleHeader::follow() {
  for (std::size_t at = 0; at < boxes_.size(); ++at) {
    QComboBox& box = *boxes_[at];
    const QString name = nameOf(static_cast<int>(at));
    box.setCurrentIndex(std::max(0, box.findData(useOf_(name))));
    box.setAccessibleName(tr("Role of the column %1").arg(name));
    const QString roles =
        tr("Role of the column %1: user, item, label, weight, context, time, id feature "
           "of user or item, or dense feature")
            .arg(name);
    const QString reason = reasonOf_(name);
    box.setToolTip(reason.isEmpty() ? roles : tr("Proposed, because of %1. %2").arg(reason, roles));
  }
  placeBoxes();
}

void RoleHeader::placeBoxes() {
  for (std::size_t at = 0; at < boxes_.size(); ++at) {
    const int section = static_cast<int>(at);
    QComboBox& box = *boxes_[at];
    const int high = box.sizeHint().height();
    box.setGeometry(sectionViewportPosition(section) + kSpace / 2, height() - high - kSpace / 2,
                    sectionSize(section) - kSpace, high);
  }
}

QSize RoleHeader::sizeHint() const {
  const int box = boxes_.empty() ? 0 : boxes_.front()->sizeHint().height() + kSpace;
  return {QHeaderView::sizeHint().width(), 2 * fontMetrics().height() + 2 * kSpace + box};
}

QSize RoleHeader::sectionSizeFromContents(int section) const {
  const int name = fontMetrics().horizontalAdvance(nameOf(section)) + 2 * kSpace + 8;
  const int below = reasonOf_(nameOf(section)).isEmpty()
                        ? 0
                        : fontMetrics().horizontalAdvance(tr("integer, role proposed"));
  return {std::max({kMinWidth, name, below + 2 * kSpace}), sizeHint().height()};
}

void RoleHeader::updateGeometries() {
  QHeaderView::updateGeometries();
  placeBoxes();
}

void RoleHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
  painter->save();
  painter->fillRect(rect, palette().window());
  painter->setPen(lineColor(palette()));
  painter->drawLine(rect.topRight(), rect.bottomRight());
  painter->drawLine(rect.bottomLeft(), rect.bottomRight());
  QRect text = rect.adjusted(kSpace, kSpace, -kSpace, 0);
  text.setHeight(fontMetrics().height());
  QFont bold = font();
  bold.setBold(true);
  painter->setFont(bold);
  painter->setPen(palette().color(QPalette::WindowText));
  const QFontMetrics metrics(bold);
  painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                    metrics.elidedText(shownText(nameOf(section)), Qt::ElideRight, text.width()));
  painter->setFont(font());
  painter->setPen(quietColor(palette()));
  text.translate(0, fontMetrics().height());
  QString below = model()->headerData(section, Qt::Horizontal, Qt::UserRole).toString();
  if (!reasonOf_(nameOf(section)).isEmpty()) below = tr("%1, role proposed").arg(below);
  painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                    fontMetrics().elidedText(below, Qt::ElideRight, text.width()));
  painter->restore();
}

}  // namespace parapet::ui
