import { PageError } from "../records/error.ts";

/** Packed bytes on their way to a decoder. */
export type Rest = {
  /** The next packed bytes; undefined at the end. */
  readonly read: () => Promise<Buffer | undefined>;
  /** To be called where the unpacked bytes end: throws PageError where packed ones were passed over. */
  readonly check: () => Promise<void>;
};

/**
 * Keeps what the decoder has not `taken` yet. Node's gunzip ends at a zero byte after a member and passes over whatever
 * follows (github.com/nodejs/node/pull/5883). Zeros up to the end are padding. Anything else may be further members
 * with their records.
 */
export function newRest(packed: Pick<Rest, "read">, taken: () => number): Rest {
  const kept: Buffer[] = [];
  let keptFrom = 0;
  let last: Promise<Buffer | undefined> = Promise.resolve(undefined);
  const readOn = async (): Promise<Buffer | undefined> => {
    const next = await packed.read();
    if (next !== undefined) kept.push(next);
    while (kept.length > 0 && keptFrom + kept[0]!.length <= taken())
      keptFrom += kept.shift()!.length;
    return next;
  };
  // The decoder may have a read of its own under way when its bytes end; the check comes after that.
  const read = (): Promise<Buffer | undefined> => (last = last.then(readOn));
  const judge = (): void => {
    for (const part of kept.splice(0)) {
      const passedOver = part.subarray(Math.max(0, taken() - keptFrom));
      keptFrom += part.length;
      if (passedOver.some((byte) => byte !== 0))
        throw new PageError(
          "the file goes on behind zero bytes in its gzip data; nothing of it was loaded; pack it again without them",
        );
    }
  };
  const check = async (): Promise<void> => {
    await last;
    do judge();
    while ((await read()) !== undefined);
  };
  return { read, check };
}
