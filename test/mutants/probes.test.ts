import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/load.ts";
import { listRegions, withProbes } from "./probes.ts";

const text = `export const sign = (n: number): string => (n < 0 ? "minus" : n > 0 ? "plus" : "none");
export function count(list: readonly number[]): number {
  let found = 0;
  for (const n of list) if (n > 1 && n < 9) found += 1;
  return found;
}
`;

type Probed = {
  readonly sign: (n: number) => string;
  readonly count: (list: readonly number[]) => number;
};

it("notes the regions that run, and changes nothing else", async () => {
  const { path, remove } = temporaryFolder();
  const noted = new Set<string>();
  Object.assign(globalThis, { __reach: (name: string) => noted.add(name) });
  try {
    writeFileSync(join(path, "note.mjs"), "");
    writeFileSync(join(path, "probed.ts"), withProbes(text, "a", join(path, "note.mjs")));
    const { sign, count } = (await import(join(path, "probed.ts"))) as Probed;
    const at = (part: string): string => `a:${text.indexOf(part)}`;
    expect(sign(3)).toBe("plus");
    expect(noted).toContain(at('"plus"'));
    expect(noted).not.toContain(at('"minus"'));
    expect(count([1])).toBe(0);
    expect(noted).not.toContain(at("n < 9"));
    expect(count([1, 4, 9])).toBe(1);
    expect(noted).toContain(at("found += 1"));
    const starts = listRegions(text).map(({ start }) => `a:${start}`);
    expect([...noted].filter((name) => !starts.includes(name))).toEqual([]);
  } finally {
    Reflect.deleteProperty(globalThis, "__reach");
    remove();
  }
});
