import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../../../fixtures/random.ts";
import { writeDueCheckpoint } from "../../../../pipeline/adapters/lake/checkpoint.ts";
import { commitChange } from "../../../../pipeline/adapters/lake/commit.ts";
import type { AddFile } from "../../../../pipeline/adapters/lake/log.ts";
import {
  findNewestPublication,
  putPublication,
} from "../../../../pipeline/adapters/lake/publication.ts";
import { readSnapshot, tag } from "../../../../pipeline/adapters/lake/snapshot.ts";
import type { Store } from "../../../../pipeline/adapters/lake/store.ts";
import { listUnneededFiles } from "../../../../pipeline/adapters/lake/vacuum.ts";
import { temporaryFolder } from "../../../support/load.ts";
import { clockedStore } from "./clocked-store.ts";
import { readCheckpoints, readHint, readableVersions } from "./reader.ts";

const hourMs = 3_600_000;
const tables = ["event_rows", "job_rows"];
const field = (name: string, type: string): object => ({
  name,
  type,
  nullable: true,
  metadata: {},
});
const schema = JSON.stringify({
  type: "struct",
  fields: [field("a", "string"), field("event_date", "date")],
});

type Shown = { readonly atMs: number; readonly versions: Readonly<Record<string, number>> };

/** A lake that homes publish into at random, and what its readers have to find. */
export class PlayedLake implements Disposable {
  readonly clock = { nowMs: Date.parse("2026-01-01T00:00:00Z") };
  readonly root: string;
  readonly store: Store;
  readonly #folder: string;
  readonly #close: () => void;
  readonly #connection: DuckDBConnection;
  readonly #random: Random;
  readonly #files = new Map<string, readonly string[]>();
  readonly #committed: { table: string; version: number; atMs: number }[] = [];
  readonly #shown: Shown[] = [];
  #keptFromMs = 0;

  static async begin(random: Random): Promise<PlayedLake> {
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    return new PlayedLake(random, connection, () => {
      connection.closeSync();
      instance.closeSync();
    });
  }

