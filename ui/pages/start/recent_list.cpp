// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/start/recent_list.h"

#include <QFileInfo>
#include <QVBoxLayout>

#include "ui/bridge/shown_text.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {

RecentList::RecentList(AppSettings& settings, QWidget* parent)
    : Card(parent),
      settings_(settings),
      list_(new QListWidget),
      empty_(new QuietLabel(tr("Nothing yet. Experiments that you open appear here."))) {
  setObjectName(QStringLiteral("recentList"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setAccessibleName(tr("Recent experiments"));
  list_->setToolTip(tr("Return or a click opens the experiment"));
  list_->viewport()->setAutoFillBackground(false);
  empty_->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 16, 16, 16);
  layout->setSpacing(8);
  layout->addWidget(headingLabel(tr("Recent experiments"), 1.1));
  layout->addWidget(list_, 1);
  layout->addWidget(empty_);
  layout->addStretch();
  connect(list_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
    emit chosen(item->data(Qt::UserRole).toString());
  });
  connect(list_, &QListWidget::itemClicked, list_, &QListWidget::itemActivated);
  connect(&settings_, &AppSettings::recentChanged, this, &RecentList::fill);
  fill();
}

void RecentList::fill() {
  list_->clear();
  for (const QString& origin : settings_.recent()) {
    const QFileInfo file(origin);
    const bool isFile = file.isAbsolute();
    auto* item = new QListWidgetItem(
        lineIcon(isFile ? QStringLiteral("document") : QStringLiteral("experiment")),
        isFile ? shownText(file.fileName()) : tr("Recipe %1").arg(shownText(origin)), list_);
    item->setData(Qt::UserRole, origin);
    item->setToolTip(shownText(origin));
    item->setSizeHint(QSize(0, 28));
  }
  list_->setVisible(list_->count() > 0);
  empty_->setVisible(list_->count() == 0);
}

}  // namespace parapet::ui
