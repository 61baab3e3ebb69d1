import { chmodSync, readFileSync, readdirSync, statSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newHome, type TestHome } from "../../support/home.ts";

let home: TestHome;
let warehouse: string;
beforeEach(() => {
  home = newHome();
  warehouse = join(home.home, "warehouse.duckdb");
});
afterEach(() => home[Symbol.dispose]());

const records = (name: string, count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    time: 1767225600 + i,
    event_name: "sign_in",
    id: `${name}-${i}`,
    // Does not compress to nothing: the rows are to fill several blocks.
    query_text: `${name}-${i}-${Math.sin(i)}-${Math.cos(i)}`.repeat(10),
  }));

describe("the published file", () => {
  const damage = (path: string): void => {
    const { mode } = statSync(path);
    const bytes = readFileSync(path);
    bytes.fill(0x55, bytes.length >> 1, (bytes.length >> 1) + 64);
    chmodSync(path, 0o600);
    writeFileSync(path, bytes);
    chmodSync(path, mode & 0o777);
  };
  const blocks = async (): Promise<string | undefined> =>
    (await home.run(["doctor", "--no-reports", "--deep"])).out
      .split("\n")
      .find((line) => /^\w+ +blocks /.test(line));

  it("is compared with the warehouse, block by block, by doctor --deep", async () => {
    await home.load(records("a", 20_000));
    expect(await blocks()).toMatch(/^ok .*all can be read, the warehouse is identical/);
    const whole = readFileSync(warehouse);
    damage(warehouse);
    expect(await blocks()).toMatch(/^fail.*warehouse\.duckdb differs .*run auditlake rebuild/);
    expect((await home.run(["publish"])).code).toBe(0);
    expect(await blocks()).toMatch(/^fail.*audit\.duckdb is damaged: .*run auditlake rebuild/);
    writeFileSync(warehouse, whole);
    expect(await blocks()).toMatch(/^fail.*audit\.duckdb is damaged: .*run auditlake publish/);
    expect((await home.run(["publish"])).code).toBe(0);
    expect(await blocks()).toMatch(/^ok/);
  });

  it("is retained by publish where it has every byte of the warehouse", async () => {
    await home.load(records("a", 3000));
    const published = join(home.home, "audit.duckdb");
    const older = `${published}.older-1`;
    writeFileSync(older, "of the next publication");
    const { ino } = statSync(published);
    expect((await home.run(["publish"])).code).toBe(0);
    expect([statSync(published).ino, readFileSync(older, "utf8")]).toEqual([
      ino,
      "of the next publication",
    ]);
    damage(published);
    expect((await home.run(["publish"])).code).toBe(0);
    expect(statSync(published).ino).not.toBe(ino);
  });
});

describe("a report that exceeds its memory limit", () => {
  it("spills to a folder inside the home, and removes it", async () => {
    await home.load(records("a", 3000));
    home.write("auditlake.json", JSON.stringify({ memory_limit: "128MB", threads: 1 }));
    home.write(
      "queries/big.sql",
      "-- title: Big?\n-- grain: one row per event and number\nselect e.query_text || r.i as t from events as e, range(300) as r(i) order by t\n",
    );
    const names = new Set<string>();
    // The system queues events of the folder until they are read.
    const watcher = watch(home.home, (_, name) => {
      if (name !== null) names.add(name.replace(/\d+-[0-9a-f]+$/, "N"));
    });
    const config = ["--config", join(home.folder, "auditlake.json")];
    const own = ["--queries", join(home.folder, "queries"), "--out", join(home.folder, "big.csv")];
    const { code, err } = await home.run([...config, "report", "run", "big", ...own]);
    await expect.poll(() => [...names], { timeout: 20_000 }).toContain(".spill-N");
    watcher.close();
    expect([code, err]).toEqual([0, expect.stringContaining("900000 rows")]);
    expect(readdirSync(home.home).filter((name) => name.startsWith(".spill"))).toEqual([]);
  });
});