  private constructor(random: Random, connection: DuckDBConnection, close: () => void) {
    const { path, remove } = temporaryFolder();
    [this.root, this.#folder] = [join(path, "lake"), join(path, "staging")];
    for (const folder of [this.root, this.#folder]) mkdirSync(folder);
    this.store = clockedStore(this.root, this.clock);
    [this.#random, this.#connection] = [random, connection];
    this.#close = () => {
      close();
      remove();
    };
  }

  /** Time passes, between an hour and three days. */
  wait(): void {
    this.clock.nowMs += hourMs * this.#random.int(1, 72);
  }

  /** A home puts some files there and takes out some of its own; one in six dies on the way. */
  async publish(ingester: string): Promise<void> {
    const [isKilled, step] = [this.#random.chance(1 / 6), this.#random.int(0, 3)];
    const versions: Record<string, number> = {};
    for (const table of tables) {
      const version = await this.#change(table, ingester, isKilled ? step : Number.NaN);
      if (version === undefined) return;
      if (version >= 0) versions[table] = version;
    }
    if (isKilled && step === 3) return;
    const publication = await putPublication(this.store, this.clock.nowMs, (last) => {
      const newest = Object.entries(versions).map(([table, version]) => {
        const other = last.tables[table]?.version ?? 0;
        return [table, { version: Math.max(version, other) }] as const;
      });
      const all = { ...last.tables, ...Object.fromEntries(newest) };
      return { ingesters: last.ingesters, tables: all };
    });
    const shown = Object.entries(publication.tables).map(([table, { version }]) => [
      table,
      version,
    ]);
    this.#shown.push({
      atMs: this.clock.nowMs,
      versions: Object.fromEntries(shown) as Record<string, number>,
    });
  }

  // The version afterwards; none where the home died in this table: before its entry, after it, before the hint.
  async #change(table: string, ingester: string, dies: number): Promise<number | undefined> {
    const before = await readSnapshot(this.store, table);
    const own = [...before.files.values()].filter(({ tags }) => tags?.[tag.ingester] === ingester);
    const remove = own.filter(() => this.#random.chance(0.15));
    const count = this.#random.int(0, 2);
    if (count + remove.length === 0) return before.version;
    const add = await Promise.all(Array.from({ length: count }, () => this.#put(table, ingester)));
    if (dies === 0) return undefined;
    const who = { store: this.store, ingester, nowMs: this.clock.nowMs };
    const change = { table, dayColumn: "event_date", schema, add, remove };
    const after = await commitChange(change, before, who);
    const { version } = after;
    this.#files.set(`${table} ${version}`, [...after.files.keys()].sort());
    this.#committed.push({ table, version, atMs: this.clock.nowMs });
    if (dies === 1) return undefined;
    const place = { connection: this.#connection, folder: this.#folder };
    const put: Store["put"] = dies === 2 ? () => Promise.resolve() : this.store.put;
    await writeDueCheckpoint({ ...who, ...place, store: { ...this.store, put } }, table, after);
    return dies === 2 ? undefined : version;
  }

  async #put(table: string, ingester: string): Promise<AddFile> {
    const day = new Date(this.clock.nowMs).toISOString().slice(0, 10);
    const path = `event_date=${day}/${randomUUID()}.parquet`;
    await this.store.put(`${table}/${path}`, Buffer.from("rows"));
    const facts = { size: 4, modificationTime: 1, dataChange: true, stats: "{}" };
    const tags = { [tag.ingester]: ingester };
    return { path, partitionValues: { event_date: day }, ...facts, tags };
  }

  /** Vacuums with a retention of that many hours; one in five dies on the way. Returns the number of deleted files. */
  async vacuum(hours: number): Promise<number> {
    this.#keptFromMs = Math.max(this.#keptFromMs, this.clock.nowMs - hours * hourMs);
    const found = await listUnneededFiles(this.store, hours * hourMs);
    const left = this.#random.chance(0.2) ? this.#random.int(0, found.length) : found.length;
    for (const { name } of found.slice(0, left)) await this.store.remove(name);
    return left;
  }

  /** What readers of the time that was kept ask for and do not find whole, a line each. */
  async faults(): Promise<string[]> {
    const found: string[] = [];
    const newest = await findNewestPublication(this.store);
    if ((newest?.publication ?? 0) !== this.#shown.length)
      found.push(`${newest?.publication} counts as the newest`);
    for (const table of tables) {
      const hint = readHint(this.root, table);
      if (hint !== undefined && !readCheckpoints(this.root, table).includes(hint))
        found.push(`${table}: the hint names ${hint}, which is no checkpoint`);
      const readable = await readableVersions(this.root, table);
      for (const version of this.#promised(table)) {
        const expected = this.#files.get(`${table} ${version}`)!;
        const paths = readable.get(version);
        const isWhole = paths?.toSorted().join() === expected.join();
        if (!isWhole) found.push(`${table} ${version} cannot be read from the log`);
        for (const path of expected.filter((each) => !existsSync(join(this.root, table, each))))
          found.push(`${table} ${version} is missing ${path}`);
      }
    }
    return found;
  }

  // Versions that a reader who started within the retention may use: those of publications, and the newest of a
  // moment.
  #promised(table: string): Set<number> {
    const from = this.#keptFromMs;
    const isKept = <T extends { readonly atMs: number }>(
      _: T,
      i: number,
      all: readonly T[],
    ): boolean => i + 1 === all.length || all[i + 1]!.atMs >= from;
    const shown = this.#shown.filter(isKept).flatMap(({ versions }) => versions[table] ?? []);
    const own = this.#committed.filter((one) => one.table === table);
    return new Set([...shown, ...own.filter(isKept).map(({ version }) => version)]);
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}
