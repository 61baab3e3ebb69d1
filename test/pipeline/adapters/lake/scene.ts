import type { Notice } from "../../../../pipeline/base/notice/notice.ts";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newFolderStore, type Store } from "../../../../pipeline/adapters/lake/store.ts";
import { publishLake, type Outcome } from "../../../../pipeline/adapters/lake/publish.ts";
import { lakeTables } from "../../../../pipeline/adapters/lake/tables.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { openPublished } from "../../../../pipeline/core/store/open.ts";
import { changePublished } from "../../../support/change-published.ts";
import { readCopy, newHome, type TestHome } from "../../../support/home.ts";
import { askLake } from "./reader.ts";

const dayMs = 86_400_000;
const firstMs = Date.parse("2026-03-01T00:00:00Z");

/** Records of a day, from 0, with an id each; a job and a change of rights are among them. */
export function listRecords(day: number, name: string, count = 20): object[] {
  return Array.from({ length: count }, (_, i) => ({
    time: (firstMs + day * dayMs) / 1000 + i * 60,
    id: `${name}-${day}-${i}`,
    event_name: ["sign_in", "job_issue", "permission_policy_create", "query_create"][i % 4],
    user_id: 100 + (i % 3),
    email: `user${i % 3}@example.com`,
    resource_id: String(i),
    resource_name: `it's "${name}" – ${i}`,
    job_id: `${name}-${day}-${i}`,
    query_text: "select 'ünï\u0000cödé', 1\n",
  }));
}

/** A home with a configuration that names a lake beside it. */
export type LakeHome = TestHome & {
  readonly root: string;
  readonly config: string;
  readonly lake: (...argv: string[]) => ReturnType<TestHome["run"]>;
};

/** A home whose lake is in a folder; a home's own unless another is named. */
export function lakeHome(given?: string): LakeHome {
  const home = newHome();
  const root = given ?? join(home.folder, "lake");
  const config = home.write("lake.json", JSON.stringify({ lake: { location: root } }));
  const lake = (...argv: string[]): ReturnType<TestHome["run"]> =>
    home.run(["--config", config, "lake", ...argv]);
  return { ...home, root, config, lake };
}

/** The id of the first ingester of a lake. */
export function readId(root: string): string {
  const { ingesters } = JSON.parse(readFileSync(join(root, "lake.json"), "utf8")) as {
    readonly ingesters: object;
  };
  return Object.keys(ingesters)[0]!;
}

/** Publishes a home through any store, as one process of that ingester would. */
export async function publishThrough(
  home: TestHome,
  store: Store,
  ingester: string,
  flags: {
    readonly isFull?: boolean;
    readonly isDryRun?: boolean;
    readonly tables?: readonly string[];
    readonly warn?: (notice: Notice) => void;
  } = {},
): Promise<Outcome> {
  const folder = join(home.folder, `staging-${Math.random()}`);
  mkdirSync(folder);
  await using database = await openPublished(resolveHome(home.home).published, {
    memoryLimit: "500MB",
    threads: 2,
  });
  return await publishLake({
    store,
    connection: database.connection,
    connect: database.connect,
    ingester,
    tables: lakeTables.filter(({ name }) => flags.tables?.includes(name) ?? true),
    folder,
    isFull: flags.isFull === true,
    isDryRun: flags.isDryRun === true,
    nowMs: Date.parse("2026-04-01T00:00:00Z"),
    signal: new AbortController().signal,
    record: () => Promise.resolve(),
    warn: flags.warn ?? (() => undefined),
  });
}

/** Copies a home whose published file is without some events, as after a repair by hand. */
export async function withoutEvents(home: TestHome, where: string): Promise<TestHome> {
  const copy = readCopy(home);
  await changePublished(copy.home, `delete from event_rows where ${where}`);
  return copy;
}

/** The process dies here. */
export class Killed extends Error {}

/** Creates a folder whose writer dies at the nth change that it makes: before it, or after it without a report. */
export function dyingStore(root: string, nth: number, when: "before" | "after"): Store {
  const store = newFolderStore(root);
  let made = 0;
  const change = async <T>(act: () => Promise<T>): Promise<T> => {
    made += 1;
    if (made > nth || (made === nth && when === "before")) throw new Killed();
    const done = await act();
    if (made >= nth) throw new Killed();
    return done;
  };
  return {
    ...store,
    put: (...args) => change(() => store.put(...args)),
    putIfAbsent: (...args) => change(() => store.putIfAbsent(...args)),
    upload: (...args) => change(() => store.upload(...args)),
    remove: (...args) => change(() => store.remove(...args)),
  };
}

const eventColumns =
  "concat_ws('|', event_key, source, event_time, event_name, resource_name, query_text, entry_id)";

/** The events that a reader of the newest publication sees, one text each. */
export async function eventsInLake(root: string): Promise<string[] | undefined> {
  return askLake(root, "event_rows", eventColumns);
}

/** The same of the published file. */
export async function eventsAtHome(home: TestHome): Promise<string[]> {
  const text = eventColumns.replace("event_key", "replace(cast(event_key as varchar), '-', '')");
  const rows = await home.rows(`select ${text} as row from event_rows order by 1`);
  return rows.map(({ row }) => String(row));
}
