import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { failureLine } from "../../../support/failure.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

// Who besides the owner reads the published file: the group that readers_group names.

const groups = new Map(
  readFileSync("/etc/group", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name = "", , id]) => [Number(id), name] as const),
);

/** A group that this user may give files to, and that new files do not have by themselves where that can be. */
function otherGroup(): readonly [id: number, name: string] {
  const own = process.getgroups!().filter((id) => id !== process.getgid!());
  const wanted = process.getuid!() === 0 ? [...groups.keys()].filter((id) => id > 0) : own;
  const id = wanted.find((each) => groups.has(each)) ?? process.getgid!();
  return [id, groups.get(id)!];
}

const record = { time: 1_767_225_600, event_name: "job_kill", id: "a" };
const permissions = (path: string): string => (statSync(path).mode & 0o777).toString(8);

async function load(home: TestHome, config: object, id: string): Promise<string> {
  const file = home.write("auditlake.json", JSON.stringify(config));
  const records = home.write(`${id}.ndjson`, JSON.stringify({ ...record, id }));
  const { code, err } = await home.run(["--config", file, "import", records]);
  expect([code, code === 0 ? "" : err]).toEqual([0, ""]);
  return err;
}

test("readers_group lets its members read the published file, and nothing else of the home", async () => {
  using home = newHome();
  const [id, name] = otherGroup();
  const published = join(home.home, "audit.duckdb");
  await load(home, {}, "a");
  expect([permissions(home.home), permissions(published)]).toEqual(["700", "440"]);
  for (const next of ["b", "c"]) {
    await load(home, { readers_group: name }, next);
    expect([permissions(home.home), statSync(home.home).gid]).toEqual(["710", id]);
    expect([permissions(published), statSync(published).gid]).toEqual(["440", id]);
  }
  const others = readdirSync(home.home).filter((path) => path !== "audit.duckdb");
  for (const path of others) expect(statSync(join(home.home, path)).mode & 0o077, path).toBe(0);
  readAs(home, id);
  expect(await load(home, {}, "d")).toMatch(/has mode 710, expected 700/);
});

// Another user of the group, where the test may become one.
function readAs(home: TestHome, group: number): void {
  if (process.getuid!() !== 0) return;
  for (let above = home.folder; above !== "/dev/shm" && above !== "/"; above = dirname(above))
    if (permissions(above) === "700") chmodSync(above, 0o711);
  const as = (program: string, path: string, gid: number): number | null =>
    spawnSync(program, [path], { uid: 4711, gid, stdio: "ignore" }).status;
  const published = join(home.home, "audit.duckdb");
  expect(as("cat", published, group)).toBe(0);
  expect(as("cat", published, 4712)).not.toBe(0);
  expect(as("ls", home.home, group)).not.toBe(0);
  expect(as("cat", join(home.home, "warehouse.duckdb"), group)).not.toBe(0);
}

test("a published file from before is given to the group by a run that loads nothing new", async () => {
  using home = newHome();
  const [id, name] = otherGroup();
  await load(home, {}, "a");
  await load(home, { readers_group: name }, "a");
  expect(statSync(join(home.home, "audit.duckdb")).gid).toBe(id);
});

test("a group that does not exist on the machine is refused", async () => {
  using home = newHome();
  const config = home.write("auditlake.json", JSON.stringify({ readers_group: "nosuchgroup" }));
  const outcome = await home.run(["--config", config, "status"]);
  expect(failureLine(outcome, 2, [])).toContain(
    "the group nosuchgroup does not exist on this machine; create it",
  );
});
