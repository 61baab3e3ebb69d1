import type { Work } from "../children.ts";
import { makeSeed } from "../figure.ts";
import { attempt } from "./attempt.ts";

export const work: Work = async ({ first, count }, report) => {
  const failures: string[] = [];
  const ended = { whole: 0, refused: 0 };
  let longestMs = 0;
  for (let place = 0; place < count; place++) {
    const seed = makeSeed(first, place);
    const tried = await attempt(seed);
    ended[tried.ended] += 1;
    longestMs = Math.max(longestMs, tried.ms);
    failures.push(...tried.complaints.map((complaint) => `seed ${seed}: ${complaint}`));
    if (place % 100 === 99) report(`seeds ${first} to ${seed}`);
  }
  const note = JSON.stringify({ ...ended, longestMs });
  return { done: count, failures, note };
};
