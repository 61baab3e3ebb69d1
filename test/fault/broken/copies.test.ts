import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { programPath, spawnCommand } from "../../support/killed.ts";
import { newHome, type TestHome } from "../../support/home.ts";
import { queryRows } from "../../support/rows.ts";
import { projectPath } from "../../docs/pages.ts";
import { fewOrAll } from "../length.ts";

// The commands of docs/keeping.md, unchanged, with folders of the test.

const page = readFileSync(projectPath("docs/keeping.md"), "utf8");
const [copyAll, copyLive, restore] = [...page.matchAll(/```sh\n([^]*?)```/g)].map(
  ([, commands]) => commands!,
);

function shell(commands: string, home: TestHome): number | null {
  const own = commands
    .replaceAll("/srv", join(home.folder, "srv"))
    .replaceAll("/backup", join(home.folder, "backup"))
    .replaceAll("auditlake --home", `${process.execPath} ${programPath} --home`);
  const { status, stderr } = spawnSync("bash", ["-c", own], { encoding: "utf8" });
  if (status === 2) throw new Error(stderr);
  return status;
}

// The home of the page.
function newSite(): TestHome & { readonly site: string } {
  const home = newHome();
  for (const name of ["srv", "backup"]) mkdirSync(join(home.folder, name));
  return { ...home, site: join(home.folder, "srv", "auditlake") };
}

const record = (i: number): string =>
  JSON.stringify({ time: 1767225600 + i, event_name: "job_kill", id: `e${i}` });

function readFile(home: TestHome, part: number): string {
  const lines = Array.from({ length: 500 }, (_, i) => record(part * 500 + i));
  return home.write(`part-${part}.ndjson`, `${lines.join("\n")}\n`);
}

const readKeys = async (folder: string): Promise<string[]> =>
  (await queryRows(folder, "select event_key from events order by 1")).map((row) =>
    String(row["event_key"]),
  );

it("a copy of a home at rest is equal to the home", async () => {
  using home = newSite();
  await home.run(["--home", home.site, "import", readFile(home, 0)]);
  expect(shell(copyAll!, home)).toBe(0);
  const before = await readKeys(home.site);
  rmSync(home.site, { recursive: true });
  renameSync(join(home.folder, "backup", "auditlake"), home.site);
  expect(await readKeys(home.site)).toEqual(before);
  const { err } = await home.run(["--home", home.site, "import", readFile(home, 1)]);
  expect(err).toContain("500 new");
});

it(
  "a copy that is made during runs contains all that was published",
  { timeout: 180_000 },
  async () => {
    using home = newSite();
    const files = [0, 1, 2, 3].map((part) => readFile(home, part));
    await home.run(["--home", home.site, "import", files[0]!]);
    await home.run(["--home", home.site, "prune", "--before", "2026-02-01", "--yes"]);
    const archive = join(home.folder, "backup", "auditlake.tgz");
    const copies: Buffer[] = [];
    for (const file of files.slice(1)) {
      const child = spawnCommand(["--home", home.site, "import", file]);
      const ended = once(child, "exit");
      while (child.exitCode === null) {
        expect([0, 1]).toContain(shell(copyLive!, home));
        copies.push(readFileSync(archive));
        // The end of the child is known after one turn of the event loop.
        await turn();
      }
      expect((await ended)[0]).toBe(0);
    }
    expect(copies.length).toBeGreaterThan(6);
    const most = fewOrAll(2, 6);
    const chosen = copies.filter((_, i) => i % Math.ceil(copies.length / most) === 1);
    for (const copy of chosen) {
      rmSync(home.site, { recursive: true });
      writeFileSync(archive, copy);
      execFileSync("tar", ["-C", join(home.folder, "srv"), "-xzf", archive]);
      const published = await readKeys(home.site);
      rmSync(home.site, { recursive: true });
      expect(shell(restore!, home)).toBe(0);
      const restored = new Set(await readKeys(home.site));
      expect(published.length).toBeGreaterThanOrEqual(500);
      expect(published.filter((key) => !restored.has(key))).toEqual([]);
      for (const file of files)
        expect((await home.run(["--home", home.site, "import", file])).code).toBe(0);
      expect(await readKeys(home.site)).toHaveLength(2000);
    }
  },
);
