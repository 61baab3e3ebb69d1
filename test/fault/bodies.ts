import { inChildren } from "./children.ts";
import type { Figure } from "./figure.ts";

/** Mutated page bodies through staging and load: refused as a whole, or every record kept or quarantined. */
export const bodiesFigure: Figure = {
  name: "bodies",
  unit: "mutated bodies",
  asked: "0 crashes; accepted + quarantined = sent",
  long: 100_000,
  short: 1_000,
  run: async (count, seed, report) => {
    const child = new URL("bodies/work.ts", import.meta.url);
    const parts = await inChildren(child, count, seed, report);
    return {
      done: parts.reduce((sum, part) => sum + part.done, 0),
      failures: parts.flatMap((part) => part.failures),
      note: computeSum(parts.map((part) => part.note ?? "")),
    };
  },
};

// Notes of the same wording with their numbers added up.
function computeSum(notes: readonly string[]): string {
  const numbers = notes.map((note) => (note.match(/\d+/g) ?? []).map(Number));
  let place = 0;
  return (notes[0] ?? "").replace(/\d+/g, () => {
    const sum = numbers.reduce((all, row) => all + (row[place] ?? 0), 0);
    place += 1;
    return sum.toLocaleString("en-US");
  });
}
