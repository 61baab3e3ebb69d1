import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { syncFolder, writeDurably } from "../durable.ts";
import { AuditlakeError, isCode } from "../errors.ts";

// Messages cannot be taken back: an export of them that did not come to its end is gone on with, and not begun anew.

const record = z.object({ delivery: z.string(), now_ms: z.int(), ended: z.boolean() });

/** An export that was begun. */
export type Begun = {
  readonly deliveryId: string;
  /** The moment that its relative times count from. */
  readonly nowMs: number;
  /** Whether it came to its end, though with messages of which nobody knows whether they arrived. */
  readonly isEnded: boolean;
};

/** The export of this key that is on record; undefined where the last one ended without doubt. */
export function readBegun(outbox: string, key: string): Begun | undefined {
  const path = pathOf(outbox, key);
  try {
    const { delivery, now_ms: nowMs, ended } = record.parse(JSON.parse(readFileSync(path, "utf8")));
    return { deliveryId: delivery, nowMs, isEnded: ended };
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
  { deliveryId, nowMs, isEnded }: Begun,
): Promise<void> {
  const text = JSON.stringify({ delivery: deliveryId, now_ms: nowMs, ended: isEnded });
  await writeDurably(pathOf(outbox, key), Buffer.from(`${text}\n`));
}

/** Forgets an export that ended without doubt, or that never sent anything; it stays forgotten. */
export async function forgetBegun(outbox: string, key: string): Promise<void> {
  await rm(pathOf(outbox, key), { force: true });
  await syncFolder(outbox);
}

/** Ids of the deliveries on record, which may be gone on with. Throws AuditlakeError where a record is damaged. */
export function begunDeliveries(outbox: string): string[] {
  const keys = readdirSync(outbox).flatMap((name) => /^begun-(.*)\.json$/.exec(name)?.[1] ?? []);
  return keys.flatMap((key) => readBegun(outbox, key)?.deliveryId ?? []);
}

function pathOf(outbox: string, key: string): string {
  return join(outbox, `begun-${key}.json`);
}
