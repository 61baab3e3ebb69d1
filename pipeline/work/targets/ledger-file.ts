import { z } from "zod";
import { AuditlakeError, messageOf } from "../../base/errors.ts";
import { RecordError } from "./error.ts";
import { openGrowing } from "../../base/home/growing-file.ts";
import { newLedger, type Entry, type Ledger } from "./ledger.ts";

const span = z.tuple([z.int().min(1), z.int()]);

const entry: z.ZodType<Entry> = z.union([
  z.object({
    rows: z.array(span),
    state: z.enum(["accepted", "refused", "uncertain"]),
    why: z.string().optional(),
  }),
  z.object({ fact: z.string(), value: z.string() }),
]);

/**
 * Opens the ledger of a delivery, a file that only grows and holds no content of a row. An entry that a power cut takes
 * away makes rows go out again that a receiver can tell. What must never go out twice is recorded by its connector
 * before it goes. Throws AuditlakeError where the file is damaged.
 */
export async function openLedger(path: string): Promise<Ledger & AsyncDisposable> {
  const before: Entry[] = [];
  const file = await openGrowing(path, (lines) => {
    for (const [index, line] of lines.entries()) before.push(entryOf(line, path, index + 1));
  });
  const ledger = newLedger(before, (each, isSynced) =>
    file.append(JSON.stringify(each), isSynced).catch((error: unknown) => {
      throw new RecordError(messageOf(error));
    }),
  );
  return { ...ledger, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() };
}

function entryOf(line: string, path: string, number: number): Entry {
  try {
    return entry.parse(JSON.parse(line));
  } catch {
    throw new AuditlakeError(
      `${path}, line ${number} is damaged, so nobody can tell which rows went out; nothing was sent; begin another delivery with --new`,
    );
  }
}
