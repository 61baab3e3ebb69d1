import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { sweepHome } from "../../../../pipeline/core/session/write.ts";
import { temporaryFolder } from "../../../support/load.ts";

const nowMs = Date.UTC(2026, 0, 5);
const dayMs = 86_400_000;

it("a sweep removes from a home what killed processes left, and nothing else", async () => {
  const gone = spawn("true");
  await once(gone, "exit");
  const { path, remove } = temporaryFolder();
  const home = resolveHome(path);
  const left = ["audit.duckdb.new", "audit.duckdb.new.wal"];
  const own = ["audit.duckdb", "audit.duckdb.wal", "warehouse.duckdb", "warehouse.duckdb.wal"];
  const others = [".spill-", ".spill-1-XY", `a.spill-${gone.pid}-ab`, `.spill-${gone.pid}-ab.txt`];
  for (const name of [...left, ...own, ...others]) writeFileSync(join(path, name), "x");
  const draft = join(home.landing, "reads", ".0123456789ab.tmp");
  mkdirSync(join(home.landing, "reads"), { recursive: true });
  writeFileSync(draft, "x");
  const spills = {
    old: `.spill-${gone.pid}-0a`,
    young: `.spill-${gone.pid}-0b`,
    running: `.spill-${process.pid}-0c`,
  };
  for (const [age, name] of Object.entries(spills)) {
    mkdirSync(join(path, name));
    writeFileSync(join(path, name, "block"), "x");
    const at = new Date(nowMs - (age === "young" ? dayMs : dayMs + 1));
    for (const one of [join(name, "block"), name]) utimesSync(join(path, one), at, at);
  }
  await sweepHome(home, nowMs);
  const stay = [...own, ...others, "landing", spills.young, spills.running];
  expect(readdirSync(path).toSorted()).toEqual(stay.toSorted());
  expect(readdirSync(join(home.landing, "reads"))).toEqual([]);
  remove();
});
