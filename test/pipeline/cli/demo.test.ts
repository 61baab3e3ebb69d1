import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/load.ts";
import { run } from "../../support/command.ts";

it.each(["auditlake.json", "auditlake/audit.duckdb", "notes.txt"])(
  "demo does not touch a foreign folder with %s",
  async (name) => {
    const { path, remove } = temporaryFolder();
    try {
      mkdirSync(join(path, dirname(name)), { recursive: true });
      writeFileSync(join(path, name), "mine");
      const { code, err } = await run(["demo", "--dir", path]);
      expect(code).toBe(2);
      expect(err).toBe(
        `error: ${path} contains files of other origin, which the demo would delete; choose a new folder with --dir\n`,
      );
      expect(readFileSync(join(path, name), "utf8")).toBe("mine");
      expect(readdirSync(path)).toHaveLength(1);
    } finally {
      remove();
    }
  },
);

it("demo refuses a file as a folder", async () => {
  const { path, remove } = temporaryFolder();
  try {
    const file = join(path, "file");
    writeFileSync(file, "mine");
    const { code, err } = await run(["demo", "--dir", file]);
    expect([code, err]).toEqual([
      2,
      `error: ${file} is not a folder; choose a new one with --dir\n`,
    ]);
  } finally {
    remove();
  }
});
