import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findMissingPython, newSignedHome, verifyIndependently } from "./signed-home.ts";

// A verifier in another language, from the specifications alone: test/evidence/verify.py.

const missing = findMissingPython();

describe.skipIf(missing !== undefined)(missing ?? "the independent verifier", () => {
  test("the independent verifier accepts each head, proof and pair of heads of a growing home", async () => {
    using home = await newSignedHome();
    const { landing } = home;
    const key = join(landing, "log/key.pub");
    for (let i = 0; i < 4; i++) expect(await home.load()).toMatchObject({ code: 0 });
    expect(verifyIndependently("log", landing)).toMatch(/^\d+ of \d+ entries, 4 files$/);
    for (const [index, line] of home.readLog().entries()) {
      const { code, out } = await home.run("evidence", "proof", String(index));
      expect(code).toBe(0);
      expect(verifyIndependently("proof", key, home.home.write("one.tlog-proof", out))).toBe(line);
    }
    const sizes = readdirSync(home.heads).map((name) => Number(name.split(".")[0]));
    sizes.sort((a, b) => a - b);
    expect(sizes.length).toBeGreaterThan(3);
    const newest = join(home.heads, `${sizes.at(-1)}.checkpoint`);
    for (const size of sizes) {
      const old = join(home.heads, `${size}.checkpoint`);
      const { code, out } = await home.run("evidence", "consistency", old, newest);
      expect(code).toBe(0);
      const body = home.home.write("body", out);
      expect(verifyIndependently("consistency", key, old, body)).toBe(`${size} to ${sizes.at(-1)}`);
    }
  });

  test("the independent verifier refuses a log with a changed, dropped or added entry, a changed file and a changed head", async () => {
    using home = await newSignedHome();
    for (let i = 0; i < 3; i++) await home.load();
    const { landing } = home;
    const [entries, head] = [join(landing, "log/entries.ndjson"), join(landing, "log/head")];
    const read = join(landing, "reads", readdirSync(join(landing, "reads"))[0]!);
    const lines = home.readLog();
    const join2 = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");
    const cases = [
      [entries, join2(lines.with(1, lines[1]!.replace("reads/", "reads/0")))],
      [entries, join2(lines.toSpliced(1, 1))],
      [entries, join2(lines.slice(0, -1))],
      [entries, join2(lines.toSpliced(1, 0, lines[1]!))],
      [read, readFileSync(read, "utf8").replace("import", "imports")],
      [head, readFileSync(head, "utf8").replace(/\n\d+\n/, "\n2\n")],
    ] as const;
    for (const [path, content] of cases) {
      const before = readFileSync(path);
      writeFileSync(path, content);
      expect(() => verifyIndependently("log", landing), content.slice(0, 200)).toThrow(
        /Command failed/,
      );
      writeFileSync(path, before);
    }
    expect(verifyIndependently("log", landing)).toMatch(/entries/);
  });
});
