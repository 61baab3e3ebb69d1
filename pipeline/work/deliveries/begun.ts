import { readdirSync, readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { syncFolder, writeDurably } from "../../base/home/durable.ts";
import { AuditlakeError, isCode } from "../../base/errors.ts";

// What went out cannot be taken back: a delivery that did not come to its end is gone on with, and not begun anew.

const record = z.object({
  delivery: z.string(),
  kept: z.string().optional(),
  now_ms: z.int(),
  ended: z.boolean(),
  rows: z.int().optional(),
  due_ms: z.int().optional(),
  done: z.boolean().optional(),
});

/** An export that was begun. */
export type Begun = {
  readonly deliveryId: string;
  /** Name of the files kept of it, which no other has; undefined where an earlier version named them by the delivery. */
  readonly keptAs?: string | undefined;
  /** The moment that its relative times count from. */
  readonly nowMs: number;
  /** Whether it came to its end, though with rows that were refused, or of which nobody knows whether they arrived. */
  readonly isEnded: boolean;
  /** How many rows are kept of it; undefined where an earlier version began it, which kept none. */
  readonly rows?: number | undefined;
  /** When it was due; undefined where somebody began it by hand. */
  readonly dueMs?: number | undefined;
  /** Whether all of it went out: kept of one that was due, so that nobody makes up for it again. */
  readonly isDone?: boolean | undefined;
};

/** The export of this key that is on record; undefined where all rows of the last one were sent by hand. */
export function readBegun(outbox: string, key: string): Begun | undefined {
  const path = pathOf(outbox, key);
  try {
    const found = record.parse(JSON.parse(readFileSync(path, "utf8")));
    const { delivery, kept: keptAs, ended, rows, done: isDone } = found;
    const times = { nowMs: found.now_ms, dueMs: found.due_ms };
    return { deliveryId: delivery, keptAs, ...times, isEnded: ended, rows, isDone };
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw new AuditlakeError(
      `${path} is damaged, so nobody can tell which delivery did not come to its end; nothing was sent; use --new to begin another`,
    );
  }
}

/** Records an export, on the disk when it resolves. */
export async function recordBegun(
  outbox: string,
  key: string,
  { deliveryId, keptAs, nowMs, isEnded, rows, dueMs, isDone }: Begun,
): Promise<void> {
  const times = { now_ms: nowMs, due_ms: dueMs };
  const named = { delivery: deliveryId, kept: keptAs };
  const begun = { ...named, ...times, ended: isEnded, rows, done: isDone };
  await writeDurably(pathOf(outbox, key), Buffer.from(`${JSON.stringify(begun)}\n`));
}

/** Forgets an export whose rows were all sent, or that never sent anything; it stays forgotten. */
export async function forgetBegun(outbox: string, key: string): Promise<void> {
  await rm(pathOf(outbox, key), { force: true });
  await syncFolder(outbox);
}

/** Names of the files that deliveries on record may be gone on with. Throws AuditlakeError where one is damaged. */
export function neededNames(outbox: string): string[] {
  const keys = readdirSync(outbox).flatMap((name) => /^begun-(.*)\.json$/.exec(name)?.[1] ?? []);
  const begun = keys.flatMap((key) => readBegun(outbox, key) ?? []);
  // A connector names by the delivery what it keeps of who got what.
  return begun.flatMap((each) => (each.isDone === true ? [] : [each.deliveryId, keptName(each)]));
}

/** Name of the files that are kept of an export. */
export function keptName({ deliveryId, keptAs }: Begun): string {
  return keptAs ?? deliveryId;
}

// What is kept of a delivery: its rows, what became of each, and who a message was sent to.
const extensions = { rows: ".rows", ledger: ".ledger", journal: ".ndjson" } as const;

/** The files in the outbox of a target that are kept under a name. */
export function filesOf(outbox: string, name: string): Record<"rows" | "ledger", string> {
  const path = join(outbox, name);
  return { rows: path + extensions.rows, ledger: path + extensions.ledger };
}

/** Removes what is kept under names that nobody needs; what cannot be removed stays. */
export async function removeKept(
  outbox: string,
  isNeeded: (name: string) => boolean,
): Promise<void> {
  const names = await readdir(outbox).catch(() => []);
  const done = names.filter((name) => {
    const extension = Object.values(extensions).find((each) => name.endsWith(each));
    return extension !== undefined && !isNeeded(name.slice(0, -extension.length));
  });
  // A file that stays does no harm but to the room it takes.
  for (const name of done) await rm(join(outbox, name), { force: true }).catch(() => undefined);
}

function pathOf(outbox: string, key: string): string {
  return join(outbox, `begun-${key}.json`);
}
