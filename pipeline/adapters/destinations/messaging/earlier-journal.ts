import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AuditlakeError, isCode } from "../../../base/errors.ts";
import { parseJson } from "../../../base/rows/json-text.ts";
import {
  interruptedSend,
  toSpans,
  type FinalState,
  type Ledger,
} from "../../../outgoing/targets/ledger.ts";
import { buildIdentity, listRows, type Recipient } from "./recipients.ts";

// Versions before this one noted sends in a journal beside the ledger, by a keyed hash over number and values. A message
// that stayed at `sending` is uncertain.

const line = z.object({
  to: z.string(),
  state: z.enum(["sending", "accepted", "refused", "unsent"]),
});

const whys = {
  accepted: undefined,
  refused: "an earlier attempt was refused",
  uncertain: interruptedSend,
};

const finalStates = { sending: "uncertain", accepted: "accepted", refused: "refused" } as const;

/**
 * Takes the states of messages from the journal of a delivery that an earlier version started into its ledger, once.
 * Throws AuditlakeError where the journal or its key is damaged.
 */
export async function readEarlierJournal(
  outbox: string,
  deliveryId: string,
  recipients: readonly Recipient[],
  ledger: Ledger,
): Promise<void> {
  const path = join(outbox, `${deliveryId}.ndjson`);
  if (!existsSync(path) || ledger.fact("journal") !== undefined) return;
  const text = await readFile(path, "utf8");
  // An incomplete last line was never durable, so its message was not sent.
  const lines = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
  const states = new Map(
    lines.map((written, at) => {
      const { to, state } = readLine(written, path, at + 1);
      return [to, state] as const;
    }),
  );
  const key = await readKey(join(outbox, "recipients.key"));
  const rows: Record<FinalState, number[]> = { accepted: [], refused: [], uncertain: [] };
  for (const recipient of recipients) {
    const to = createHmac("sha256", key)
      .update(buildIdentity(recipient))
      .digest("hex")
      .slice(0, 32);
    const state = states.get(to) ?? "unsent";
    if (state !== "unsent") rows[finalStates[state]].push(...listRows(recipient));
  }
  for (const state of Object.values(finalStates))
    await ledger.record(toSpans(rows[state]), state, whys[state]);
  await ledger.setFact("journal", "read", true);
}

function readLine(written: string, path: string, number: number): z.infer<typeof line> {
  const result = line.safeParse(parseJson(written));
  if (result.success) return result.data;
  throw new AuditlakeError(
    `${path}, line ${number} is damaged, so it is unknown who received a message; nothing was sent; move the file aside to send to all recipients`,
  );
}

async function readKey(path: string): Promise<Buffer> {
  try {
    return Buffer.from(await readFile(path, "utf8"), "hex");
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
    throw new AuditlakeError(
      `${path} is missing, so it is unknown who received a message of this delivery; nothing was sent; restore the file`,
    );
  }
}
