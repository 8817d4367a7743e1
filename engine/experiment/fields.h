// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/experiment/record.h"

namespace parapet::experiment {

// One description of every struct of document.h: its keys, what they mean, what they accept and
// which kind they belong to. Reader, writer and schema follow these; a key stands nowhere else.
//
// To add a setting: a member in document.h and a line in one of the fields_*.cpp files; a rule
// between two places of the document goes to validate*.cpp.

// fields_dataset.cpp
template <>
const Record<Label>& recordOf<Label>();
template <>
const Record<TextFormat>& recordOf<TextFormat>();
template <>
const Record<Column>& recordOf<Column>();
template <>
const Record<Derived>& recordOf<Derived>();
template <>
const Record<KCore>& recordOf<KCore>();
template <>
const Record<DenseVectors>& recordOf<DenseVectors>();
template <>
const Record<Vocabulary>& recordOf<Vocabulary>();
template <>
const Record<Split>& recordOf<Split>();
template <>
const Record<Batch>& recordOf<Batch>();
template <>
const Record<Generator>& recordOf<Generator>();
template <>
const Record<Dataset>& recordOf<Dataset>();

// fields_model.cpp
template <>
const Record<Initializer>& recordOf<Initializer>();
template <>
const Record<Table>& recordOf<Table>();
template <>
const Record<Feature>& recordOf<Feature>();
template <>
const Record<Layer>& recordOf<Layer>();
template <>
const Record<Head>& recordOf<Head>();
template <>
const Record<Model>& recordOf<Model>();

// fields_training.cpp
template <>
const Record<Loss>& recordOf<Loss>();
template <>
const Record<Optimizer>& recordOf<Optimizer>();
template <>
const Record<Schedule>& recordOf<Schedule>();
template <>
const Record<EarlyStopping>& recordOf<EarlyStopping>();
template <>
const Record<Checkpoints>& recordOf<Checkpoints>();
template <>
const Record<Training>& recordOf<Training>();

// fields_experiment.cpp
template <>
const Record<Mesh>& recordOf<Mesh>();
template <>
const Record<Evaluation>& recordOf<Evaluation>();
template <>
const Record<Reference>& recordOf<Reference>();
template <>
const Record<Experiment>& recordOf<Experiment>();

}  // namespace parapet::experiment
