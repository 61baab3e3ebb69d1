import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { linesOf, newHome, type TestHome } from "../../support/home.ts";
import { binPath, spawnCommand } from "../../support/killed.ts";
import { noteOutput, noteOutputOf } from "../../support/output.ts";

// What only a process of its own shows: modes under the user's umask, pipes that break, rights that lack.

let home: TestHome;
beforeEach(() => void (home = newHome()));
afterEach(() => home[Symbol.dispose]());

const records = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({
    time: 1767225600 + i,
    event_name: "sign_in",
    id: `a-${i}`,
  }));

type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

function bash(script: string, ...args: string[]): Ended {
  const all = [process.execPath, binPath, "--home", home.home, ...args];
  const ended = spawnSync("bash", ["-c", script, ...all], { encoding: "utf8" });
  noteOutput(ended.stdout + ended.stderr);
  return ended;
}

function modes(folder: string): Record<string, string> {
  const names = ["", ...readdirSync(folder, { recursive: true }).map(String)];
  return Object.fromEntries(
    names.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );
}

it("files and folders are their owner's alone, whatever the umask", () => {
  const file = home.write("a.ndjson", linesOf(records(10)));
  expect(bash(`umask 000; exec "$0" "$@"`, "import", file).status).toBe(0);
  const found = modes(home.home);
  expect(found).toMatchObject({
    "": "700",
    landing: "700",
    "warehouse.duckdb": "600",
    "audit.duckdb": "440",
  });
  for (const [name, mode] of Object.entries(found))
    if (name !== "audit.duckdb")
      expect([name, mode]).toEqual([
        name,
        statSync(join(home.home, name)).isDirectory() ? "700" : "600",
      ]);
  const out = join(home.folder, "out");
  expect(
    bash(
      `umask 000; exec "$0" "$@"`,
      "report",
      "run",
      "activity_by_day",
      "busiest_hours",
      "--out",
      out,
    ).status,
  ).toBe(0);
  expect(modes(out)).toEqual({
    "": "700",
    "activity_by_day.csv": "600",
    "busiest_hours.csv": "600",
  });
});

describe("a home of the wrong mode", () => {
  it("that others may write to is refused, that others may read is warned of", async () => {
    await home.load(records(1));
    for (const mode of [0o770, 0o702]) {
      chmodSync(home.home, mode);
      for (const argv of [["import", home.write("b.ndjson", "{}\n")], ["rebuild"], ["publish"]]) {
        const { code, err } = await home.run(argv);
        expect([code, err]).toEqual([
          2,
          expect.stringMatching(/^error: home .* others may write to it; run chmod 700 on it\n$/),
        ]);
      }
    }
    chmodSync(home.home, 0o755);
    expect((await home.run(["publish"])).err).toMatch(
      /^warning: home .* mode 755, expected 700: others may read it; run chmod 700 on it$/m,
    );
    expect((await home.run(["publish", "--quiet"])).err).toBe("");
  });

  it("that is a file, or lies in one, says so", async () => {
    writeFileSync(home.home, "");
    const inside = await home.run(["--home", join(home.home, "x"), "publish"]);
    expect([inside.code, inside.err]).toEqual([
      2,
      expect.stringMatching(/cannot make the home .*choose another with --home/),
    ]);
    const file = await home.run(["publish"]);
    expect([file.code, file.err]).toEqual([
      2,
      expect.stringMatching(/^error: cannot make the home /),
    ]);
  });
});

describe("a pipe that breaks", () => {
  it("on standard output ends the command quietly", async () => {
    await home.load(records(20_000));
    const { status, stderr } = bash(
      `set -o pipefail; "$0" "$@" | head -1 > /dev/null`,
      "--quiet",
      "sql",
      "select * from events",
      "--format",
      "csv",
    );
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("on standard error does not stop a load", async () => {
    const file = home.write("a.ndjson", linesOf(records(3000)));
    const child = spawnCommand(["--home", home.home, "--progress", "json", "import", file]);
    child.stderr!.destroy();
    expect((await once(child, "exit"))[0]).toBe(0);
    expect(await home.count("select count(*) from events")).toBe(3000);
  });

  it("or a disk that is full under standard output is said", async () => {
    await home.load(records(1));
    const { status, stderr } = bash(
      `exec "$0" "$@" > /dev/full`,
      "--quiet",
      "sql",
      "select * from events",
    );
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: cannot write to standard output: ENOSPC/),
    ]);
  });
});

it.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends sql while it waits for its query",
  async (name) => {
    await home.load(records(1));
    const child = spawn(process.execPath, [binPath, "--home", home.home, "sql"]);
    let printed = "";
    child.stderr.on("data", (part: Buffer) => (printed += String(part)));
    child.stdin.write("select");
    // Once it has taken what was written, it waits for more.
    await setTimeout(3000);
    expect(child.exitCode).toBe(null);
    child.kill(name);
    expect(await once(child, "exit", { signal: AbortSignal.timeout(20_000) })).toEqual([130, null]);
    expect(printed).toBe("interrupted\n");
  },
);

