import { markOf } from "./pool.ts";

/**
 * Keeps the answer to a question that costs more than a page may while the same file is published, for so long. Whoever
 * asks meanwhile gets the same one. An answer that failed is asked again.
 */
export function keptWhilePublished<A, T>(
  path: string,
  now: () => number,
  maxAgeMs: number,
  work: (argument: A) => Promise<T>,
): (argument: A) => Promise<T> {
  let kept: { mark: string; sinceMs: number; answer: Promise<T> } | undefined;
  return (argument) => {
    const mark = markOf(path);
    const isFresh = kept?.mark === mark && now() - kept.sinceMs < maxAgeMs;
    if (kept !== undefined && isFresh) return kept.answer;
    const mine = { mark, sinceMs: now(), answer: work(argument) };
    kept = mine;
    mine.answer.catch(() => {
      if (kept === mine) kept = undefined;
    });
    return mine.answer;
  };
}
