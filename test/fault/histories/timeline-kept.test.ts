import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { newRandom } from "../../../fixtures/random.ts";
import { foldAll } from "../../../pipeline/core/store/derived.ts";
import { undone } from "../../support/undone.ts";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";
import { daysOfHistory, firstDay, makeHistory } from "../../queries/folds/history.ts";
import { enterReads, inWarehouse } from "../../queries/timeline/ledger.ts";

// Regardless of the order of arrival, the stored timeline equals a refresh over everything.
const seed = Number(process.env["KEPT_SEED"] ?? 1);
const startMs = firstDay * 1000;
const dayMs = 86_400_000;

const tables = ["access_timeline_rows", "policy_right_rows", "access_gap_rows", "access_due"];

/** The number of rows of each table; throws if a rebuild gives others. */
async function compareKept(home: TestHome, when: string): Promise<number[]> {
  const counts: number[] = [];
  await inWarehouse(home, async (connection) => {
    const readRows = async (table: string): Promise<unknown[]> =>
      (await connection.runAndReadAll(`from ${table} order by all`)).getRowObjectsJson();
    const kept = await Promise.all(tables.map(readRows));
    await undone(connection, async () => {
      await foldAll(connection);
      expect(kept, `${when}, seed ${seed}`).toEqual(await Promise.all(tables.map(readRows)));
    });
    counts.push(...kept.map(({ length }) => length));
  });
  return counts;
}

/** A service that knows policies by their sets. */
async function serve(
  sets: ReadonlyMap<string, string | null>,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const set = sets.get(/policies\/(\d+)\//.exec(request.url ?? "")?.[1] ?? "") ?? null;
    // The clock of the test is not that of this machine.
    response.sendDate = false;
    response.writeHead(set === null ? 404 : 200, { "content-type": "application/json" });
    response.end(set ?? "{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())),
  };
}

test(`a timeline is updated and rebuilt alike, seed ${seed}`, { timeout: 120_000 }, async () => {
  using home = await homeWithWarehouse();
  const random = newRandom(seed, "kept timeline");
  const sets = new Map<string, string | null>();
  await using service = await serve(sets);
  let atMs = startMs;
  const env = { AUDITLAKE_API_KEY: "key", AUDITLAKE_BASE_URL: service.url };
  const run = async (...argv: string[]): Promise<void> =>
    expect(await home.run(argv, { env, now: () => atMs })).toMatchObject({ code: 0 });
  const parts: object[][] = [[], [], []];
  for (const record of makeHistory(seed, "default", 240)) random.pick(parts).push(record);
  const load = (part: number, ...more: string[]): Promise<void> => {
    const lines = parts[part]!.map((record) => `${JSON.stringify(record)}\n`).join("");
    return run("import", home.write(`${part}.ndjson`, lines), ...more);
  };
  const snapshot = async (day: number): Promise<void> => {
    atMs = startMs + day * dayMs;
    for (const id of ["1", "2", "7"]) {
      const entries = `{"operation":"query","ids":"${id},${random.int(4, 6)}"},{"operation":"manage"}`;
      sets.set(id, id === "7" || random.chance(0.7) ? `{"Databases":[${entries}]}` : null);
    }
    await run("policy", "snapshot", ...sets.keys());
  };
  const users = (administrator: boolean): string =>
    home.write(
      "users.json",
      JSON.stringify({
        users: [1, 3, 11].map((id) => ({ id, email: `u${id}@example.com`, administrator })),
      }),
    );
  const interval = (from: number, until: number, state: "gap" | "finalized"): Promise<void> =>
    enterReads(
      home,
      "default",
      [{ fromMs: startMs + from * dayMs, untilMs: startMs + until * dayMs, state }],
      until,
    );

  await load(0, "--users", users(true));
  await compareKept(home, "after a load");
  await snapshot(3);
  await compareKept(home, "after a snapshot");
  await interval(2, 5, "gap");
  await load(1, "--users", users(false));
  expect(Math.min(...(await compareKept(home, "with a gap")).slice(0, 3))).toBeGreaterThan(0);
  await interval(3, 7, "finalized");
  await snapshot(9);
  await compareKept(home, "with a part of the gap read");
  await load(2);
  await compareKept(home, "after late events");
  await interval(7, 12, "finalized");
  await run("publish");
  await compareKept(home, "with the log read up to behind the snapshot");
  await snapshot(13);
  await compareKept(home, "with a snapshot ahead of the log");
  const before = new Date(startMs + (daysOfHistory / 2) * dayMs).toISOString();
  await run("prune", "--before", before, "--events", "--yes");
  await compareKept(home, "after a prune");
});