describe("the question of prune on a terminal", () => {
  const ctrl = { c: "\u0003", d: "\u0004" };

  // A terminal of its own, at which the keys are typed once the question is there.
  async function typed(keys: string): Promise<{ code: number; shown: string }> {
    await home.load([{ time: 1_700_000_000, event_name: "sign_in", id: "a" }]);
    const command = `"${process.execPath}" "${binPath}" --home "${home.home}" prune --before 2024-01-01`;
    const child = spawn("script", ["-qec", command, "/dev/null"]);
    let shown = "";
    for await (const part of child.stdout) {
      const before = shown;
      shown += String(part);
      if (shown.includes("[y/N]") && !before.includes("[y/N]")) child.stdin.write(keys);
    }
    return { code: child.exitCode ?? ((await once(child, "exit"))[0] as number), shown };
  }

  it.each([
    ["Ctrl-C", ctrl.c, 130, /\[y\/N\] \^C\r\nnothing was removed\r\n$/],
    ["Ctrl-D", ctrl.d, 1, /\r\nerror: nothing was removed\r\n$/],
    ["no", "no\n", 1, /\r\nerror: nothing was removed\r\n$/],
    ["yes", "yes\n", 0, /pruned 1 read, 1 file of pages/],
  ])("ends at %s as it should", async (_key, keys, code, end) => {
    const ended = await typed(keys);
    expect(ended).toEqual({ code, shown: expect.stringMatching(end) });
    expect(readdirSync(join(home.home, "landing", "reads"))).toHaveLength(code === 0 ? 0 : 1);
  });
});

describe("where it may not or cannot write", () => {
  // The administrator may write anywhere, unless that right is given up. To become another user would not do: it may
  // not even read a checkout below a folder of the administrator's own.
  const isRoot = process.getuid?.() === 0;
  const giveUp = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"];

  async function asOther(argv: readonly string[]): Promise<Ended> {
    const [file = "", ...args] = [...(isRoot ? giveUp : []), process.execPath, binPath, ...argv];
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
    noteOutputOf(child);
    const parts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].on("data", (part: Buffer) => (parts[name] += String(part)));
    return { status: (await once(child, "close"))[0] as number | null, ...parts };
  }

  it("a report says which file, and the old one stays", async () => {
    const file = home.write("a.ndjson", linesOf(records(5)));
    chmodSync(file, 0o644);
    const at = ["--home", home.home, "--quiet"];
    expect(await asOther([...at, "import", file])).toMatchObject({ status: 0, stderr: "" });
    const folder = join(home.folder, "reports");
    mkdirSync(folder);
    writeFileSync(join(folder, "a.csv"), "old");
    chmodSync(folder, 0o555);
    for (const argv of [
      ["report", "run", "activity_by_day"],
      ["sql", "select 1"],
    ]) {
      const { status, stderr } = await asOther([...at, ...argv, "--out", join(folder, "a.csv")]);
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^error: .*cannot write .*a\.csv: EACCES: permission denied.*\n$/),
      ]);
    }
    expect(readFileSync(join(folder, "a.csv"), "utf8")).toBe("old");
    chmodSync(home.home, 0o500);
    const { status, stderr } = await asOther([...at, "import", file]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: cannot lock .*readonly database; mend the rights.*\n$/),
    ]);
    expect((await asOther([...at, "report", "run", "activity_by_day"])).status).toBe(0);
  });

  it("a report that the disk has no room for leaves the old one as it was", async () => {
    await home.load(records(2000));
    const folder = join(home.folder, "reports");
    mkdirSync(folder);
    for (const format of ["csv", "parquet"]) {
      const path = join(folder, `a.${format}`);
      writeFileSync(path, "old");
      const own = home.write(
        "queries/all_events.sql",
        "-- title: All?\n-- grain: one row per event\nselect event_key, id from events order by event_key\n",
      );
      const { status, stderr } = bash(
        `ulimit -f 8; exec "$0" "$@"`,
        "--quiet",
        "report",
        "run",
        "all_events",
        "--queries",
        join(own, ".."),
        "--format",
        format,
        "--out",
        path,
      );
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(
          new RegExp(`^error: .*cannot write ${path}: .*file too large.*\\n$`, "i"),
        ),
      ]);
      expect(readFileSync(path, "utf8")).toBe("old");
    }
    expect(readdirSync(folder).sort()).toEqual(["a.csv", "a.parquet"]);
  });
});

it("the key does not show in the command line of a process", async () => {
  const child = spawnCommand(["--home", home.home, "ingest"], {
    AUDITLAKE_API_KEY: "CANARY-key",
    AUDITLAKE_BASE_URL: "http://127.0.0.1:9",
  });
  const line = execFileSync("cat", [`/proc/${child.pid}/cmdline`], { encoding: "utf8" });
  expect(line).toContain("ingest");
  expect(line).not.toContain("CANARY");
  child.kill("SIGKILL");
  await once(child, "exit");
});
