import { createHmac, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeDurably } from "../../../base/home/durable.ts";
import { AuditlakeError, isCode } from "../../../base/errors.ts";
import { openGrowing } from "../../../base/home/growing-file.ts";
import { identityOf, type Message } from "./recipients.ts";
import { jsonOf } from "../../../base/rows/json-text.ts";

/**
 * What is recorded of a send: `sending` before it, and afterwards what came of it. One that stays at `sending` is
 * uncertain.
 */
export type SendState = "sending" | "accepted" | "refused" | "unsent";

/**
 * The record of the sends of one delivery: a file that only grows, safe on the disk before each send. It holds no
 * content. In the place of a message stands a keyed hash over number and values, so that nobody can read there who got
 * one.
 */
export type Journal = AsyncDisposable & {
  /** The last that is known of a message; undefined where nothing was ever begun. */
  readonly stateOf: (message: Message) => SendState | undefined;
  /** How many messages are at `sending` other than those given. */
  readonly uncertainBeside: (messages: readonly Message[]) => number;
  /** Records, on the disk when it resolves if it is `sending`. */
  readonly record: (message: Message, state: SendState) => Promise<void>;
};

const line = z.object({
  to: z.string(),
  state: z.enum(["sending", "accepted", "refused", "unsent"]),
});

/** Opens the journal of a delivery; throws AuditlakeError where its file or the key beside it is damaged. */
export async function openJournal(
  outbox: string,
  deliveryId: string,
  now: () => number,
): Promise<Journal> {
  const path = join(outbox, `${deliveryId}.ndjson`);
  const states = new Map<string, SendState>();
  let key: Buffer = Buffer.alloc(0);
  const file = await openGrowing(path, async (lines) => {
    for (const [index, written] of lines.entries()) {
      const { to, state } = lineOf(written, path, index + 1);
      states.set(to, state);
    }
    key = await keyOf(outbox, states.size > 0);
  });
  const nameOf = (message: Message): string =>
    createHmac("sha256", key).update(identityOf(message)).digest("hex").slice(0, 32);
  return {
    stateOf: (message) => states.get(nameOf(message)),
    uncertainBeside: (messages) => {
      const given = new Set(messages.map(nameOf));
      return states
        .entries()
        .filter(([to, state]) => state === "sending" && !given.has(to))
        .toArray().length;
    },
    record: async (message, state) => {
      const to = nameOf(message);
      const at = new Date(now()).toISOString();
      // What comes after a send reaches the disk with the next one at the latest: without it the send is uncertain.
      await file.append(JSON.stringify({ at, to, state }), state === "sending");
      states.set(to, state);
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

function lineOf(written: string, path: string, number: number): z.infer<typeof line> {
  const result = line.safeParse(jsonOf(written));
  if (result.success) return result.data;
  throw new AuditlakeError(
    `${path}, line ${number} is damaged, so nobody can tell who got a message; nothing was sent; move the file away to send to all again`,
  );
}

async function keyOf(outbox: string, isNeeded: boolean): Promise<Buffer> {
  const path = join(outbox, "recipients.key");
  try {
    return Buffer.from(await readFile(path, "utf8"), "hex");
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
  }
  if (isNeeded)
    throw new AuditlakeError(
      `${path} is missing, so nobody can tell who got a message of this delivery; nothing was sent; put the file back`,
    );
  const key = randomBytes(32);
  await writeDurably(path, Buffer.from(key.toString("hex")));
  return key;
}
