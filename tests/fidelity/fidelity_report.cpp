// SPDX-License-Identifier: Apache-2.0
// Prints the tables of docs/fidelity.md on MovieLens-100K and draws its plot:
//   fidelity_report ML-100K-FOLDER [PLOT.svg]
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "engine/base/files.h"
#include "engine/experiment/published_points.h"
#include "tests/fidelity/seed_runs.h"

namespace {

using namespace parapet;
constexpr int kSeeds = 50;

/// A line for each epoch that was published: ours, published, and by how much they differ.
void printMetric(const std::string& key, const fidelity::Band& ours,
                 const experiment::ReferenceCurve& published) {
  const auto points = experiment::publishedPoints(published, key);
  for (const auto& [epoch, value] : points) {
    // Of the validation only the values after the last epoch are kept.
    const std::size_t at = ours.mean.size() == 1 ? 0 : static_cast<std::size_t>(epoch - 1);
    fmt::print("| {} | {} | {:.4f} ± {:.4f} | {:.4f} | {:+.1f} sd |\n", key, epoch, ours.mean[at],
               ours.deviation[at], value, (value - ours.mean[at]) / ours.deviation[at]);
  }
}

void printRanking(const std::shared_ptr<const data::Dataset>& dataset) {
  const auto published = experiment::findReferenceCurve("keras-distributed-embedding").value();
  std::vector<fidelity::RankingRun> runs;
  fmt::print("\nmovielens-ranking-as-published\nseed  loss as displayed, epochs 1-5  val_rmse\n");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    runs.push_back(fidelity::trainRanking(dataset, "movielens-ranking-as-published", seed));
    fmt::print("{:4}  {:.4f}  {:.4f}\n", seed,
               fmt::join(runs.back().metrics.at("loss_as_displayed"), " "), runs.back().rmse);
  }
  fmt::print("\n| metric | epoch | ours | published | off by |\n|---|---:|---:|---:|---:|\n");
  for (const char* key : {"loss_as_displayed", "rmse_as_displayed", "val_loss", "val_rmse",
                          "val_loss_as_displayed", "val_rmse_as_displayed"})
    printMetric(key, fidelity::band(runs, key), published);
  fmt::print("\nmovielens-ranking\nseed  epoch  rmse\n");
  std::vector<std::vector<double>> learned;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto run = fidelity::trainRanking(dataset, "movielens-ranking", seed);
    fmt::print("{:4}  {:5}  {:.4f}\n", seed, run.epoch, run.rmse);
    learned.push_back({run.rmse});
  }
  const fidelity::Band all = fidelity::band(learned);
  fmt::print("rmse on the test rows: {:.4f} ± {:.4f}, {:.4f} to {:.4f}\n", all.mean[0],
             all.deviation[0], all.smallest[0], all.largest[0]);
}

struct Bands {
  fidelity::Band loss, displayed, val;
};

Bands runSeeds(const std::shared_ptr<const data::Dataset>& dataset) {
  std::vector<std::vector<double>> loss, displayed, val;
  fmt::print("# SPDX-License-Identifier: Apache-2.0\n");
  fmt::print("seed  loss@50  as displayed@50  val_loss@50\n");
  for (int seed = 0; seed < kSeeds; ++seed) {
    const auto curves = fidelity::train(dataset, static_cast<std::uint64_t>(seed));
    fmt::print("{:4}  {:.5f}  {:.5f}          {:.5f}\n", seed, curves.loss.back(),
               curves.lossAsDisplayed.back(), curves.valLoss.back());
    loss.push_back(curves.loss);
    displayed.push_back(curves.lossAsDisplayed);
    val.push_back(curves.valLoss);
  }
  return {fidelity::band(loss), fidelity::band(displayed), fidelity::band(val)};
}

double publishedAt(const std::vector<experiment::ReferenceCurve::Point>& points,
                   std::int64_t epoch) {
  for (const auto& point : points)
    if (point.epoch == epoch) return point.value;
  return 0.0;
}

void printTable(const Bands& bands, const experiment::ReferenceCurve& published) {
  fmt::print(
      "\n| epoch | loss (true) | loss as displayed | published | off by | val_loss | published | "
      "off by |\n");
  fmt::print("|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const std::int64_t epoch : {1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50}) {
    const auto at = static_cast<std::size_t>(epoch - 1);
    const double shown = publishedAt(published.lossAsDisplayed, epoch);
    fmt::print("| {} | {:.4f} ± {:.4f} | {:.4f} ± {:.4f} | {:.4f} | {:+.1f} sd |", epoch,
               bands.loss.mean[at], bands.loss.deviation[at], bands.displayed.mean[at],
               bands.displayed.deviation[at], shown,
               (shown - bands.displayed.mean[at]) / bands.displayed.deviation[at]);
    if (epoch % 5 != 0) {
      fmt::print(" – | – | – |\n");
      continue;
    }
    const auto point = static_cast<std::size_t>(epoch / 5 - 1);
    const double val = publishedAt(published.valLoss, epoch);
    fmt::print(" {:.4f} ± {:.4f} | {:.4f} | {:+.1f} sd |\n", bands.val.mean[point],
               bands.val.deviation[point], val,
               (val - bands.val.mean[point]) / bands.val.deviation[point]);
  }
  fmt::print(
      "\nlargest deviation over all points: training {:.2f} sd (true loss instead: {:.2f}), "
      "validation {:.2f} sd\n",
      fidelity::largestDeviation(published.lossAsDisplayed, bands.displayed, 1),
      fidelity::largestDeviation(published.lossAsDisplayed, bands.loss, 1),
      fidelity::largestDeviation(published.valLoss, bands.val, 5));
}

