import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { QueryError, runSandboxed } from "../../../pipeline/core/sandbox/query.ts";
import type { QueryLimits } from "../../../pipeline/core/sandbox/limits.ts";
import { newRealWorld } from "../../../pipeline/base/world.ts";
import { insertManyEvents, writePublished } from "../../pipeline/published-file.ts";
import { testKey } from "../../support/key.ts";
import { sqlTask } from "../../support/sql-task.ts";
import { Turns } from "../turns.ts";
import type { End, HostileCase, Targets } from "./cases.ts";

const secret = "SECRET-beside-the-database";
// Files of the machine, and the environment: what no statement may see.
const secrets = [secret, testKey, "root:x:0:0"];
const graceMs = 3000;

/** A published file with things beside it that a statement may be after. */
export type Field = {
  readonly targets: Targets;
  /** A hash of every name and byte in the watched tree. */
  readonly state: () => string;
};

/** Lays out a field in a folder; what is temporary goes below it too, so that nothing escapes the watch. */
export async function newField(root: string): Promise<Field> {
  const dir = join(root, "home");
  for (const folder of [dir, join(root, "tmp")]) mkdirSync(folder);
  process.env["TMPDIR"] = join(root, "tmp");
  process.env["AUDITLAKE_API_KEY"] = testKey;
  const targets = { dir, db: join(dir, "audit.duckdb"), secret: join(dir, "secret.txt") };
  await writePublished(targets.db, [insertManyEvents(5000)]);
  writeFileSync(targets.secret, `a,b\n${secret},2\n`);
  return { targets, state: () => readState(root) };
}

const notBound = /\b(?:Binder|Catalog|Conversion|Invalid Input|Out of Range|Parser) Error: /;

/** The outcome of a statement. */
export type Result = {
  /** How long after its time limit it was stopped; 0 where it ended by itself. */
  readonly overMs: number;
  /** Whether the statement passed and the database found all that it names, so that it was really tried. */
  readonly isBound: boolean;
  readonly complaints: readonly string[];
};

/** How a statement ended, and what it gave out or said. */
export type Ran = { readonly end: End; readonly text: string };

/** Runs a statement on a database, for as long as it may take. */
export type Run = (sql: string, database: string, timeoutMs: number) => Promise<Ran>;

/** Runs a statement in a separate process, as the command line does, and checks what it left behind. */
export async function attack(
  hostile: HostileCase,
  field: Field,
  before: string,
  run: Run = asStatement,
): Promise<Result> {
  const timeoutMs = hostile.end === "stopped" || hostile.end === "survived" ? 1000 : 20_000;
  const start = performance.now();
  using turns = new Turns();
  const { end, text } = await run(hostile.sql, field.targets.db, timeoutMs);
  const tookMs = performance.now() - start;
  const complaints = [
    ...(field.state() === before ? [] : ["a file was changed"]),
    ...(hostile.end === end || hostile.end === "survived" ? [] : [`${end}: ${text.slice(0, 200)}`]),
    ...(turns.ms() <= timeoutMs + graceMs ? [] : [`took ${Math.round(tookMs)} ms of ${timeoutMs}`]),
    ...(secrets.some((each) => text.includes(each)) ? ["gave out what is no data"] : []),
  ];
  const overMs = end === "stopped" ? Math.max(0, tookMs - timeoutMs) : 0;
  const isBound = end !== "refused" && !(end === "rejected" && notBound.test(text));
  return {
    overMs,
    isBound,
    complaints: complaints.map((complaint) => `${hostile.title}: ${complaint}`),
  };
}

/** Runs a statement as `auditlake sql` does. */
const asStatement: Run = async (sql, database, timeoutMs) => {
  const limits: QueryLimits = {
    timeoutMs,
    timeoutName: "--timeout",
    maxRows: 10_000,
    maxBytes: 20e6,
    memoryLimit: "256MB",
    threads: 1,
  };
  const world = newRealWorld(new AbortController().signal);
  try {
    await using answer = await runSandboxed(sqlTask(database, sql), limits, world);
    const rows: unknown[] = [];
    for await (const batch of answer.batches) if (rows.length < 100) rows.push(...batch);
    const text = JSON.stringify(rows, (_key, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    return { end: "answered", text };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    if (error.stage === "gate") return { end: "refused", text: error.message };
    return { end: error.stage === "stopped" ? "stopped" : "rejected", text: error.message };
  }
};

function readState(root: string): string {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const hash = createHash("sha256");
  for (const entry of entries.sort((a, b) => (getPath(a) < getPath(b) ? -1 : 1))) {
    hash.update(`${getPath(entry)}\0`);
    if (entry.isFile()) hash.update(readFileSync(getPath(entry)));
  }
  return hash.digest("hex");
}

function getPath(entry: { readonly parentPath: string; readonly name: string }): string {
  return join(entry.parentPath, entry.name);
}
