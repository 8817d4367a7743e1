# SPDX-License-Identifier: Apache-2.0
"""One epoch of the model that the Keras documentation trains in "Retrieval with data parallel
training": Keras and Keras Rs on JAX, keras.distribution.DataParallel over 1 or 8 virtual CPU
devices, batches of 1,000. Each epoch is timed inside one fit(), validation off; the first, which
compiles, is not counted.

--steps-per-execution 1 is the published example; higher values let JAX run that many steps in one
call.
"""

import argparse
import os
import time


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="MovieLens-100K folder")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--steps-per-execution", type=int, default=1)
    return parser.parse_args()


ARGUMENTS = parse_arguments()
# Both must be known before the libraries are imported.
os.environ["KERAS_BACKEND"] = "jax"
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={ARGUMENTS.devices}"

import jax  # noqa: E402
import keras  # noqa: E402
import keras_rs  # noqa: E402

from common import load_ratings, report  # noqa: E402


class RetrievalModel(keras.Model):
    """Two embedding tables; the score of a pair is the dot product of its rows."""

    def __init__(self, user_count, item_count, dim=32):
        super().__init__()
        self.user_embedding = keras.layers.Embedding(user_count, dim)
        self.item_embedding = keras.layers.Embedding(item_count, dim)
        self.retrieval = keras_rs.layers.BruteForceRetrieval(k=10, return_scores=False)
        self.loss_fn = keras.losses.MeanSquaredError()

    def build(self, input_shape):
        self.user_embedding.build(input_shape)
        self.item_embedding.build(input_shape)
        self.retrieval.candidate_embeddings = self.item_embedding.embeddings
        self.retrieval.build(input_shape)
        super().build(input_shape)

    def call(self, inputs, training=False):
        users = self.user_embedding(inputs)
        result = {"user_embeddings": users}
        if not training:
            result["predictions"] = self.retrieval(users)
        return result

    def compute_loss(self, x, y, y_pred, sample_weight, training=True):
        items = self.item_embedding(y["movie_id"])
        scores = keras.ops.sum(
            keras.ops.multiply(y_pred["user_embeddings"], items), axis=1, keepdims=True
        )
        return self.loss_fn(keras.ops.expand_dims(y["rating"], -1), scores, sample_weight)


class EpochSeconds(keras.callbacks.Callback):
    """Wall time of each epoch."""

    def __init__(self):
        super().__init__()
        self.seconds = []
        self.begin = 0.0

    def on_epoch_begin(self, epoch, logs=None):
        self.begin = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        self.seconds.append(time.perf_counter() - self.begin)


def main():
    devices = jax.devices()
    assert len(devices) == ARGUMENTS.devices, devices
    keras.utils.set_random_seed(0)
    if ARGUMENTS.devices > 1:
        keras.distribution.set_distribution(keras.distribution.DataParallel(devices=devices))
    users, items, ratings, user_count, item_count = load_ratings(ARGUMENTS.data)
    model = RetrievalModel(user_count, item_count)
    model.compile(
        optimizer=keras.optimizers.Adagrad(learning_rate=0.2),
        steps_per_execution=ARGUMENTS.steps_per_execution,
    )
    clock = EpochSeconds()
    history = model.fit(
        users.astype("int32"),
        {"movie_id": items.astype("int32"), "rating": ratings},
        batch_size=1000,
        epochs=ARGUMENTS.epochs + 1,
        shuffle=False,
        verbose=0,
        callbacks=[clock],
    )
    seconds = clock.seconds[1:]
    report(
        seconds,
        devices=len(devices),
        examples_per_second=len(users) / sorted(seconds)[len(seconds) // 2],
        first_loss=float(history.history["loss"][0]),
        last_loss=float(history.history["loss"][-1]),
    )


if __name__ == "__main__":
    main()
