import { readMark } from "./pool.ts";

type Kept = {
  readonly sinceMs: number;
  /** The requested pieces; undefined after the last one. */
  readonly pieces: Promise<string | undefined>[];
  readonly next: () => Promise<string | undefined>;
};

const mostKept = 50;

/** Gives the pieces of a page, made at most so long ago. */
export type SharePieces = (
  key: string,
  maxAgeMs: number,
  make: () => AsyncGenerator<string>,
) => AsyncGenerator<string>;

/**
 * Shares the pieces of pages between concurrent requests: each is made once per publication, and later requests get the
 * existing pieces. A failed page is made again.
 */
export function newSharedPieces(path: string, now: () => number): SharePieces {
  const kept = new Map<string, Kept>();
  let mark = "";
  return async function* (key, maxAgeMs, make) {
    const current = readMark(path);
    if (current !== mark) kept.clear();
    mark = current;
    let page = kept.get(key);
    if (page === undefined || now() - page.sinceMs >= maxAgeMs) {
      const pieces = make();
      const next = async (): Promise<string | undefined> => {
        const { value, done } = await pieces.next();
        return done === true ? undefined : value;
      };
      page = { sinceMs: now(), pieces: [], next };
      kept.delete(key);
      kept.set(key, page);
      if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
    }
    yield* readPieces(page, () => {
      if (kept.get(key) === page) kept.delete(key);
    });
  };
}

async function* readPieces({ pieces, next }: Kept, forget: () => void): AsyncGenerator<string> {
  for (let i = 0; ; i++) {
    pieces[i] ??= next();
    try {
      const piece = await pieces[i];
      if (piece === undefined) return;
      yield piece;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
