import { createHash } from "node:crypto";
import { readFileSync, rmSync, statSync } from "node:fs";
import { openInMemory, openPublished, type Database } from "../../pipeline/core/store/open.ts";
import { markField, type Truth } from "./log.ts";

/** What a reader of the laboratory may use. */
export const limits = { memoryLimit: "200MB", threads: 1 };
const digestSql = readFileSync(new URL("../../queries/load/digest.sql", import.meta.url), "utf8");
const consistencySql = readFileSync(new URL("consistency.sql", import.meta.url), "utf8");

/** What one opening of the published file showed. */
export type Seen = {
  /** Names the state of the ledger. */
  readonly version: string;
  readonly events: number;
  /** Digest of all that the file holds. */
  readonly digest: string;
  /** What does not agree within the file; empty where all does. */
  readonly complaints: readonly string[];
};

export type Query = (sql: string) => Promise<Record<string, unknown>[]>;

/** Opens a published file, runs `work` and closes it. */
export async function withPublished<T>(
  path: string,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  await using database = await openPublished(path, limits);
  return await work(buildQuery(database));
}

/** Asks an open database; 64-bit numbers and times come as text. */
export function buildQuery({ connection }: Database): Query {
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

/** Looks at one version of the store: does what it holds agree with what its ledger says? */
export async function look(query: Query): Promise<Seen> {
  const [facts] = await query(consistencySql);
  const [digest] = await query(digestSql);
  const count = (name: string): number => Number(facts?.[name]);
  const complaints = [
    ["events", "inserted_by_reads"],
    ["inserted_by_reads", "inserted_by_pages"],
    ["fetched_by_reads", "counted_by_pages"],
    ["reads_named_twice", "none"],
    ["events_of_no_read", "none"],
    ["events_folded", "events_of_users"],
    ["reads_due", "none"],
    ["jobs_with_text", "jobs_accounted_for"],
    ["jobs_touching", "jobs_with_tables"],
  ].flatMap(([is, should]) =>
    count(is!) === count(should!) ? [] : [`${is} is ${count(is!)}, ${should} is ${count(should!)}`],
  );
  return {
    version: String(facts?.["version"]),
    events: count("events"),
    digest: String(digest?.["digest"]),
    complaints,
  };
}

/** Compares the marks of the store with the truth: one line per mark that is lost, doubled or invented. */
export async function compare(query: Query, truth: Truth): Promise<string[]> {
  const sql = `select ${markField} as mark, count(*) as held from events group by mark order by mark`;
  const held = new Map((await query(sql)).map((r) => [String(r["mark"]), Number(r["held"])]));
  const marks = new Set([...truth.keys(), ...held.keys()]);
  return [...marks].flatMap((mark) => {
    const [is, should] = [held.get(mark) ?? 0, truth.get(mark) ?? 0];
    if (is === should) return [];
    return [`${mark} ${is < should ? "lost" : "doubled"}: held ${is} times, expected ${should}`];
  });
}

/** Size in bytes of a database file with the same content and no unused space. */
export async function sizeOfCopy(path: string, copy: string): Promise<number> {
  rmSync(copy, { force: true });
  await using database = await openInMemory(limits);
  const { connection } = database;
  await connection.run(`attach '${path}' as original (read_only)`);
  await connection.run(`attach '${copy}' as fresh (storage_version 'v1.5.0')`);
  await connection.run("copy from database original to fresh");
  await connection.run("detach fresh");
  return statSync(copy).size;
}

/** SHA-256 of a file. */
export function readSha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
