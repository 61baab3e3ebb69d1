import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, test } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { besideBytes, parseBytes } from "../../../../pipeline/core/sandbox/limits.ts";
import { shareMemory } from "../../../../pipeline/adapters/serve/pool.ts";
import { newHome } from "../../../support/home.ts";
import { serving } from "../../../support/serve.ts";

const buildConfig = (total?: string, own?: string) =>
  configSchema.parse({ serve: { memory_limit: total }, memory_limit: own });

describe("the memory of all query processes", () => {
  const cases = [
    ["4GB", undefined, 16e9],
    ["1500MB", undefined, 16e9],
    ["700MB", undefined, 16e9],
    [undefined, undefined, 64e9],
    [undefined, undefined, 8e9],
    [undefined, undefined, 3e9],
    ["8GB", "300MB", 16e9],
  ] as const;

  it.each(cases)(
    "is at most serve.memory_limit %s, with memory_limit %s on a machine of %i bytes",
    (total, own, machine) => {
      const { parallel, memoryLimit } = shareMemory(buildConfig(total, own), machine);
      const all = parallel * (parseBytes(memoryLimit) + besideBytes);
      expect(all).toBeLessThanOrEqual(total === undefined ? machine / 2 : parseBytes(total));
      expect(parallel).toBeGreaterThan(0);
      if (own !== undefined) expect(memoryLimit).toBe(own);
    },
  );

  it("is refused if it is too small for one", () => {
    expect(() => shareMemory(buildConfig("600MB"))).toThrow(/is 600MB; expected at least 688MB/);
  });
});

/** The ids of this process's children, and of theirs. */
function descendants(): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    const parent = Number(getStatus(Number(name), "PPid"));
    if (parent > 0) parents.set(Number(name), parent);
  }
  const isBelow = (id: number | undefined): boolean =>
    id !== undefined && (id === process.pid || isBelow(parents.get(id)));
  return [...parents.keys()].filter((id) => id !== process.pid && isBelow(parents.get(id)));
}

// A process may end while it is looked at.
function getStatus(id: number, name: string): string | undefined {
  try {
    const text = readFileSync(`/proc/${id}/status`, "utf8");
    return new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1];
  } catch {
    return undefined;
  }
}

const greedy =
  "select max(len(l)) from (select list(range::varchar || repeat('x', 40)) l from range(60000000) group by range % 3)";

test.skipIf(process.platform !== "linux")(
  "four large queries at once stay within serve.memory_limit together, and are answered",
  { timeout: 600_000 },
  async () => {
    using home = newHome();
    await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
    const config = home.write("auditlake.json", JSON.stringify({ serve: { memory_limit: "3GB" } }));
    home.write("queries/greedy.sql", `-- title: Greedy\n-- grain: one row\n${greedy}\n`);
    const folder = join(home.folder, "queries");
    await using served = await serving(
      home,
      "--config",
      config,
      "--queries",
      folder,
      "--timeout",
      "300s",
    );
    const before = new Set(descendants());
    let isOver = false;
    const pages = Promise.all([1, 2, 3, 4].map(() => served.text("/sql", { sql: greedy })));
    void pages.finally(() => (isOver = true)).catch(() => undefined);
    let most = 0;
    while (!isOver) {
      const own = descendants().filter((id) => !before.has(id));
      const kilobytes = own.map((id) => Number(getStatus(id, "RssAnon") ?? 0));
      most = Math.max(most, kilobytes.reduce((sum, each) => sum + each, 0) * 1024);
      await turn();
    }
    for (const page of await pages) expect(page).toContain("raise serve.memory_limit (");
    expect(most).toBeGreaterThan(100e6);
    expect(most).toBeLessThanOrEqual(3e9);
    expect(await served.text("/sql", { sql: "select 41 + 1 as n" })).toContain("42");
  },
);
