import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { programPath } from "../../support/killed.ts";
import { temporaryFolder } from "../../support/load.ts";

it("demo shows two publications, the changes of each, and reports", { timeout: 300_000 }, () => {
  const { path, remove } = temporaryFolder();
  try {
    const argv = [programPath, "demo", "--dir", path, "--seed", "7"];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/success_at +actor/);
    expect(stdout).toMatch(/holder +operation/);
    expect(readdirSync(join(path, "reports")).length).toBeGreaterThan(30);
    const [, address = ""] = /Daily report: +(file:\S+)/.exec(stderr) ?? [];
    expect(readFileSync(fileURLToPath(address), "utf8")).toContain("Look at this first");

    // The printed command can be run unchanged.
    expect(stderr).toMatch(/^\$ auditlake ingest --from 30d --to [\d-]+$/m);
    expect(stderr).toMatch(/^\$ auditlake sql 'select [^']* from events'$/m);

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
