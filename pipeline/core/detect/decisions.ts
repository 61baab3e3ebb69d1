import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { z } from "zod";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import type { Home } from "../../base/home/layout.ts";
import { queryRows, text } from "../../base/sql/typed-rows.ts";
import { runFile } from "../../base/sql/statements.ts";
import { formatIdStamp } from "../../base/time/text.ts";
import type { World } from "../../base/world.ts";
import { landFile } from "../landing/store.ts";
import { findLog, noteLanded } from "../evidence/log.ts";

// Decisions of people are files in landing, as what the service sent: a rebuild takes them up again.

export const verdicts = ["true-positive", "benign", "false-positive"] as const;

const decision = z.strictObject({
  version: z.literal(1),
  decision_id: z.string(),
  decided_at: z.string(),
  decided_by: z.string(),
  decision: z.enum([
    "acknowledge",
    "reopen",
    "close",
    "note",
    "suppress",
    "unsuppress",
    "notified",
  ]),
  detection: z.string(),
  /** The finding, by its key and times: an earlier hit that arrives late changes its id. */
  source: z.string().nullable().default(null),
  key: z.string().nullable().default(null),
  first_at: z.string().nullable().default(null),
  last_at: z.string().nullable().default(null),
  /** Its id; of an `unsuppress` that of the suppression. */
  finding_id: z.string().nullable().default(null),
  closed_as: z.enum(verdicts).nullable().default(null),
  /** Key values that a suppression covers. */
  conditions: z.record(z.string(), z.string()).nullable().default(null),
  /** Its end, in event time. */
  suppressed_until: z.string().nullable().default(null),
  reason: z.string().nullable().default(null),
});

export type Decision = z.infer<typeof decision>;

/** What a person decides; who and when is added where it is kept. */
export type NewDecision = Pick<Decision, "decision" | "detection"> & Partial<Decision>;

const getFolder = ({ landing }: Pick<Home, "landing">): string => join(landing, "findings");

/** Keeps decisions durably; they are in the tables once a writer has brought them. Returns them as kept. */
export async function keepDecisions(
  home: Pick<Home, "landing">,
  decisions: readonly NewDecision[],
  decidedBy: string,
  { now, random }: Pick<World, "now" | "random">,
): Promise<Decision[]> {
  const nowMs = now();
  const kept = decisions.map((each) =>
    decision.parse({
      version: 1,
      decision_id: `${formatIdStamp(nowMs)}-${Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, "0")}`,
      decided_at: new Date(nowMs).toISOString(),
      decided_by: decidedBy,
      ...each,
    }),
  );
  for (const each of kept)
    await landFile(
      home.landing,
      `findings/${each.decision_id}.json`,
      Buffer.from(`${JSON.stringify(each)}\n`),
    );
  return kept;
}

/** Whether decisions are kept that a database does not have yet. */
export async function hasNewDecisions(
  home: Pick<Home, "landing">,
  connection: DuckDBConnection,
): Promise<boolean> {
  return (await listNew(home, connection)).length > 0;
}

/** Brings the decisions that a database does not have yet. Throws AuditlakeError naming an invalid file. */
export async function bringDecisions(
  home: Pick<Home, "landing">,
  connection: DuckDBConnection,
): Promise<void> {
  const paths = await listNew(home, connection);
  // Some were made while this run had the log open.
  for (const path of paths)
    noteLanded(home.landing, `findings/${basename(path)}`, readFileSync(path));
  await findLog(home.landing)?.sync();
  for (const path of paths) {
    const { version: _, conditions, ...each } = readDecision(path);
    await runFile(connection, "queries/detect/decisions.sql#bring", {
      ...each,
      conditions: conditions === null ? null : JSON.stringify(conditions),
    });
  }
}

/** The ids of findings that a target has been sent. */
export function notifiedFindings(home: Pick<Home, "landing">, target: string): Set<string> {
  if (!existsSync(getFolder(home))) return new Set();
  const files = readdirSync(getFolder(home)).filter((name) => /^\w[\w-]*\.json$/.test(name));
  const sent = files
    .map((name) => readDecision(join(getFolder(home), name)))
    .filter((each) => each.decision === "notified" && each.decided_by === target);
  return new Set(sent.flatMap(({ finding_id: id }) => (id === null ? [] : [id])));
}

async function listNew(
  home: Pick<Home, "landing">,
  connection: DuckDBConnection,
): Promise<string[]> {
  if (!existsSync(getFolder(home))) return [];
  const shape = { decisionId: text };
  const rows = await queryRows(connection, "queries/detect/decisions.sql#known", shape);
  const known = new Set(rows.map(({ decisionId }) => `${decisionId}.json`));
  const files = readdirSync(getFolder(home)).filter((name) => /^\w[\w-]*\.json$/.test(name));
  return files
    .filter((name) => !known.has(name))
    .toSorted()
    .map((name) => join(getFolder(home), name));
}

function readDecision(path: string): Decision {
  try {
    return decision.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    const what = error instanceof z.ZodError ? z.prettifyError(error) : getMessage(error);
    throw new AuditlakeError(
      `${path} cannot be read as a decision: ${what.replaceAll("\n", "; ")}; restore it from a backup, or move it away`,
    );
  }
}
