// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/data/dataset/batches.h"
#include "engine/data/generate/make_generator.h"
#include "engine/data/ingest/import/import.h"
#include "engine/data/split/split.h"
#include "tests/bench/common/arguments.h"
#include "tests/bench/engine/benches.h"

namespace parapet::bench {
namespace {

struct Arguments {
  std::string folder;
  std::int64_t rows = 25'000'000, batch = 8192, nanosPerRow = 200;
};

std::shared_ptr<const data::Dataset> eventsOf(const Arguments& arguments) {
  experiment::Dataset document;
  document.source = experiment::SourceKind::kGenerated;
  document.generator = experiment::Generator{.kind = experiment::GeneratorKind::kEvents,
                                             .users = arguments.rows / 150 + 1,
                                             .items = arguments.rows / 400 + 1,
                                             .events = arguments.rows};
  document.label.column.reset();
  document.vocabularies.resize(2);
  document.vocabularies[0].name = "user";
  document.vocabularies[1].name = "item";
  auto report = data::importDataset(document, arguments.folder, {}, data::makeGenerator);
  if (!report.ok()) throw InternalError(report.error().text());
  return report->dataset;
}

void spend(double seconds) {
  const Stopwatch watch;
  while (watch.seconds() < seconds) {
  }
}

// One epoch in a new order, by a consumer that works for a fixed time on every row.
void runInput(const Arguments& arguments) {
  const auto dataset = eventsOf(arguments);
  auto split = data::makeSplit(data::EventColumns(*dataset), {});
  if (!split.ok()) throw InternalError(split.error().text());
  data::BatchLoader loader(dataset, split->train, {"user", "item"},
                           {.batchRows = arguments.batch, .order = experiment::BatchOrder::kEpoch});
  const Stopwatch watch;
  loader.begin(1);
  while (const data::Batch* batch = loader.next())
    spend(static_cast<double>(batch->rows * arguments.nanosPerRow) * 1e-9);
  const double seconds = watch.seconds();
  printLine({{"rows", loader.rows()},
             {"batch", arguments.batch},
             {"nanos_per_row", arguments.nanosPerRow},
             {"seconds", seconds},
             {"wait_share", loader.waitSeconds() / seconds},
             {"peak_rss_bytes", peakResidentBytes()}});
}

}  // namespace

void addInput(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("input", "How long a fast consumer waits for data::BatchLoader");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("--folder", arguments->folder, "Where the data set is imported")->required();
  command->add_option("--rows", arguments->rows, "[25000000]")->check(CLI::PositiveNumber);
  command->add_option("--batch", arguments->batch, "[8192]")->check(CLI::PositiveNumber);
  command->add_option("--row-nanos", arguments->nanosPerRow, "Work on a row [200]")
      ->check(CLI::NonNegativeNumber);
  command->callback([arguments] { runInput(*arguments); });
}

}  // namespace parapet::bench
