import { createHmac, randomBytes } from "node:crypto";
import { type FileHandle, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeDurably } from "../../durable.ts";
import { AuditlakeError, isCode } from "../../errors.ts";
import { identityOf, type Message } from "./recipients.ts";

/**
 * What is recorded of a send: `sending` before it, and afterwards what came of it. One that stays at `sending` is
 * uncertain.
 */
export type SendState = "sending" | "accepted" | "refused" | "unsent";

/**
 * The record of the sends of one delivery: a file that only grows, safe on the disk before each send. It holds no
 * content, and in the place of a message a keyed hash over number and values, so that it tells nobody who got one.
 */
export type Journal = AsyncDisposable & {
  /** The last that is known of a message; undefined where nothing was ever begun. */
  readonly stateOf: (message: Message) => SendState | undefined;
  /** How many messages are at `sending` other than those given. */
  readonly uncertainBeside: (messages: readonly Message[]) => number;
  /** Records, on the disk when it resolves if it is `sending`. */
  readonly record: (message: Message, state: SendState) => Promise<void>;
};

const extension = ".ndjson";

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
  const path = join(outbox, `${deliveryId}${extension}`);
  const before = await readJournal(path);
  const key = await keyOf(outbox, before.states.size > 0);
  const nameOf = (message: Message): string =>
    createHmac("sha256", key).update(identityOf(message)).digest("hex").slice(0, 32);
  const file = await openAt(path, before.bytes);
  const { states } = before;
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

/** Removes the journals of deliveries that nobody goes on with; what cannot be removed stays. */
export async function removeJournals(
  outbox: string,
  isNeeded: (deliveryId: string) => boolean,
): Promise<void> {
  const names = await readdir(outbox).catch(() => []);
  const done = names.filter(
    (name) => name.endsWith(extension) && !isNeeded(name.slice(0, -extension.length)),
  );
  // A journal that stays does no harm but to the room it takes.
  for (const name of done) await rm(join(outbox, name), { force: true }).catch(() => undefined);
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
