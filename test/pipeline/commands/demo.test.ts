import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../support/load.ts";

const bin = fileURLToPath(new URL("../../../pipeline/bin.ts", import.meta.url));

it("shows the whole way: two nights, what is new of them, reports", { timeout: 120_000 }, () => {
  const { path, remove } = temporaryFolder();
  try {
    const argv = [bin, "demo", "--dir", path, "--seed", "7"];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/success_at +actor/);
    expect(stdout).toMatch(/holder +operation/);
    expect(readdirSync(join(path, "reports")).length).toBeGreaterThan(30);
    const [, address = ""] = /for any browser: (file:\S+)/.exec(stderr) ?? [];
    expect(readFileSync(fileURLToPath(address), "utf8")).toContain(
      "Who was denied, and how often?",
    );

    const [first = 0, second = 0] = [...stderr.matchAll(/^(\d+) delivered$/gm)].map(([, n]) =>
      Number(n),
    );
    expect(first).toBeGreaterThan(second);
    expect(second).toBeGreaterThan(0);
    expect(stderr).toContain(`${second} new, 0 updated, 0 deleted, ${first} unchanged`);
    const delivered = readFileSync(join(path, "delivered", "new_denials.csv"), "utf8");
    expect(delivered.match(/^[0-9a-f]{8}-?[0-9a-f]{4}/gm)).toHaveLength(second);
    expect(readdirSync(path)).toContain(".auditlake-demo");
  } finally {
    remove();
  }
});

it.each(["auditlake.json", "auditlake/audit.duckdb", "notes.txt"])(
  "leaves a folder alone that it did not make and that holds %s",
  (name) => {
    const { path, remove } = temporaryFolder();
    try {
      mkdirSync(join(path, dirname(name)), { recursive: true });
      writeFileSync(join(path, name), "mine");
      const { status, stderr } = spawnSync(process.execPath, [bin, "demo", "--dir", path], {
        encoding: "utf8",
      });
      expect(status).toBe(2);
      expect(stderr).toBe(
        `error: ${path} holds something that no demo made, and a demo starts by deleting; name a new folder with --dir\n`,
      );
      expect(readFileSync(join(path, name), "utf8")).toBe("mine");
      expect(readdirSync(path)).toHaveLength(1);
    } finally {
      remove();
    }
  },
);

it("takes no file for a folder", () => {
  const { path, remove } = temporaryFolder();
  try {
    const file = join(path, "file");
    writeFileSync(file, "mine");
    const argv = [bin, "demo", "--dir", file];
    const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
    expect([status, stderr]).toEqual([
      2,
      `error: ${file} is no folder; name a new one with --dir\n`,
    ]);
  } finally {
    remove();
  }
});
