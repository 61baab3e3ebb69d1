#!/usr/bin/env bash
# Puts Trino beside the checkout: the whole server is fetched by Maven (821 MB), and of its plugins one is kept.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=476
rm -rf .trino && mkdir .trino
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
  -Dartifact=io.trino:trino-server:$version:tar.gz -DoutputDirectory="$PWD/.trino"
# Whole first: files of one plugin are links to those of others.
tar xzf .trino/trino-server-$version.tar.gz -C .trino --strip-components=1
rm .trino/trino-server-$version.tar.gz
find .trino/plugin -mindepth 1 -maxdepth 1 ! -name delta-lake -exec rm -r {} +
touch .trino/ready
