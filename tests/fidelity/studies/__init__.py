# SPDX-License-Identifier: Apache-2.0
"""The sections of tests/fidelity/run: each measures one group of the figures that the documents print."""
