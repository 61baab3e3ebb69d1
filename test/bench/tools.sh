#!/usr/bin/env bash
# Installs the loaders that the benchmark is compared with into a virtual environment beside the checkout.
set -euo pipefail
cd "$(dirname "$0")/../.."
python3 -m venv .bench-tools
.bench-tools/bin/pip install --quiet --disable-pip-version-check 'dlt[duckdb]' pyarrow sqlite-utils
