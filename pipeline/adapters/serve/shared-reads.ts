import { readMark } from "./pool.ts";

/** Reads by key; requests for the same key share one answer while a publication lasts, at most a minute. */
export type SharedReads = <T>(key: string, read: () => Promise<T>) => Promise<T>;

type Kept = { readonly sinceMs: number; readonly answer: Promise<unknown> };

const mostKept = 100;
const maxAgeMs = 60_000;

/** Shares what many read at once, per publication. A read that failed is made again. */
export function newSharedReads(path: string, now: () => number): SharedReads {
  const kept = new Map<string, Kept>();
  let mark = "";
  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const current = readMark(path);
    if (current !== mark) kept.clear();
    mark = current;
    const known = kept.get(key);
    if (known !== undefined && now() - known.sinceMs < maxAgeMs) return known.answer as Promise<T>;
    const answer = read();
    const mine = { sinceMs: now(), answer };
    kept.delete(key);
    kept.set(key, mine);
    if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
    answer.catch(() => {
      if (kept.get(key) === mine) kept.delete(key);
    });
    return answer;
  };
}
