import { DuckDBInstance } from "@duckdb/node-api";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/load.ts";
import { listForms } from "./canary/forms.ts";
import { searchFolder } from "./canary/search.ts";
import { canaryFigure } from "./canary.ts";

const secret = "cnry-1=2";

test("a search for a secret finds every encoding and location", async () => {
  const { path, remove } = temporaryFolder();
  try {
    mkdirSync(join(path, secret));
    const write = (name: string, content: string | Buffer): void =>
      writeFileSync(join(path, name), content);
    write("plain", `x${secret}`);
    write("url", `?k=${encodeURIComponent(secret)}`);
    write("base64", Buffer.from(`SVC1 ${secret}!`).toString("base64"));
    write("page.zst", zstdCompressSync(`[${secret}]`));
    write("page.gz", gzipSync(secret));
    write("wide", Buffer.from(secret, "utf16le"));
    write("key-384", secret);
    write("clean", "cnry-1-2");
    const instance = await DuckDBInstance.create(join(path, "a.duckdb"));
    const connection = await instance.connect();
    // Many like it, so that the database packs them.
    await connection.run(
      `create table t as select i || 'x${secret}x' as text from range(100000) as r(i)`,
    );
    connection.closeSync();
    instance.closeSync();
    const { hits, known } = await searchFolder(
      path,
      listForms(secret),
      (name) => name === "key-384",
    );
    expect(known).toBe(1);
    const places = new Set(hits.map(({ where }) => where));
    // One of the many values may be stored uncompressed, as the database decides.
    places.delete("a.duckdb");
    expect([...places].sort()).toEqual(
      [
        "a.duckdb, t",
        "base64",
        `name of ${secret}`,
        "page.gz, unpacked",
        "page.zst",
        "page.zst, unpacked",
        "plain",
        "url",
        "wide",
      ].filter((place) => places.has(place) || place !== "page.zst"),
    );
  } finally {
    remove();
  }
});

test("no test output contains the key", { timeout: 600_000 }, async () => {
  const { done, failures } = await canaryFigure.run(canaryFigure.short, 1, () => undefined);
  expect(failures).toEqual([]);
  expect(done).toBe(canaryFigure.short);
});
