import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectPath } from "../docs/pages.ts";
import { type ObjectStore, objectStore, requireTools } from "../lake/tools.ts";
import { failureLine } from "../support/failure.ts";
import { newHome, type TestHome } from "../support/home.ts";
import type { Outcome } from "../support/command.ts";
import { runAt, type RunningTrino, startTrino } from "./trino.ts";

// A cluster of three processes over an object store, of which one goes away while it works.

const minuteMs = 60_000;
const range = ["--since", "2026-01-01", "--until", "2026-06-01"];

let home: TestHome;
let store: ObjectStore;
let trino: RunningTrino;
let config: string[];
/** What a report of some seconds gives on the database. */
let expected: string;

// Every three events, so that it takes a while however few they are.
const long = `-- title: Paths that are longer than two others together
-- family: denials
-- grain: one row per area
-- param: since timestamp = 7d
-- param: until timestamp = now
select a.area, count(*) as found
from events as a
cross join events as b
cross join events as c
where
  c.record_number < 500
  and length(a.path) + length(b.path) < length(c.path)
  and a.event_time >= $since
  and a.event_time < $until
group by a.area
order by a.area
`;

beforeAll(async () => {
  requireTools();
  home = newHome();
  store = await objectStore();
  home.write("own/long.sql", long);
  const golden = ["records.ndjson", "users.json"].map((name) =>
    projectPath(`fixtures/golden/${name}`),
  );
  expect((await home.run(["import", golden[0]!, "--users", golden[1]!])).code).toBe(0);
  trino = await startTrino(home.folder, { workers: 2, store, heap: "1500m" });
  const lake = { location: "s3://audit/lake", endpoint: store.endpoint };
  const engines = { trino: { url: trino.url } };
  config = ["--config", home.write("c.json", JSON.stringify({ lake, engines }))];
  expect((await ask("lake", "publish")).code).toBe(0);
  const { out } = await ask("lake", "ddl", "--engine", "trino");
  for (const sql of out.trimEnd().split(/;\n/)) await runAt(trino.url, sql.replace(/;$/, ""));
  expected = (await report("long")).out;
}, 10 * minuteMs);
afterAll(async () => {
  await trino?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const ask = (...argv: string[]): Promise<Outcome> =>
  home.run([...config, ...argv], { env: store.env });

const report = (name: string, ...argv: string[]): Promise<Outcome> =>
  ask(
    "report",
    "run",
    name,
    "--queries",
    join(home.folder, "own"),
    ...range,
    "--format",
    "csv",
    ...argv,
  );

const onEngine = (name: string): Promise<Outcome> => report(name, "--engine", "trino");

/** Waits until a worker runs part of a report's query. */
async function busy(node: string): Promise<void> {
  const sql = `select count(*) from system.runtime.tasks as t join system.runtime.queries as q on q.query_id = t.query_id where q.source = 'auditlake' and q.state = 'RUNNING' and t.node_id = '${node}' and t.running_splits > 0`;
  for (let left = 600; left > 0; left--) {
    const [row] = await runAt(trino.url, sql);
    if (Number(row?.[0]) > 0) return;
    await wait(100);
  }
  throw new Error(`${node} does not work at it`);
}

const lost = "warning: the engine lost a node during the query; auditlake retries it";

describe("an engine of three processes", () => {
  it(
    "returns the rows of a report as the database does",
    async () => {
      for (const name of ["denials_by_actor", "permission_changes_list", "queries_by_user"]) {
        const [here, there] = [await report(name), await onEngine(name)];
        expect([name, there.code, there.out]).toEqual([name, 0, here.out]);
        expect(here.out.split("\n").length).toBeGreaterThan(2);
      }
    },
    5 * minuteMs,
  );

  it(
    "with a worker that is killed during a query returns the rows, and notes the retry",
    async () => {
      const running = onEngine("long");
      await busy("worker-0");
      trino.kill(0);
      const { code, out, err } = await running;
      expect([code, err, out]).toEqual([0, expect.stringContaining(lost), expected]);
      const after = await onEngine("long");
      expect([after.code, after.out]).toEqual([0, expected]);
      expect(after.err).not.toContain(lost);
    },
    10 * minuteMs,
  );

  it(
    "with a coordinator that is killed reports it in one line, and answers after its restart",
    async () => {
      const running = onEngine("long");
      await busy("worker-1");
      await trino.killCoordinator();
      expect(failureLine(await running, 1, [])).toMatch(
        /the engine at .* check engines\.trino\.url/,
      );
      expect(failureLine(await onEngine("long"), 1, [])).toMatch(
        /the connection was refused .*check engines\.trino\.url/,
      );
      await trino.startAgain(1);
      const { code, out } = await onEngine("long");
      expect([code, out]).toEqual([0, expected]);
    },
    10 * minuteMs,
  );
});
