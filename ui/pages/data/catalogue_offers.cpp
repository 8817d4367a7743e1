// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/catalogue_offers.h"

#include <QApplication>
#include <QLabel>

#include "ui/bridge/shown_text.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

/// A folder of many tables would push the rows out of the window.
constexpr int kMaxOffers = 3;

}  // namespace

CatalogueOffers::CatalogueOffers(SideFiles& files, QWidget* parent)
    : QWidget(parent), files_(files), lines_(new QVBoxLayout(this)) {
  setObjectName(QStringLiteral("catalogueOffers"));
  lines_->setContentsMargins(0, 0, 0, 0);
  lines_->setSpacing(8);
  connect(&files, &SideFiles::offersChanged, this, &CatalogueOffers::follow);
  follow();
}

void CatalogueOffers::follow() {
  // The press of a button may be what takes it away, and the focus with it.
  if (parentWidget() != nullptr && isAncestorOf(QApplication::focusWidget()))
    parentWidget()->setFocus(Qt::OtherFocusReason);
  for (QWidget* line : shown_) {
    line->hide();
    line->deleteLater();
  }
  shown_.clear();
  buttons_.clear();
  const int count = std::min(kMaxOffers, static_cast<int>(files_.offers().size()));
  for (int offer = 0; offer < count; ++offer) addLine(offer);
  setVisible(count > 0);
}

void CatalogueOffers::addLine(int offer) {
  const workspace::CatalogueProposal& proposal = files_.offers()[static_cast<std::size_t>(offer)];
  const experiment::Catalogue& catalogue = proposal.catalogue;
  const bool ofItems = catalogue.of == "item";
  const QString file = shownText(catalogue.path);
  QString text;
  if (catalogue.title)
    text = ofItems ? tr("%1 is beside the data and has titles of the items (%2).")
                   : tr("%1 is beside the data and has names of the users (%2).");
  else
    text = ofItems ? tr("%1 is beside the data and has more about the items.")
                   : tr("%1 is beside the data and has more about the users.");
  text = catalogue.title ? text.arg(file, shownText(*catalogue.title)) : text.arg(file);
  auto* line = new QWidget(this);
  auto* layout = horizontalBox(line, 8);
  auto* label = new QLabel(text, line);
  label->setWordWrap(true);
  label->setToolTip(shownText(proposal.reason));
  auto* button = new QPushButton(
      catalogue.title ? (ofItems ? tr("Add titles") : tr("Add names")) : tr("Add attributes"),
      line);
  button->setObjectName(QStringLiteral("addCatalogue.%1").arg(file));
  button->setAccessibleName(tr("Add %1").arg(file));
  button->setToolTip(tr("Adds %1 as a catalogue: %2").arg(file, shownText(proposal.reason)));
  connect(button, &QPushButton::clicked, this, [this, offer] { files_.accept(offer); });
  layout->addWidget(button);
  layout->addWidget(label, 1);
  lines_->addWidget(line);
  shown_ << line;
  buttons_ << button;
}

}  // namespace parapet::ui
