// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/model/graph_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>

#include "ui/bridge/shown_text.h"
#include "ui/forms/report_view.h"
#include "ui/style/controls.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

// Pictures are made for documents: twice the pixels of the screen.
constexpr int kPictureScale = 2;
constexpr double kButtonZoomStep = 1.25;
constexpr int kShape = 4, kParameters = 5;

}  // namespace

GraphPanel::GraphPanel(QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar(this)),
      stack_(new QStackedWidget(this)),
      view_(new GraphView(this)),
      rows_(new ReportTableModel(graphTitles(), {kParameters}, this)),
      table_(makeReportView(*rows_, tr("The model in words"), this)),
      zoom_(new QLabel(this)) {
  tabs_->setDrawBase(false);
  tabs_->setExpanding(false);
  tabs_->setAccessibleName(tr("View of the model"));
  tabs_->addTab(tr("Graph"));
  tabs_->addTab(tr("Table"));
  tabs_->setTabToolTip(1, tr("The same as a table; Ctrl+C copies it"));
  stack_->addWidget(view_);
  stack_->addWidget(table_);
  table_->show();
  table_->horizontalHeader()->setStretchLastSection(true);
  auto* line = horizontalBox(nullptr, 4);
  line->addWidget(tabs_);
  line->addStretch(1);
  makeTools(*line);
  auto* layout = verticalBox(this, 8);
  layout->addLayout(line);
  layout->addWidget(stack_, 1);
  connect(tabs_, &QTabBar::currentChanged, stack_, &QStackedWidget::setCurrentIndex);
  connect(view_, &GraphView::chosen, this, &GraphPanel::chosen);
  connect(view_, &GraphView::zoomChanged, this,
          [this] { zoom_->setText(tr("%1 %").arg(qRound(100.0 * view_->zoom()))); });
}

void GraphPanel::makeTools(QLayout& line) {
  const auto add = [&](const QString& text, const QString& toolTip, auto run) {
    auto* button = textButton(text, toolTip, this);
    line.addWidget(button);
    connect(button, &QToolButton::clicked, this, run);
    return button;
  };
  add(QStringLiteral("−"), tr("Zoom out (−)"), [this] { view_->zoomBy(1.0 / kButtonZoomStep); });
  zoom_->setAccessibleName(tr("Zoom"));
  zoom_->setMinimumWidth(zoom_->fontMetrics().horizontalAdvance(QStringLiteral("300 %")) + 4);
  zoom_->setAlignment(Qt::AlignCenter);
  line.addWidget(zoom_);
  add(QStringLiteral("+"), tr("Zoom in (+)"), [this] { view_->zoomBy(kButtonZoomStep); });
  auto* fit = add(tr("Fit"), tr("Show everything (0)"), [this] { view_->fit(); });
  const auto follow = [this, fit] {
    setUsable(*fit, !view_->isFitted(), tr("Everything is shown"));
  };
  connect(view_, &GraphView::zoomChanged, fit, follow);
  follow();
  auto* copy = new QAction(tr("Copy the picture"), this);
  connect(copy, &QAction::triggered, this, &GraphPanel::copyPicture);
  auto* save = new QAction(tr("Picture as PNG or SVG…"), this);
  connect(save, &QAction::triggered, this, &GraphPanel::chooseExport);
  line.addWidget(exportButton(tr("Export the picture of the model"),
                              tr("Copy or save the picture of the model"), {copy, save}, this));
}

void GraphPanel::setGraph(ModelGraph graph) {
  graph_ = std::move(graph);
  view_->setGraph(graph_);
  rows_->setRows(graphRows(graph_));
  table_->resizeColumnsToContents();
}

QImage GraphPanel::picture() {
  QImage image(view_->pictureSize() * kPictureScale, QImage::Format_ARGB32_Premultiplied);
  image.fill(palette().color(QPalette::Window));
  QPainter painter(&image);
  view_->paintPicture(painter);
  return image;
}

void GraphPanel::copyPicture() {
  QApplication::clipboard()->setImage(picture());
}

Status GraphPanel::exportPicture(const QString& path) {
  bool written = false;
  if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
    QSvgGenerator generator;
    generator.setFileName(path);
    generator.setSize(view_->pictureSize());
    generator.setViewBox(QRect({0, 0}, view_->pictureSize()));
    QPainter painter;
    written = painter.begin(&generator);
    if (written) view_->paintPicture(painter);
  } else {
    written = picture().save(path);
  }
  if (written) return {};
  return Error{ErrorCode::kIo, "[model.graph] cannot write the picture", {}, path.toStdString()};
}

void GraphPanel::chooseExport() {
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Save the picture"), QStringLiteral("model.svg"), tr("Pictures (*.svg *.png)"));
  if (path.isEmpty()) return;
  if (const Status written = exportPicture(path); !written)
    emit failed(shownText(written.error().text()));
}

}  // namespace parapet::ui
