import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import program from "../rolldown.program.ts";

// What is built has a file for each process and thread that the program starts, where `getEntryPath` looks for it.

const sources = readdirSync("pipeline", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => readFileSync(join("pipeline", path), "utf8"));
const started = sources.flatMap((text) =>
  [...text.matchAll(/\bgetEntryPath\(\s*"([^"]*)"/g)].map(([, module]) => module!),
);

describe("the build of the program", () => {
  it("has an entry for each process and thread, and no other", () => {
    expect(Object.keys(program.input).toSorted()).toEqual([...new Set(started)].toSorted());
  });

  it("has no module that locates files by a path that building would change", () => {
    const places = sources.filter((text) => text.includes("import.meta."));
    // The older Node that hands over, and `getAssetPath` with `getEntryPath`.
    expect(places).toHaveLength(2);
  });

  it("is complete except for the machine code of the database", () => {
    const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
      dependencies: Record<string, string>;
    };
    const isLeft = (name: string): boolean => program.external.some((part) => part.test(name));
    expect(Object.keys(dependencies).every(isLeft)).toBe(true);
    expect(Object.keys(dependencies)).not.toEqual([]);
  });
});
