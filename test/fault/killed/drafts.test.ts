import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newHome, type TestHome } from "../../support/home.ts";
import { spawnCommand } from "../../support/killed.ts";

// What a process that was killed with SIGKILL while it wrote output leaves beside the files it was to become.

const head = "-- title: How many?\n-- grain: one row per number\n";
// A delivery has all its rows before it writes the first: they end, but not soon.
const long = {
  "report run": `${head}select r.i as n from range(4000000000) as r(i)\n`,
  export: `${head}select r.i as n from range(2000000) as r(i)\n`,
} as const;
const short = `${head}select r.i as n from range(3) as r(i)\n`;

let home: TestHome;
let common: string[];
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1, event_name: "sign_in" }]);
  const targets = { lake: { type: "file", folder: "lake", format: "ndjson" } };
  common = ["--config", home.write("auditlake.json", JSON.stringify({ targets })), "--quiet"];
});
afterAll(() => home[Symbol.dispose]());

const queries = (): string => join(home.folder, "queries");
const verbs = {
  "report run": (folder: string) => ["report", "run", "--out", join(folder, "count.csv")],
  export: () => ["export", "--to", "lake"],
} as const;
const folders = { "report run": "reports", export: "lake" } as const;
const fullArgv = (verb: keyof typeof verbs): string[] => {
  const argv = verbs[verb](join(home.folder, folders[verb]));
  return [...common, ...argv, "--queries", queries(), "count"];
};

const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const drafts = (folder: string): string[] => names(folder).filter((name) => name.endsWith(".tmp"));

function bytesBelow(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}

function age(path: string, hours: number): void {
  const seconds = Date.now() / 1000 - hours * 3600;
  if (statSync(path).isDirectory())
    for (const name of readdirSync(path)) age(join(path, name), hours);
  utimesSync(path, seconds, seconds);
}

/** Runs the long report in a process of its own until rows are in its draft, then kills that. */
async function kill(verb: keyof typeof verbs, folder: string): Promise<ChildProcess> {
  home.write("queries/count.sql", long[verb]);
  const child = spawnCommand(["--home", home.home, ...fullArgv(verb)]);
  child.stderr!.resume();
  try {
    const hasRows = (): boolean =>
      drafts(folder).some((name) => bytesBelow(join(folder, name)) > 0);
    await expect.poll(hasRows, { timeout: 20_000 }).toBe(true);
  } finally {
    child.kill("SIGKILL");
  }
  if (child.signalCode === null) await once(child, "exit");
  return child;
}

describe.each(["report run", "export"] as const)("%s that was killed", (verb) => {
  it("leaves a draft, which goes with the next output a day later", async () => {
    const folder = join(home.folder, folders[verb]);
    mkdirSync(folder, { recursive: true });
    const { pid } = await kill(verb, folder);
    const [left, ...more] = drafts(folder);
    expect([left, more]).toEqual([`.auditlake-${pid}-0.tmp`, []]);
    home.write("queries/count.sql", short);
    // The delivery that was begun is left for another.
    const anew = verb === "export" ? ["--new"] : [];
    expect((await home.run([...fullArgv(verb), ...anew])).code).toBe(0);
    // A process that cannot be seen from here may still write to it.
    expect(drafts(folder)).toEqual([left]);
    age(join(folder, left!), 25);
    expect((await home.run(fullArgv(verb))).code).toBe(0);
    expect(drafts(folder)).toEqual([]);
    const [file, ...others] = names(folder);
    expect(others).toEqual([]);
    expect(readFileSync(join(folder, file!), "utf8")).toMatch(/2[^\d]*$/);
  });
});
