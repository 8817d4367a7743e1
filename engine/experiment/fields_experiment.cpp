// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"
#include "engine/experiment/renamed_keys.h"

namespace parapet::experiment {

using namespace record;

const Record<Mesh>& describe(Type<Mesh>) {
  static const auto record =
      Record<Mesh>()
          .field("devices", &Mesh::devices, list(text(), 1),
                 "Devices of the ranks: \"cpu:0\", \"cpu*8\" or \"8xcpu\" (logical CPU devices), "
                 "\"cuda:0\", \"cuda:0/1\" (part of a GPU).")
          .field("shape", &Mesh::shape, optional(list(integer({.min = 1, .max = 1024}), 1)),
                 "Devices along each axis. null: one axis over all devices.")
          .field("axes", &Mesh::axes, list(text(), 1), "Names of the axes.")
          .field("threads", &Mesh::threads, optional(integer({.min = 1, .max = 1024})),
                 "Threads of the process; does not change results. null: one per core.")
          .field("capacity_bytes", &Mesh::capacityBytes, deviceCapacity(),
                 "Max. bytes of a device for tables, their optimizer slots and step buffers: a "
                 "number for every device, or a list with a number for each. null: its memory, of "
                 "which parts of a device have equal shares.")
          .field("stack_tables", &Mesh::stackTables, boolean(),
                 "Look up tables with the same sharding, width and optimizer in one exchange.")
          .field("overlap", &Mesh::overlap, boolean(),
                 "Exchange the ids of the next batch during the current step.")
          .field(
              "spaces", &Mesh::spaces,
              choice<MemorySpaces>(
                  {{"shared", MemorySpaces::kShared}, {"separate", MemorySpaces::kSeparate}}),
              "shared: CPU devices of a process have one copy of every parameter. separate: each "
              "has a memory of its own, as GPUs and hosts have; all that they need of one another "
              "is exchanged.");
  return record;
}

const Record<Evaluation>& describe(Type<Evaluation>) {
  static const auto record =
      Record<Evaluation>()
          .renamed(renamesOf("/evaluation"))
          .field("k", &Evaluation::k, list(integer({.min = 1, .max = 1000000}), 1),
                 "Lengths k of the measured lists, ascending.")
          .field("exclude_seen", &Evaluation::excludeSeen, boolean(),
                 "Exclude the items of a user's training rows from the list.")
          .field("relevance_threshold", &Evaluation::relevanceThreshold, optional(number()),
                 "Relevance threshold: the smallest raw label of a relevant held-out row. null: "
                 "every row is "
                 "relevant; in groups those with a scaled label of at least 1.")
          .field("unit", &Evaluation::unit,
                 optional(choice<EvaluationUnit>(
                     {{"user", EvaluationUnit::kUser}, {"example", EvaluationUnit::kExample}})),
                 "A query of the catalogue. user: a user, whose held-out items are to be found. "
                 "example: a held-out row in its own context, whose item is to be found. null: "
                 "example if the query side reads a context or a history, else user.")
          .field("sample", &Evaluation::sample, optional(integer({.min = 1})),
                 "Only so many queries, drawn by training.seed, are measured. null: all.")
          .field("metrics", &Evaluation::metrics, list(choiceOf(kRankingMetrics), 1),
                 "Metrics of lists of the catalogue.")
          .field("segments", &Evaluation::segments, list(text()),
                 "Id columns, and \"activity\" (training rows of the user): the metrics of lists "
                 "are also given for each value.")
          .field("seen_pairs", &Evaluation::seenPairs,
                 choice<SeenPairs>({{"keep", SeenPairs::kKeep}, {"drop", SeenPairs::kDrop}}),
                 "Held-out rows of a user and an item that training rows pair, too. keep: to be "
                 "found as others are. drop: left out.")
          .field("catalogue", &Evaluation::catalogue,
                 choice<CatalogueTime>({{"validation", CatalogueTime::kValidation},
                                        {"end", CatalogueTime::kEnd},
                                        {"never", CatalogueTime::kNever}}),
                 "When training measures lists of the catalogue. validation: at every validation. "
                 "end: at the last one. never: only an evaluation of the run does.")
          .field("protocol", &Evaluation::protocol,
                 optional(choice<EvaluationProtocol>(
                     {{"yambda", EvaluationProtocol::kYambda},
                      {"yambda-compat", EvaluationProtocol::kYambdaCompat}})),
                 "Rules of a published benchmark for lists of the catalogue. yambda: queries are "
                 "users with training rows; candidates are items with training rows; recall@k is "
                 "over min(k, relevant items). yambda-compat: the same, but ndcg@k is 1 with any "
                 "hit, as the stored code of the benchmark computes it. null: none.");
  return record;
}

const Record<Reference>& describe(Type<Reference>) {
  static const auto record = Record<Reference>().field(
      "curve", &Reference::curve, optional(text()),
      "Published curve that is drawn beside the curve of this run. null: none.");
  return record;
}

const Record<Experiment>& describe(Type<Experiment>) {
  static const auto record =
      Record<Experiment>()
          .field("parapet", &Experiment::parapet, integer({.min = 1}),
                 "Version of the document format.")
          .field("name", &Experiment::name, text(), "Name of the experiment.")
          .required()
          .field("dataset", &Experiment::dataset, object<Dataset>(), "The data.")
          .required()
          .field("tables", &Experiment::tables, list(object<Table>()), "Embedding tables.")
          .required()
          .field("features", &Experiment::features, list(object<Feature>()),
                 "What each tower reads.")
          .required()
          .field("model", &Experiment::model, object<Model>(), "The model.")
          .field("loss", &Experiment::loss, object<Loss>(), "What training minimises.")
          .field("optimizer", &Experiment::optimizer, object<Optimizer>(),
                 "Optimizer of all parameters without their own.")
          .field("schedule", &Experiment::schedule, object<Schedule>(), "Learning rate over time.")
          .field("mesh", &Experiment::mesh, object<Mesh>(), "The devices.")
          .field("layout", &Experiment::layout, layoutAxes(),
                 "Patterns of parameter names (* matches any text, ? one character), each with the "
                 "mesh axis "
                 "of each dimension, \"\" for none; other tables keep their placement.")
          .field("training", &Experiment::training, object<Training>(),
                 "How long and how a run trains.")
          .field("evaluation", &Experiment::evaluation, object<Evaluation>(),
                 "What is measured besides the loss.")
          .field("reference", &Experiment::reference, object<Reference>(),
                 "A published result to compare with.");
  return record;
}

}  // namespace parapet::experiment
