import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatLines } from "../../support/home.ts";
import { programPath, spawnCommand } from "../../support/killed.ts";
import { watchOutput } from "../../support/output.ts";
import { type Ended, newHomeInBash, records } from "../../support/home-in-bash.ts";

// What only a separate process shows: modes under the user's umask, broken pipes, missing permissions.

const scene = newHomeInBash();
const { bash } = scene;

describe("a broken pipe", () => {
  it("on standard output ends the command quietly", async () => {
    await scene.home.load(records(20_000));
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

  it("on standard error does not stop an import", async () => {
    const file = scene.home.write("a.ndjson", formatLines(records(3000)));
    const child = spawnCommand(["--home", scene.home.home, "--progress", "json", "import", file]);
    child.stderr!.destroy();
    expect((await once(child, "exit"))[0]).toBe(0);
    expect(await scene.home.count("select count(*) from events")).toBe(3000);
  });
});

describe("an output that cannot be written", () => {
  // The administrator may write anywhere, unless that right is dropped. Becoming another user is not enough: that
  // user may be unable to read a checkout below a folder of the administrator.
  const isRoot = process.getuid?.() === 0;
  const giveUp = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"];

  async function asOther(argv: readonly string[]): Promise<Ended> {
    const [file = "", ...args] = [
      ...(isRoot ? giveUp : []),
      process.execPath,
      programPath,
      ...argv,
    ];
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
    watchOutput(child);
    const parts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].on("data", (part: Buffer) => (parts[name] += String(part)));
    return { status: (await once(child, "close"))[0] as number | null, ...parts };
  }

  it("is named by the report, and the old file stays", async () => {
    const file = scene.home.write("a.ndjson", formatLines(records(5)));
    chmodSync(file, 0o644);
    const at = ["--home", scene.home.home, "--quiet"];
    expect(await asOther([...at, "import", file])).toMatchObject({ status: 0, stderr: "" });
    const folder = join(scene.home.folder, "reports");
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
    chmodSync(scene.home.home, 0o500);
    const { status, stderr } = await asOther([...at, "import", file]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: cannot lock .*readonly database; correct the permissions.*\n$/,
      ),
    ]);
    expect((await asOther([...at, "report", "run", "activity_by_day"])).status).toBe(0);
  });

  it("leaves the old file unchanged if the disk is full", async () => {
    await scene.home.load(records(2000));
    const folder = join(scene.home.folder, "reports");
    mkdirSync(folder);
    for (const format of ["csv", "parquet"]) {
      const path = join(folder, `a.${format}`);
      writeFileSync(path, "old");
      const own = scene.home.write(
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
