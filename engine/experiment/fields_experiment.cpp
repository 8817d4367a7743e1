// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"

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
                 "Worker threads of the process; they change no bit of the result. null: one per "
                 "core.")
          .field("capacity_bytes", &Mesh::capacityBytes, optional(integer({.min = 1})),
                 "Most bytes of a device for tables, their optimizer state and step buffers. null: "
                 "its memory.")
          .field("stack_tables", &Mesh::stackTables, boolean(),
                 "Look up tables of one placement, width and optimizer in one exchange.")
          .field("overlap", &Mesh::overlap, boolean(),
                 "Exchange the ids of the next batch while this one computes.");
  return record;
}

const Record<Evaluation>& describe(Type<Evaluation>) {
  static const auto record =
      Record<Evaluation>()
          .field("k", &Evaluation::k, list(integer({.min = 1, .max = 1000000}), 1),
                 "Lengths of the recommendation lists that are measured, ascending.")
          .field("exclude_seen", &Evaluation::excludeSeen, boolean(),
                 "Leave the training rows of a user out of the list.")
          .field(
              "relevant_from", &Evaluation::relevantFrom, optional(number()),
              "Raw label from which a held-out row is relevant. null: every row; in lists of rows "
              "those with a scaled label of at least 1.");
  return record;
}

const Record<Reference>& describe(Type<Reference>) {
  static const auto record =
      Record<Reference>().field("curve", &Reference::curve, optional(text()),
                                "Published curve that is drawn beside this run. null: none.");
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
                 "What each tower sees of a row.")
          .required()
          .field("model", &Experiment::model, object<Model>(), "The model.")
          .field("loss", &Experiment::loss, object<Loss>(), "What training minimises.")
          .field("optimizer", &Experiment::optimizer, object<Optimizer>(),
                 "Optimizer of everything that names no other.")
          .field("schedule", &Experiment::schedule, object<Schedule>(), "Learning rate over time.")
          .field("mesh", &Experiment::mesh, object<Mesh>(), "The devices.")
          .field("layout", &Experiment::layout, layoutAxes(),
                 "Patterns of parameter names (* and ? stand for any) to the axis of each "
                 "dimension, \"\" for none; the placements of the tables decide about the rest.")
          .field("training", &Experiment::training, object<Training>(), "The course of a run.")
          .field("evaluation", &Experiment::evaluation, object<Evaluation>(),
                 "What is measured besides the loss.")
          .field("reference", &Experiment::reference, object<Reference>(),
                 "A published result to compare with.");
  return record;
}

}  // namespace parapet::experiment
