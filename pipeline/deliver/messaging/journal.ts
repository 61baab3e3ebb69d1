import { createHmac, randomBytes } from "node:crypto";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeDurably } from "../../durable.ts";
import { AuditlakeError, isCode } from "../../errors.ts";

/**
 * What is recorded of a send: `sending` before it, and afterwards what came of it. One that stays at `sending` is
 * uncertain.
 */
export type SendState = "sending" | "accepted" | "refused" | "unsent";

/**
 * The record of the sends of one delivery: a file that only grows, safe on the disk before each send. It holds no
 * content, and in the place of a phone number a keyed hash, so that it tells nobody who got a message.
 */
export type Journal = AsyncDisposable & {
  /** The last that is known of a number; undefined where nothing was ever begun. */
  readonly stateOf: (phone: string) => SendState | undefined;
  /** How many numbers are at `sending` other than those given. */
  readonly uncertainBeside: (phones: readonly string[]) => number;
  /** Records, on the disk when it resolves if it is `sending`. */
  readonly record: (phone: string, state: SendState) => Promise<void>;
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
  const before = await readJournal(path);
  const key = await keyOf(outbox, before.states.size > 0);
  const nameOf = (phone: string): string =>
    createHmac("sha256", key).update(phone).digest("hex").slice(0, 32);
  const file = await openAt(path, before.bytes);
  const { states } = before;
  return {
    stateOf: (phone) => states.get(nameOf(phone)),
    uncertainBeside: (phones) => {
      const given = new Set(phones.map(nameOf));
      return states
        .entries()
        .filter(([to, state]) => state === "sending" && !given.has(to))
        .toArray().length;
    },
    record: async (phone, state) => {
      const to = nameOf(phone);
      const at = new Date(now()).toISOString();
      await file.appendFile(`${JSON.stringify({ at, to, state })}\n`);
      // What comes after a send reaches the disk with the next one at the latest: without it the send is uncertain.
      if (state === "sending") await file.datasync();
      states.set(to, state);
    },
    [Symbol.asyncDispose]: async () => {
      await file.datasync();
      await file.close();
    },
  };
}

// A line that a crash cut off was not on the disk yet, so its send had not begun, or is uncertain all the same.
async function readJournal(
  path: string,
): Promise<{ states: Map<string, SendState>; bytes: number }> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isCode(error, "ENOENT")) return "";
    throw error;
  });
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const states = new Map<string, SendState>();
  for (const [index, written] of whole.split("\n").slice(0, -1).entries()) {
    const result = line.safeParse(parsedLine(written));
    if (!result.success)
      throw new AuditlakeError(
        `${path}, line ${index + 1} is damaged, so nobody can tell who got a message; nothing was sent; move the file away to send to all again`,
      );
    states.set(result.data.to, result.data.state);
  }
  return { states, bytes: Buffer.byteLength(whole) };
}

function parsedLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function openAt(path: string, bytes: number): Promise<FileHandle> {
  if (bytes === 0) await writeDurably(path, Buffer.alloc(0));
  const file = await open(path, "a", 0o600);
  await file.truncate(bytes);
  return file;
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
