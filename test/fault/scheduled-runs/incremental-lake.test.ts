import { chmodSync, copyFileSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Random, newRandom } from "../../../fixtures/random.ts";
import { shuffleList } from "../../../fixtures/service/selection.ts";
import { newFolderStore } from "../../../pipeline/adapters/lake/store.ts";
import { askLake } from "../../pipeline/adapters/lake/reader.ts";
import { type LakeHome, lakeHome, publishThrough } from "../../pipeline/adapters/lake/scene.ts";
import { fewOrAll } from "../length.ts";
import { firstMs, ingester, makeDailyRecords } from "./years.ts";

// A lake that is updated by the days that look different equals one whose days are all compared, after any events in
// the home.

const first = Number(process.env["LAKE_SEED"] ?? 1);
const seeds = fewOrAll([first], [first, first + 1, first + 2, first + 3]);
const steps = fewOrAll(10, 18);
// The short form publishes after what happens alone, not after each new day before it.
const publishesAlways = fewOrAll(false, true);
const dayMs = 86_400_000;
const tables = [
  "event_rows",
  "job_rows",
  "access_event_rows",
  "permission_mark_rows",
  "sighting_rows",
  "id_conflict_rows",
  "quarantine",
  "ingest_runs",
  "window_reads",
  "catalog_entries",
];

type Played = {
  readonly home: LakeHome;
  readonly random: Random;
  readonly days: readonly object[][];
  /** How many days have come, and the catalog of one's own that is in force. */
  day: number;
  extra: number;
  /** A copy of the home, once one was made. */
  backup: string | undefined;
};

const actions = {
  "a new day": async (played: Played) => {
    const records = played.days[played.day] ?? [];
    if (played.day < played.days.length - 1) played.day += 1;
    const late = played.random.chance(0.5) ? played.days[0]!.slice(0, 3) : [];
    await run(played, "import", file(played, [...records, ...late.map(again)]));
  },
  "late events": async (played: Played) => {
    const day = played.random.int(0, played.day);
    const records = played.days[day]!.slice(0, played.random.int(1, 9)).map(again);
    await run(played, "import", file(played, records));
  },
  "what has come already": async (played: Played) =>
    run(played, "import", file(played, played.days[played.random.int(0, played.day)]!)),
  "another source": async (played: Played) =>
    run(played, "--source", "other", "import", file(played, played.days[played.day]!)),
  "a prune": async (played: Played) => {
    const before = toDate(played.random.int(0, played.day));
    await run(played, "lake", "publish", "--full");
    await run(played, "prune", "--events", "--before", before, "--yes");
  },
  "a rebuild": async (played: Played) => run(played, "rebuild"),
  "another catalog": async (played: Played) => {
    played.extra = played.random.int(0, 3);
    await run(played, "publish");
  },
  "a copy": (played: Played) => {
    played.backup = join(played.home.folder, `backup-${played.random.uuid()}`);
    cpSync(played.home.home, played.backup, { recursive: true });
    return Promise.resolve();
  },
  "the home put back": ({ home, backup }: Played) => {
    if (backup === undefined) return Promise.resolve();
    rmSync(home.home, { recursive: true });
    cpSync(backup, home.home, { recursive: true });
    chmodSync(home.home, 0o700);
    return Promise.resolve();
  },
  "the database put back": async (played: Played) => {
    const { home, backup } = played;
    if (backup === undefined) return;
    for (const name of ["warehouse.duckdb", "audit.duckdb"])
      copyFileSync(join(backup, name), join(home.home, name));
    // Reads that landed since are loaded again, by a run of its own.
    await run(played, "import", file(played, played.days[0]!));
  },
} as const;

const toDate = (day: number): string => new Date(firstMs + day * dayMs).toISOString().slice(0, 10);
const again = (record: object): object => ({ ...record, resource_name: "said otherwise" });

function file({ home, random }: Played, records: readonly object[]): string {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  return home.write(`records-${random.uuid()}.ndjson`, lines.join(""));
}

// Events that the catalog of one's own says something of: other operations, a name more, a refusal.
function buildExtra(number: number): object {
  const events = [
    { event: "sign_in", variant: "of one's own", operations: ["POST /v9/own"] },
    { event: "query_create", variant: "of one's own", operations: ["POST /v9/own/:id"] },
    { event: "own_event", operations: ["GET /v9/own"], aliases: ["job_issue_own"] },
  ];
  return { area: "Own", columns: ["id"], events: events.slice(0, number) };
}

async function run(played: Played, ...argv: string[]): Promise<void> {
  const { home, extra, day } = played;
  const extraFile = home.write(`extra-${extra}.json`, JSON.stringify(buildExtra(extra)));
  const catalog = extra === 0 ? {} : { extra: extraFile };
  const lake = { location: home.root };
  const config = home.write("config.json", JSON.stringify({ catalog, lake }));
  const now = (): number => firstMs + (day + 1) * dayMs + 3_600_000;
  const { code, err } = await home.run(["--config", config, ...argv], { now });
  const isInPart = err.includes(" quarantined ");
  expect([argv, code, err]).toEqual([argv, isInPart ? 6 : 0, expect.any(String)]);
}

async function readRows(root: string): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const table of tables)
    found[table] = (await askLake(root, table, "cast(to_json(t) as varchar)")) ?? [];
  return found;
}

test.each(seeds)(
  "a lake that is updated incrementally equals its home, seed %i",
  { timeout: 600_000 },
  async (seed) => {
    const random = newRandom(seed, "incremental lake");
    using home = lakeHome();
    const days = makeDailyRecords({ dayCount: 8, kept: 4, every: 3, events: 20, seed });
    const played: Played = { home, random, days, day: 0, extra: 0, backup: undefined };
    await home.load([]);
    await actions["a new day"](played);
    const names = Object.keys(actions) as (keyof typeof actions)[];
    // Each happens in its turn, so that none is left out.
    const order = shuffleList(
      names.filter((name) => name !== "a new day"),
      `${seed}`,
    );
    const done: string[] = [];
    for (let step = 0; step < steps; step++) {
      const name = step % 2 === 0 ? "a new day" : order[(step >> 1) % order.length]!;
      done.push(name);
      await actions[name](played);
      if (name === "a new day" && !publishesAlways) continue;
      const lakes = [`${home.root}-looks`, `${home.root}-full`] as const;
      await publishThrough(home, newFolderStore(lakes[0]), ingester, {
        tables,
        isFull: name.endsWith(" put back"),
      });
      await publishThrough(home, newFolderStore(lakes[1]), ingester, { tables, isFull: true });
      expect([done, await readRows(lakes[0])]).toEqual([done, await readRows(lakes[1])]);
    }
  },
);
