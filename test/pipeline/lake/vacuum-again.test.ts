import { DuckDBInstance } from "@duckdb/node-api";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { randomOf } from "../../../fixtures/random.ts";
import { checkpointIfDue } from "../../../pipeline/lake/checkpoint.ts";
import { commit } from "../../../pipeline/lake/commit.ts";
import { folderStore } from "../../../pipeline/lake/folder.ts";
import { newestPublication, putPublication } from "../../../pipeline/lake/publication.ts";
import { readSnapshot } from "../../../pipeline/lake/snapshot.ts";
import { unneededFiles } from "../../../pipeline/lake/vacuum.ts";
import { temporaryFolder } from "../../support/load.ts";
import { checkpointsOf, filesAfterCheckpoint } from "./reader.ts";

// A vacuum with a longer time may follow one with a shorter. What the first has taken from the log is no sign that files
// were never named.

const dayMs = 86_400_000;
const table = "event_rows";
const fields = ["a", "event_date"].map((name) => ({
  name,
  type: name === "a" ? "string" : "date",
  nullable: true,
  metadata: {},
}));
const schema = JSON.stringify({ type: "struct", fields });

/** A lake whose nights are days apart by the clock of its folder, which stands at the beginning of a night. */
async function lakeOf(root: string, work: string): Promise<Lake> {
  mkdirSync(root);
  mkdirSync(work);
  const store = folderStore(root);
  const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  const live: string[] = [];
  const startMs = Date.now();
  let nights = 0;
  const dated = new Map<string, number>();
  // Files keep the night that they were put there in, and grow older with each further one.
  const age = (): void => {
    for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
      const night = dated.get(name) ?? nights;
      dated.set(name, night);
      const atS = (startMs - (nights - night) * dayMs - 60_000) / 1000;
      utimesSync(join(root, name), atS, atS);
    }
  };
  const publish = async (ingester: string, isReplaced: boolean): Promise<void> => {
    nights += 1;
    const before = await readSnapshot(store, table);
    const path = `event_date=2026-01-01/f${nights}.parquet`;
    await store.put(`${table}/${path}`, Buffer.from("x"));
    const own = [...before.files.values()].filter(
      ({ tags }) => tags?.["auditlake.ingester"] === ingester,
    );
    const remove = isReplaced ? own.slice(0, 1) : [];
    const tags = { "auditlake.ingester": ingester };
    const add = { path, size: 1, modificationTime: 1, dataChange: true, stats: "{}", tags };
    const day = { partitionValues: { event_date: "2026-01-01" } };
    const change = { table, dayColumn: "event_date", schema, add: [{ ...add, ...day }], remove };
    const who = { store, ingester, nowMs: startMs };
    const after = await commit(change, before, who);
    await checkpointIfDue({ ...who, connection, folder: work } as never, table, after);
    await putPublication(store, startMs, ({ ingesters }) => ({
      ingesters,
      tables: { [table]: { version: after.version } },
    }));
    live.splice(0, live.length, ...live.filter((one) => !remove.some((r) => r.path === one)), path);
    age();
  };
  const vacuum = async (days: number): Promise<void> => {
    for (const { name } of await unneededFiles(store, days * dayMs)) await store.remove(name);
  };
  return { store, live, publish, vacuum };
}

type Lake = {
  readonly store: ReturnType<typeof folderStore>;
  /** What each night should have left there, kept beside the program. */
  readonly live: readonly string[];
  readonly publish: (ingester: string, isReplaced: boolean) => Promise<void>;
  readonly vacuum: (days: number) => Promise<void>;
};

it.each([1, 2])(
  "takes nothing that the newest version names, whatever times were given before, seed %i",
  async (seed) => {
    const { path, remove } = temporaryFolder();
    const random = randomOf(seed, "vacuums");
    const root = join(path, "lake");
    try {
      const { store, live, publish, vacuum } = await lakeOf(root, join(path, "work"));
      const hintPath = join(root, table, "_delta_log", "_last_checkpoint");
      const hinted = (): unknown =>
        (JSON.parse(readFileSync(hintPath, "utf8")) as { version: unknown }).version;
      let hintBefore: string | undefined;
      const held: (readonly string[])[] = [];
      let readableFrom = 0;
      for (let night = 0; night < 45; night++) {
        await publish(random.pick(["one", "other"]), random.chance(0.3));
        held.push([...live]);
        if (night > 12 && random.chance(0.2)) {
          const days = random.pick([1, 3, 7, 14, 30]);
          await vacuum(days);
          readableFrom = Math.max(readableFrom, night - days + 1);
        }
        // A publisher is killed before it says which checkpoint is the newest.
        const hint = existsSync(hintPath) ? readFileSync(hintPath, "utf8") : undefined;
        if (hint !== undefined && hintBefore !== undefined && random.chance(0.1))
          writeFileSync(hintPath, hintBefore);
        else hintBefore = hint;
        if (existsSync(hintPath)) expect(checkpointsOf(root, table)).toContain(hinted());
        const { night: number, tables } = (await newestPublication(store))!;
        expect(number).toBe(night + 1);
        expect(await filesAfterCheckpoint(root, table, tables[table]!.version)).toEqual(
          [...live].sort(),
        );
        const named = new Set(held.slice(readableFrom).flat());
        const lost = [...named].filter((name) => !existsSync(join(root, table, name)));
        expect(lost, `night ${night}`).toEqual([]);
      }
    } finally {
      remove();
    }
  },
);