// The plot: band of all seeds, their mean, and the published points, in plain SVG.
constexpr double kLeft = 60, kTop = 20, kWidth = 560, kHeight = 300;
double x(double epoch) {
  return kLeft + (epoch - 1) / 49.0 * kWidth;
}
double y(double loss) {
  return kTop + (0.5 - loss) / 0.4 * kHeight;
}

std::string polyline(const std::vector<double>& values, std::string_view style) {
  std::string points;
  for (std::size_t i = 0; i < values.size(); ++i)
    points += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(i + 1)), y(values[i]));
  return fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", points, style);
}

std::string svg(const Bands& bands, const experiment::ReferenceCurve& published) {
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"370\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<!-- SPDX-License-Identifier: Apache-2.0 -->\n<rect width=\"640\" height=\"370\" "
      "fill=\"white\"/>\n";
  for (const double loss : {0.1, 0.2, 0.3, 0.4, 0.5})
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/><text "
        "x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.1f}</text>\n",
        kLeft, kLeft + kWidth, y(loss), kLeft - 8, y(loss) + 4, loss);
  for (const int epoch : {1, 10, 20, 30, 40, 50})
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(epoch),
                       kTop + kHeight + 18, epoch);
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">epoch</text>\n",
                     kLeft + kWidth / 2, kTop + kHeight + 38);
  std::string area;
  for (std::size_t i = 0; i < 50; ++i)
    area +=
        fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(i + 1)), y(bands.displayed.largest[i]));
  for (std::size_t i = 50; i-- > 0;)
    area += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(i + 1)),
                        y(bands.displayed.smallest[i]));
  out += fmt::format("<polygon points=\"{}\" fill=\"#0072B2\" fill-opacity=\"0.18\"/>\n", area);
  out += polyline(bands.displayed.mean, "stroke=\"#0072B2\" stroke-width=\"2\"");
  out += polyline(bands.loss.mean, "stroke=\"#009E73\" stroke-dasharray=\"5 4\"");
  for (const auto& point : published.lossAsDisplayed)
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" fill=\"#D55E00\"/>\n",
                       x(static_cast<double>(point.epoch)), y(point.value));
  for (const auto& point : published.valLoss)
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"6\" height=\"6\" fill=\"none\" stroke=\"#CC79A7\" "
        "stroke-width=\"1.5\"/>\n",
        x(static_cast<double>(point.epoch)) - 3, y(point.value) - 3);
  const char* legend[4][2] = {{"#0072B2", "ours, as displayed: mean and range of 50 seeds"},
                              {"#009E73", "ours, true loss: mean"},
                              {"#D55E00", "published training loss"},
                              {"#CC79A7", "published validation loss"}};
  for (int i = 0; i < 4; ++i)
    out += fmt::format(
        "<rect x=\"80\" y=\"{}\" width=\"12\" height=\"4\" fill=\"{}\"/><text x=\"98\" "
        "y=\"{}\">{}</text>\n",
        kTop + 190 + 20 * i, legend[i][0], kTop + 196 + 20 * i, legend[i][1]);
  return out + "</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: fidelity_report ML-100K-FOLDER [PLOT.svg]\n");
    return 2;
  }
  const auto work =
      std::filesystem::temp_directory_path() / fmt::format("parapet-fidelity-{}", ::getpid());
  std::filesystem::create_directories(work);
  const auto dataset = fidelity::importRatings(argv[1], work);
  if (!dataset) {
    fmt::print(stderr, "error: {}\n", dataset.error().text());
    return 1;
  }
  const auto published = experiment::findReferenceCurve("keras-data-parallel-retrieval").value();
  const Bands bands = runSeeds(*dataset);
  printTable(bands, published);
  printRanking(*dataset);
  std::error_code ignored;
  std::filesystem::remove_all(work, ignored);
  if (argc < 3) return 0;
  const Status written = writeFileAtomically(argv[2], svg(bands, published));
  if (!written.ok()) fmt::print(stderr, "error: {}\n", written.error().text());
  return written.ok() ? 0 : 1;
}
