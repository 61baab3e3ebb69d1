import { formatCommand } from "../../base/command-line.ts";
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quoteText } from "../../../schemas/quote.ts";
import { readFilesDigest, readDigests, type Relation, createRelation } from "./relation.ts";
import { readSince } from "./commit.ts";
import type { AddFile } from "./log.ts";
import { findNewestPublication } from "./publication.ts";
import { isBeforeMark, pruneMark } from "./merge-day.ts";
import { readWhole } from "./plan-table.ts";
import { type Publisher, refuseAborted } from "./publisher.ts";
import { type OwnFiles, groupOwnFiles, readSnapshot, tag, readTag } from "./snapshot.ts";
import { makeFolders } from "../../base/home/durable.ts";

/** Scope of the check of a table, and its faults, one per line. */
export type VerifiedTable = {
  readonly table: string;
  readonly days: number;
  readonly rows: number;
  /** Days of which only the bytes were compared, since their rows can be missing in the database. */
  readonly byBytes: number;
  readonly faults: readonly string[];
};

type Verifier = Pick<
  Publisher,
  "store" | "connection" | "ingester" | "folder" | "tables" | "signal"
> & {
  /** The SHA-256 of each file by the home's own record; a name that is missing is not held against a file. */
  readonly recorded: ReadonlyMap<string, string>;
};

/**
 * Reads every file of this ingester in the lake and compares it. Its bytes are held against the home's own record and
 * the log, its rows against those of the database by their digest. Throws AuditlakeError where the lake cannot be read.
 */
export async function verifyLake(verifier: Verifier): Promise<VerifiedTable[]> {
  const { store, connection, tables, ingester } = verifier;
  const publication = await findNewestPublication(store);
  const mark = await pruneMark(connection);
  const found: VerifiedTable[] = [];
  for (const table of tables) {
    const relation = await createRelation(connection, table, ingester);
    const since = publication?.tables[table.name]?.version ?? -1;
    found.push(await verifyTable(verifier, relation, mark, since));
    await connection.run(`drop ${relation.kind} ${relation.name}`);
  }
  return found;
}

async function verifyTable(
  verifier: Verifier,
  relation: Relation,
  mark: string,
  since: number,
): Promise<VerifiedTable> {
  const { store, connection, ingester } = verifier;
  const { name: table, day: kept } = relation.table;
  const snapshot = await readSnapshot(store, table);
  const own = groupOwnFiles(snapshot, ingester, kept?.column);
  const here = await readDigests(connection, relation);
  const isPruned = (day: string): boolean => isBeforeMark(mark, relation.table, day);
  const { fault } = await readSince(store, table, snapshot, since);
  const faults: string[] =
    fault === undefined ? [] : [`${table} ${fault}; revert the changes of the other program`];
  let [rows, byBytes] = [0, 0];
  for (const [day, files] of own) {
    refuseAborted(verifier.signal, "the lake was not completely verified; run it again");
    const place = day === "" ? table : `${table} of ${day}`;
    const isHere = here.has(day) && !isPruned(day);
    const read = await readDay(verifier, relation, files, { place, isHere });
    faults.push(...read.faults);
    rows += read.rows;
    if (read.faults.length > 0) continue;
    const expected = isPruned(day) ? undefined : here.get(day);
    if (isPruned(day)) byBytes += 1;
    if (!isPruned(day) && expected === undefined)
      faults.push(
        `${place}: the database does not have this day; run ${formatCommand("lake", "publish")}`,
      );
    else if (expected !== undefined && expected !== readTag(files, tag.digest))
      faults.push(
        `${place}: the database has different rows; run ${formatCommand("lake", "publish")}`,
      );
    else if (expected !== undefined && read.digest !== expected)
      faults.push(`${place}: the rows of the files differ from the log; ${repair}`);
  }
  const lost = listLostDays(verifier, relation.table, own).filter((day) => !here.has(day));
  for (const day of lost.filter(isPruned))
    faults.push(
      `${table} of ${day}: rows are missing from the lake, and pruned from the database; restore its files and the log from a copy`,
    );
  const missing = [...here.keys()].filter((day) => !own.has(day));
  if (missing.length > 0)
    faults.push(
      `${table}: ${missing.length} days of this home are missing from the lake; run ${formatCommand("lake", "publish")}`,
    );
  return { table, days: own.size, rows, byBytes, faults };
}

// Days that the home has put there once, and that the log no longer has.
function listLostDays(
  { recorded }: Verifier,
  { name, day }: Relation["table"],
  own: OwnFiles,
): string[] {
  const start = `${name}/${day?.column ?? ""}=`;
  const days = [...recorded.keys()].flatMap((path) =>
    path.startsWith(start) ? path.slice(start.length).split("/", 1) : [],
  );
  return [...new Set(days)].filter((each) => !own.has(each)).sort();
}

const repair =
  "remove the file from the log manually, or choose another lake.location and publish there";

async function readDay(
  { store, connection, folder, recorded }: Verifier,
  relation: Relation,
  files: readonly AddFile[],
  { place, isHere }: { readonly place: string; readonly isHere: boolean },
): Promise<{ readonly rows: number; readonly digest: string; readonly faults: readonly string[] }> {
  const { name: table } = relation.table;
  const own = join(folder, "verified");
  makeFolders(own);
  const faults: string[] = [];
  const paths: string[] = [];
  const again = isHere
    ? `run ${formatCommand("lake", "publish", "--full")}, which rewrites its day`
    : "restore it from a copy";
  for (const file of files) {
    const bytes = await readWhole({ store, recorded }, table, file);
    if (typeof bytes === "string") {
      faults.push(`${place}: ${table}/${decodeURIComponent(file.path)} ${bytes}; ${again}`);
      continue;
    }
    // A name is used once: the database keeps what it has read by that (github.com/duckdb/duckdb/pull/16463).
    const path = join(own, `${randomUUID()}.parquet`);
    await writeFile(path, bytes, { mode: 0o600 });
    paths.push(quoteText(path));
  }
  const held =
    faults.length > 0
      ? { rows: 0, digest: "" }
      : await readFilesDigest(connection, relation, paths);
  await rm(own, { recursive: true, force: true });
  return { ...held, faults };
}
