import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configSchema } from "../../../schemas/config.ts";
import { askRows } from "../../../pipeline/mcp/ask-rows.ts";
import type { Desk } from "../../../pipeline/mcp/desk.ts";
import { temporaryFolder } from "../../support/load.ts";
import { testWorld } from "../../support/world.ts";
import { insertManyEvents, writePublished } from "../published-file.ts";

const { path: folder, remove } = temporaryFolder();
const published = join(folder, "audit.duckdb");
beforeAll(() => writePublished(published, [insertManyEvents(1)]));
afterAll(remove);

// Each row is `["ab"]`, which takes six bytes.
const sql = "select 'ab' as a from range(3)";
const size = 6;

test.each([
  [3 * size + 1, 100, 3, undefined],
  [3 * size, 100, 3, undefined],
  [3 * size - 1, 100, 2, "bytes"],
  [2 * size, 100, 2, "bytes"],
  [3 * size, 2, 2, "rows"],
])(
  "an answer of at most %i bytes and %i rows has those rows that fit, and says whether there are more",
  async (maxBytes, maxRows, rows, truncation) => {
    const desk = {
      settings: { home: { published }, flags: {}, config: configSchema.parse({}) },
      world: testWorld({ env: { ...process.env } }),
      limits: { timeoutMs: 20_000, maxRows, maxBytes },
      queue: (work: () => Promise<unknown>) => work(),
    } as unknown as Desk;
    const asked = { sql, values: {}, isReport: false };
    const answer = await askRows(desk, asked, new AbortController().signal);
    expect({ rows: answer.rows.length, truncation: answer.truncation }).toEqual({
      rows,
      truncation,
    });
  },
);
