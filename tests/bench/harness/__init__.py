# SPDX-License-Identifier: Apache-2.0
"""What tests/bench/run is made of; see the README beside it. Python's own library is enough."""
