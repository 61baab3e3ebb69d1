import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { askRows, type Desk } from "../../../../pipeline/adapters/mcp/answers.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { testWorld } from "../../../support/world.ts";
import { insertManyEvents, writePublished } from "../../published-file.ts";

const { path: folder, remove } = temporaryFolder();
const published = join(folder, "audit.duckdb");
beforeAll(() => writePublished(published, [insertManyEvents(1)]));
afterAll(remove);

// Each row is `["ab"]`, which takes six bytes.
const sql = "select 'ab' as a from range(3)";
const size = 6;

async function ask(sql: string, limits: object) {
  const desk = {
    settings: { home: { published }, flags: {}, config: configSchema.parse({}) },
    world: testWorld({ env: { ...process.env } }),
    limits: { timeoutMs: 20_000, ...limits },
    queue: (work: () => Promise<unknown>) => work(),
  } as unknown as Desk;
  return askRows(desk, { sql, values: {}, isReport: false }, new AbortController().signal);
}

test("a text of 2,000 characters is complete, and a longer one has its length", async () => {
  const { rows } = await ask(
    "select repeat('x', n::integer) as a from range(2000, 2002) as r(n) order by n",
    { maxRows: 10, maxBytes: 100_000 },
  );
  const whole = "x".repeat(2000);
  expect(rows).toEqual([[whole], [`${whole}… (1 characters more)`]]);
});

test.each([
  [3 * size + 1, 100, 3, undefined],
  [3 * size, 100, 3, undefined],
  [3 * size - 1, 100, 2, "bytes"],
  [2 * size, 100, 2, "bytes"],
  [3 * size, 2, 2, "rows"],
])(
  "an answer of at most %i bytes and %i rows has the rows that fit, and reports whether there are more",
  async (maxBytes, maxRows, rows, truncation) => {
    const answer = await ask(sql, { maxRows, maxBytes });
    expect({ rows: answer.rows.length, truncation: answer.truncation }).toEqual({
      rows,
      truncation,
    });
  },
);
