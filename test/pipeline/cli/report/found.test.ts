import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeFound } from "../../../../pipeline/cli/report/run.ts";
import type { Engine } from "../../../../pipeline/answers/report/engine.ts";
import type { Job } from "../../../../pipeline/answers/ask/plan-run.ts";
import type { Row } from "../../../../pipeline/base/rows/row.ts";
import { temporaryFolder } from "../../../support/load.ts";

/** What the file says that was found, where the engine gives so many rows in each batch. */
async function readFound(...sizes: readonly number[]): Promise<unknown> {
  let next = 0n;
  async function* batches(): AsyncGenerator<Row[]> {
    for (const size of sizes) yield Array.from({ length: size }, () => [(next += 1n), "x"]);
  }
  const columns = ["n", "text"].map((name) => ({ name, type: "", kind: "text" as const }));
  const engine = { rows: async () => ({ columns, batches: batches() }) } as unknown as Engine;
  const job = { report: { name: "denied" } } as unknown as Job;
  const { path, remove } = temporaryFolder();
  try {
    const file = join(path, "found.json");
    await writeFound(file, [job], { engine, head: undefined }, new AbortController().signal);
    return JSON.parse(readFileSync(file, "utf8"));
  } finally {
    remove();
  }
}

it.each([
  [0, []],
  [3, [1, 2]],
  [49, [49]],
  [50, [50]],
  [50, [51]],
  [50, [49, 2]],
  [50, [30, 30, 30]],
  [50, [2048, 2048]],
])(
  "a result contains the first %i rows of batches of %j, whole numbers as text",
  async (count, sizes) => {
    const rows = Array.from({ length: count }, (_, at) => [String(at + 1), "x"]);
    const columns = ["n", "text"];
    expect(await readFound(...sizes)).toEqual({ reports: [{ name: "denied", columns, rows }] });
  },
);
