import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatLines } from "../../support/home.ts";
import { programPath, spawnCommand } from "../../support/killed.ts";
import { newHomeInBash, records } from "../../support/home-in-bash.ts";

// What only a process of its own shows: modes under the user's umask, broken pipes, missing rights.

const scene = newHomeInBash();
const { bash } = scene;

function modes(folder: string): Record<string, string> {
  const names = ["", ...readdirSync(folder, { recursive: true }).map(String)];
  return Object.fromEntries(
    names.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );
}

it("files and folders are readable by their owner only, under any umask", () => {
  const file = scene.home.write("a.ndjson", formatLines(records(10)));
  expect(bash(`umask 000; exec "$0" "$@"`, "import", file).status).toBe(0);
  const found = modes(scene.home.home);
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
        statSync(join(scene.home.home, name)).isDirectory() ? "700" : "600",
      ]);
  const out = join(scene.home.folder, "out");
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

describe("a home with the wrong mode", () => {
  it("that others may write to is refused, and one that others may read causes a warning", async () => {
    await scene.home.load(records(1));
    for (const mode of [0o770, 0o702]) {
      chmodSync(scene.home.home, mode);
      for (const argv of [
        ["import", scene.home.write("b.ndjson", "{}\n")],
        ["rebuild"],
        ["publish"],
      ]) {
        const { code, err } = await scene.home.run(argv);
        expect([code, err]).toEqual([
          2,
          expect.stringMatching(/^error: home .* others may write to it; run chmod 700 on it\n$/),
        ]);
      }
    }
    chmodSync(scene.home.home, 0o755);
    expect((await scene.home.run(["publish"])).err).toMatch(
      /^warning: home .* mode 755, expected 700: others may read it; run chmod 700 on it$/m,
    );
    expect((await scene.home.run(["publish", "--quiet"])).err).toBe("");
  });

  it("that is a file, or lies in one, is refused", async () => {
    writeFileSync(scene.home.home, "");
    const argv = ["import", scene.home.write("r.ndjson", '{"time":1}\n')];
    const inside = await scene.home.run(["--home", join(scene.home.home, "x"), ...argv]);
    expect([inside.code, inside.err]).toEqual([
      2,
      expect.stringMatching(/^error: home .* is below a file, expected a folder; choose another/),
    ]);
    const file = await scene.home.run(["publish"]);
    expect([file.code, file.err]).toEqual([
      2,
      expect.stringMatching(
        /^error: home .* is a file, expected a folder; choose one with --home\n$/,
      ),
    ]);
  });
});

describe("a pipe that breaks", () => {
  it("or a full disk behind standard output is reported", async () => {
    await scene.home.load(records(1));
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
    await scene.home.load(records(1));
    const child = spawn(process.execPath, [programPath, "--home", scene.home.home, "sql"]);
    let printed = "";
    child.stderr.on("data", (part: Buffer) => (printed += String(part)));
    // More than a pipe holds: once all of it went in, the process is reading, and waits for more.
    await new Promise((written) => child.stdin.write(`select ${" ".repeat(300_000)}`, written));
    expect(child.exitCode).toBe(null);
    child.kill(name);
    expect(await once(child, "exit", { signal: AbortSignal.timeout(20_000) })).toEqual([130, null]);
    expect(printed).toBe("interrupted\n");
  },
);

it("the key is not visible in the command line of a process", async () => {
  const child = spawnCommand(["--home", scene.home.home, "ingest"], {
    AUDITLAKE_API_KEY: "CANARY-key",
    AUDITLAKE_BASE_URL: "http://127.0.0.1:9",
  });
  const line = execFileSync("cat", [`/proc/${child.pid}/cmdline`], { encoding: "utf8" });
  expect(line).toContain("ingest");
  expect(line).not.toContain("CANARY");
  child.kill("SIGKILL");
  await once(child, "exit");
});
