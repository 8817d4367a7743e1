// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/model/graph_view.h"

#include <QKeyEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>

namespace parapet::ui {
namespace {

// Smaller, nothing can be read; larger, a box fills the view.
constexpr double kMinZoom = 0.15, kMaxZoom = 3.0, kZoomStep = 1.25;
constexpr double kEdge = 12.0;
constexpr double kWheelStep = 120.0;

}  // namespace

GraphView::GraphView(QWidget* parent) : QGraphicsView(parent) {
  setScene(&scene_);
  setFrameShape(QFrame::StyledPanel);
  setDragMode(QGraphicsView::ScrollHandDrag);
  setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
  setRenderHint(QPainter::Antialiasing);
  setBackgroundRole(QPalette::Window);
  setAccessibleName(tr("Graph of the model"));
  setToolTip(
      tr("Wheel or + and − zoom, 0 shows everything, arrows go from box to box, Enter opens "
         "the settings"));
  connect(&scene_, &QGraphicsScene::selectionChanged, this, &GraphView::describe);
}

// The scene tells of its end to a view that has no boxes any more.
GraphView::~GraphView() {
  scene_.disconnect(this);
}

GraphFlow GraphView::bestFlow() const {
  const auto share = [this](GraphFlow flow) {
    const QSizeF size = graphSize(graph_, flow);
    return std::min(viewport()->width() / size.width(), viewport()->height() / size.height());
  };
  return share(GraphFlow::kRight) >= share(GraphFlow::kDown) ? GraphFlow::kRight : GraphFlow::kDown;
}

void GraphView::setGraph(const ModelGraph& graph) {
  graph_ = graph;
  if (fitted_) flow_ = bestFlow();
  rebuild();
}

void GraphView::rebuild() {
  const QString before = selected() ? selected()->pointer : QString();
  boxes_.clear();
  arrows_.clear();
  scene_.clear();
  for (std::size_t index = 0; index < graph_.boxes.size(); ++index) {
    boxes_.push_back(new BoxItem(graph_, static_cast<int>(index), flow_));
    scene_.addItem(boxes_.back());
  }
  for (const GraphEdge& edge : graph_.edges) {
    arrows_.push_back(new ArrowItem(*boxes_[static_cast<std::size_t>(edge.from)],
                                    *boxes_[static_cast<std::size_t>(edge.to)], edge, flow_));
    scene_.addItem(arrows_.back());
  }
  scene_.setSceneRect(scene_.itemsBoundingRect().adjusted(-kEdge, -kEdge, kEdge, kEdge));
  if (!before.isEmpty()) select(before);
  describe();
  if (fitted_) fit();
}

void GraphView::zoomBy(double factor) {
  const double next = std::clamp(zoom() * factor, kMinZoom, kMaxZoom);
  fitted_ = false;
  scale(next / zoom(), next / zoom());
  emit zoomChanged();
}

void GraphView::fit() {
  resetTransform();
  const QRectF picture = scene_.sceneRect();
  if (picture.isEmpty()) return;
  const QSizeF room = viewport()->size();
  const double share =
      std::min({1.0, room.width() / picture.width(), room.height() / picture.height()});
  scale(std::max(share, kMinZoom), std::max(share, kMinZoom));
  centerOn(picture.center());
  fitted_ = true;
  emit zoomChanged();
}

const GraphBox* GraphView::selected() const {
  for (const BoxItem* box : boxes_)
    if (box->isSelected()) return &box->box();
  return nullptr;
}

void GraphView::select(const QString& pointer) {
  const BoxItem* nearest = nullptr;
  for (const BoxItem* box : boxes_) {
    const QString& own = box->box().pointer;
    const bool around = pointer == own || pointer.startsWith(own + '/');
    if (around && (nearest == nullptr || own.size() > nearest->box().pointer.size())) nearest = box;
  }
  selectBox(nearest);
}

void GraphView::selectBox(const BoxItem* box) {
  for (BoxItem* each : boxes_) each->setSelected(each == box);
  if (box != nullptr) ensureVisible(box->sceneBoundingRect(), 16, 16);
}

void GraphView::step(const QPointF& direction) {
  const auto current = std::ranges::find_if(boxes_, &BoxItem::isSelected);
  if (current == boxes_.end()) {
    selectBox(boxes_.empty() ? nullptr : boxes_.front());
    return;
  }
  const BoxItem* best = nullptr;
  double least = std::numeric_limits<double>::max();
  for (const BoxItem* box : boxes_) {
    const QPointF way = box->pos() - (*current)->pos();
    const double ahead = QPointF::dotProduct(way, direction);
    const double aside = std::abs(way.x() * direction.y() - way.y() * direction.x());
    if (ahead < 1.0 || ahead + 2.0 * aside >= least) continue;
    least = ahead + 2.0 * aside;
    best = box;
  }
  if (best != nullptr) selectBox(best);
}

void GraphView::describe() {
  const auto current = std::ranges::find_if(boxes_, &BoxItem::isSelected);
  setAccessibleDescription(current != boxes_.end()
                               ? (*current)->description()
                               : tr("%1 boxes; arrow keys go through them").arg(boxes_.size()));
}

void GraphView::paintPicture(QPainter& painter) {
  const QSignalBlocker quiet(&scene_);
  scene_.render(&painter);
}

QSize GraphView::pictureSize() const {
  return scene_.sceneRect().size().toSize();
}

void GraphView::wheelEvent(QWheelEvent* event) {
  zoomBy(std::pow(kZoomStep, event->angleDelta().y() / kWheelStep));
  event->accept();
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomBy(kZoomStep);
    case Qt::Key_Minus:
      return zoomBy(1.0 / kZoomStep);
    case Qt::Key_0:
    case Qt::Key_Home:
      return fit();
    case Qt::Key_Left:
      return step({-1.0, 0.0});
    case Qt::Key_Right:
      return step({1.0, 0.0});
    case Qt::Key_Up:
      return step({0.0, -1.0});
    case Qt::Key_Down:
      return step({0.0, 1.0});
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (selected() != nullptr) emit chosen(selected()->pointer);
      return;
    default:
      QGraphicsView::keyPressEvent(event);
  }
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (selected() != nullptr) emit chosen(selected()->pointer);
  event->accept();
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  QGraphicsView::mouseReleaseEvent(event);
  if (const auto* box = dynamic_cast<BoxItem*>(itemAt(event->pos()))) selectBox(box);
}

void GraphView::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  if (!fitted_) return;
  if (bestFlow() == flow_) return fit();
  flow_ = bestFlow();
  rebuild();
}

void GraphView::changeEvent(QEvent* event) {
  QGraphicsView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) scene_.update();
}

}  // namespace parapet::ui
