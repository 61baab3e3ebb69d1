import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeDurably } from "../../../base/home/durable.ts";
import { AuditlakeError, isCode } from "../../../base/errors.ts";

// Asynchronous requests that nobody has seen the end of. A run that died leaves them behind, and one of them that
// is carried out after a later delivery would bring old rows back.

const file = z.object({ open: z.array(z.string()), unnamed: z.boolean().default(false) });

type Records = z.infer<typeof file>;

/** The open requests of one target, kept on disk. */
export type OpenRequests = {
  readonly list: () => readonly string[];
  /** Whether a batch was handed over and the id of its request never came. */
  readonly hasUnnamed: () => boolean;
  /** Before a batch is handed over. */
  readonly begin: () => Promise<void>;
  /**
   * Once its request has an id; or, with none, once it is certain that there is no request. `hasTwin` where an
   * earlier try may have made another request, whose id never came.
   */
  readonly name: (id?: string, hasTwin?: boolean) => Promise<void>;
  /** Once a request has been carried out. */
  readonly remove: (id: string) => Promise<void>;
};

/** Those of the target whose records lie in the folder. */
export function openRequests(outbox: string): OpenRequests {
  const path = join(outbox, "requests.json");
  let records = read(path);
  let hadUnnamed = false;
  const save = async (next: Partial<Records>): Promise<void> => {
    records = { ...records, ...next };
    await writeDurably(path, Buffer.from(`${JSON.stringify(records)}\n`));
  };
  return {
    list: () => records.open,
    hasUnnamed: () => records.unnamed,
    begin: async () => {
      hadUnnamed = records.unnamed;
      await save({ unnamed: true });
    },
    name: (id, hasTwin = false) =>
      save({
        unnamed: hasTwin || hadUnnamed,
        open: id === undefined ? records.open : [...records.open, id],
      }),
    remove: (id) => save({ open: records.open.filter((other) => other !== id) }),
  };
}

function read(path: string): Records {
  try {
    return file.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if (isCode(error, "ENOENT")) return { open: [], unnamed: false };
    throw new AuditlakeError(
      `${path} cannot be read; it names requests that may still be carried out: wait until none can, then delete it`,
    );
  }
}
