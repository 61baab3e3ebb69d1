import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { newRandom } from "../../../fixtures/random.ts";
import { resolveHome } from "../../../pipeline/base/home/layout.ts";
import { foldAll } from "../../../pipeline/core/store/derived.ts";
import { undone } from "../../support/undone.ts";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";
import { compareFolds, compareIn } from "../../queries/folds/all.ts";
import { daysOfHistory, firstDay, makeHistory } from "../../queries/folds/history.ts";
import { fewOrAll } from "../length.ts";

// Regardless of the order of arrival, the tables that are refreshed at load equal a refresh over all events.
const seeds = fewOrAll([1], [1, Number(process.env["DERIVED_SEED"] ?? 2)]);
const loads = fewOrAll(2, 5);
const users = [
  { id: 1, email: "Ann@example.com" },
  { id: 2, email: "bob@example.com" },
];

type Timed = ReturnType<typeof makeHistory>[number];

// Records of two sources with equal ids of jobs and policies, in loads that hold some of any day.
async function loadAll(
  home: TestHome,
  seed: number,
  after: (load: number) => Promise<void>,
): Promise<void> {
  const random = newRandom(seed, "order of loads");
  const parts = Array.from({ length: loads }, () => ({ a: [] as Timed[], b: [] as Timed[] }));
  for (const source of ["a", "b"] as const)
    for (const record of makeHistory(seed, source, 150)) random.pick(parts)[source].push(record);
  const list = home.write("users.json", JSON.stringify({ users }));
  for (const [n, load] of parts.entries()) {
    // The pages of b rise with time, until the last ones fall: its changes of one second lose their order.
    load.b.sort((x, y) => (n === loads - 1 ? -1 : 1) * (x.time - y.time));
    for (const source of ["a", "b"] as const) {
      const lines = load[source].map((record) => `${JSON.stringify(record)}\n`).join("");
      const file = home.write(`${source}-${n}.ndjson`, lines);
      const argv = [
        "--source",
        source,
        "import",
        file,
        ...(n === loads - 2 ? ["--users", list] : []),
      ];
      expect(await home.run(argv)).toMatchObject({ code: 0 });
    }
    await after(n);
  }
}

test.each(seeds)("random histories, seed %i", { timeout: 300_000 }, async (seed) => {
  using home = await homeWithWarehouse();
  let counts: Record<string, number> = {};
  await loadAll(home, seed, async (load) => {
    counts = await compareFolds(home, `after load ${load}, seed ${seed}`);
  });
  expect(Object.entries(counts).filter(([, rows]) => rows === 0)).toEqual([]);
  expect(await home.run(["rebuild"])).toMatchObject({ code: 0 });
  expect(await compareFolds(home, `after a rebuild, seed ${seed}`)).toEqual(counts);
  await foldInSlices(home, seed);
  const before = new Date((firstDay + (daysOfHistory / 2) * 86_400) * 1000).toISOString();
  const prune = ["prune", "--before", before, "--events", "--yes"];
  expect(await home.run(["--source", "a", ...prune])).toMatchObject({ code: 0 });
  await compareFolds(home, `after a prune, seed ${seed}`);
  expect(await home.load(makeHistory(seed, "default", 40))).toMatchObject({ code: 0 });
  await compareFolds(home, `after a load after a prune, seed ${seed}`);
  expect(await home.run(["rebuild"])).toMatchObject({ code: 0 });
  await compareFolds(home, `after a rebuild with a prune, seed ${seed}`);
});

// As a long history is aggregated, a few hours at a time; nothing of it is cached.
async function foldInSlices({ home }: TestHome, seed: number): Promise<void> {
  const instance = await DuckDBInstance.create(resolveHome(home).warehouse);
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  await undone(connection, async () => {
    await foldAll(connection, 10);
    await compareIn(connection, `folded in slices, seed ${seed}`);
  });
  connection.closeSync();
  instance.closeSync();
}

// Jobs are known by the canonical name, which `stop_it` has with this alias alone.
const kill = {
  event: "job_kill",
  variant: "by hand",
  operations: ["POST /v9/kill/:id"],
  aliases: ["stop_it"],
};

test("events that a new catalog classifies differently are aggregated again", async () => {
  using home = await homeWithWarehouse();
  const extra = home.write(
    "extra.json",
    JSON.stringify({ area: "Jobs", columns: ["id"], events: [kill] }),
  );
  const config = home.write("auditlake.json", JSON.stringify({ catalog: { extra } }));
  const record = {
    id: "1",
    time: firstDay,
    event_name: "stop_it",
    resource_id: "77",
    requested_http_verb: "POST",
    requested_path_info: "/v9/kill/77",
  };
  const file = home.write("records.ndjson", JSON.stringify(record));
  expect(await home.run(["--config", config, "import", file])).toMatchObject({ code: 0 });
  expect(await compareFolds(home, "with events of one's own")).toMatchObject({ query_activity: 1 });
  expect(await home.run(["publish"])).toMatchObject({ code: 0 });
  expect(await compareFolds(home, "without them")).toMatchObject({ query_activity: 0 });
});
