import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { age, counting, newOutputs } from "../../pipeline/base/home/outputs.ts";
import { spawnCommand } from "../../support/killed.ts";

// What a process that was killed with SIGKILL while it wrote output leaves beside the files it was to become.

// A delivery has all its rows before it writes the first: they end, but not soon.
const long = { "report run": counting(4_000_000_000), export: counting(2_000_000) } as const;

const outputs = newOutputs();
const { queries } = outputs;
const verbs = {
  "report run": (folder: string) => ["report", "run", "--out", join(folder, "count.csv")],
  export: () => ["export", "--to", "lake"],
} as const;
const folders = { "report run": "reports", export: "lake" } as const;
const fullArgv = (verb: keyof typeof verbs): string[] => {
  const argv = verbs[verb](join(outputs.home.folder, folders[verb]));
  return [...outputs.common, ...argv, "--queries", queries(), "count"];
};

const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const drafts = (folder: string): string[] => names(folder).filter((name) => name.endsWith(".tmp"));

function bytesBelow(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}

/** Runs the long report in a process of its own until rows are in its draft, then kills that. */
async function kill(verb: keyof typeof verbs, folder: string): Promise<ChildProcess> {
  outputs.home.write("queries/count.sql", long[verb]);
  const child = spawnCommand(["--home", outputs.home.home, ...fullArgv(verb)]);
  child.stderr!.resume();
  try {
    const hasRows = (): boolean =>
      drafts(folder).some((name) => bytesBelow(join(folder, name)) > 0);
    await expect.poll(hasRows, { timeout: 120_000 }).toBe(true);
  } finally {
    child.kill("SIGKILL");
  }
  if (child.signalCode === null) await once(child, "exit");
  return child;
}

describe.each(["report run", "export"] as const)("%s that was killed", (verb) => {
  it("leaves a temporary file, which the next output a day later removes", async () => {
    const folder = join(outputs.home.folder, folders[verb]);
    mkdirSync(folder, { recursive: true });
    const { pid } = await kill(verb, folder);
    const [left, ...more] = drafts(folder);
    expect([left, more]).toEqual([`.auditlake-${pid}-0.tmp`, []]);
    outputs.home.write("queries/count.sql", counting(3));
    // The delivery that was started is left for another.
    const restart = verb === "export" ? ["--new"] : [];
    expect((await outputs.home.run([...fullArgv(verb), ...restart])).code).toBe(0);
    // A process that cannot be seen from here may still write to it.
    expect(drafts(folder)).toEqual([left]);
    age(join(folder, left!), 25);
    expect((await outputs.home.run(fullArgv(verb))).code).toBe(0);
    expect(drafts(folder)).toEqual([]);
    const [file, ...others] = names(folder);
    expect(others).toEqual([]);
    expect(readFileSync(join(folder, file!), "utf8")).toMatch(/2[^\d]*$/);
  });
});
