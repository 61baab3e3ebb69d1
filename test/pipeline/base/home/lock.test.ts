import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { lockState, takeLock } from "../../../../pipeline/base/home/lock.ts";
import { temporaryFolder } from "../../../support/load.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "run.lock");
});
afterEach(() => folder.remove());

const holder = (more: object): string =>
  JSON.stringify({
    pid: process.pid,
    host: hostname(),
    started: null,
    command: "ingest",
    since: "2026-01-01T00:00:00.000Z",
    ...more,
  });

it("a lock that cannot be created is reported with what to fix", () => {
  const below = join(path, "run.lock");
  const missing =
    /^cannot write .*run\.lock\.sqlite: ENOENT.*; free space or correct the permissions, then/;
  expect(() => takeLock(below, "ingest", 0)).toThrow(missing);
});

it("a lock is held by one run at a time until it is released", () => {
  {
    using _lock = takeLock(path, "ingest", Date.UTC(2026, 0, 1));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => takeLock(path, "import", 0)).toThrow(
      `locked: auditlake ingest (process ${process.pid} on ${hostname()}) has been running since 2026-01-01T00:00:00.000Z; wait for it or stop it`,
    );
    expect(existsSync(path)).toBe(true);
  }
  expect(existsSync(path)).toBe(false);
  takeLock(path, "import", 0)[Symbol.dispose]();
});

it("a lock is taken over from a dead process", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  writeFileSync(path, holder({ pid: child.pid }));
  using _lock = takeLock(path, "import", 0);
  expect(readFileSync(path, "utf8")).toContain('"command":"import"');
});

it("a lock is taken over if another process has the number by now", () => {
  writeFileSync(path, holder({ started: "1" }));
  using _lock = takeLock(path, "import", 0);
  expect(readFileSync(path, "utf8")).toContain('"command":"import"');
});

it("a lock is taken by one of many simultaneous processes, regardless of a killed one", async () => {
  writeFileSync(path, holder({ started: "1" }));
  const module = new URL("../../../../pipeline/base/home/lock.ts", import.meta.url).href;
  const script = `
    import { lockState, takeLock } from ${JSON.stringify(module)};
    try { takeLock(${JSON.stringify(path)}, "ingest", 0); console.log("taken"); for await (const _ of process.stdin); }
    catch { console.log("locked"); }`;
  const children = Array.from({ length: 5 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const printed = await Promise.all(
    children.map(async ({ stdout }) => String((await once(stdout, "data"))[0]).trim()),
  );
  for (const child of children) child.stdin.end();
  expect(printed.sort()).toEqual(["locked", "locked", "locked", "locked", "taken"]);
  await Promise.all(children.map(async (child) => child.exitCode ?? once(child, "exit")));
  expect(readdirSync(folder.path)).toEqual(["run.lock", "run.lock.sqlite"]);
});

it("a lock signed on another machine is void if it is not taken, as after a killed container", () => {
  writeFileSync(path, holder({ host: "elsewhere", pid: 1 }));
  using _lock = takeLock(path, "import", 0);
  expect(readFileSync(path, "utf8")).toContain('"command":"import"');
});

it("a lock of another machine is named while it is taken", () => {
  using _lock = takeLock(path, "ingest", 0);
  writeFileSync(path, holder({ host: "elsewhere", pid: 1 }));
  expect(() => takeLock(path, "import", 0)).toThrow(/on elsewhere\) has been running/);
});

it("a lock is checked with the operating system, regardless of its signature", () => {
  expect(lockState(path)).toEqual({ state: "free" });
  writeFileSync(path, holder({ host: "elsewhere", pid: 1 }));
  expect(lockState(path)).toEqual({ state: "void" });
  takeLock(path, "import", 0)[Symbol.dispose]();
  expect(lockState(path)).toEqual({ state: "free" });
  writeFileSync(path, holder({ host: "elsewhere", pid: 1 }));
  expect(lockState(path)).toEqual({ state: "void" });
  using _lock = takeLock(path, "import", 0);
  expect(lockState(path)).toMatchObject({ state: "held", by: { command: "import" } });
  writeFileSync(path, holder({ host: "elsewhere", pid: 1 }));
  expect(lockState(path)).toMatchObject({ state: "held", by: { command: "ingest" } });
  rmSync(path);
  expect(lockState(path)).toEqual({ state: "held", by: undefined });
  // Checking a lock does not release the one that this process holds.
  expect(lockState(path)).toEqual({ state: "held", by: undefined });
});

it("a lock is taken each time, even if many processes check it meanwhile", async () => {
  takeLock(path, "import", 0)[Symbol.dispose]();
  const module = new URL("../../../../pipeline/base/home/lock.ts", import.meta.url).href;
  const script = `
    import { lockState } from ${JSON.stringify(module)};
    console.log("looking");
    for (;;) lockState(${JSON.stringify(path)});`;
  const lookers = [1, 2].map(() => spawn(process.execPath, ["--input-type=module", "-e", script]));
  await Promise.all(lookers.map(({ stdout }) => once(stdout, "data")));
  for (let n = 0; n < 300; n++) {
    // As a killed container leaves it, which cannot be looked up here.
    writeFileSync(path, holder({ host: "elsewhere", pid: 1 }));
    takeLock(path, "import", 0)[Symbol.dispose]();
  }
  for (const looker of lookers) looker.kill();
});

it("a lock of a dead process is void although its parent has not waited for it", async () => {
  // The shell becomes one that never waits for its child, which ends only then.
  const script = "cat <&3 & echo $!; exec sleep 60";
  const parent = spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore", "pipe"] });
  const [printed] = (await once(parent.stdout!, "data")) as [Buffer];
  const pid = Number(String(printed));
  const isAsleep = (): boolean => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n";
  await vi.waitUntil(isAsleep, { timeout: 20_000 });
  parent.stdio[3]!.destroy();
  const hasEnded = (): boolean => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  await vi.waitUntil(hasEnded, { timeout: 20_000 });
  const started = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[21];
  writeFileSync(path, holder({ pid, started }));
  expect(lockState(path)).toEqual({ state: "void" });
  takeLock(path, "import", 0)[Symbol.dispose]();
  // Another process has started and not signed yet.
  writeFileSync(path, holder({ pid, started }));
  using hold = new DatabaseSync(`${path}.sqlite`);
  hold.exec("begin exclusive");
  expect(lockState(path)).toEqual({ state: "held", by: undefined });
  parent.kill();
});

it("a lock can be taken at once when its holder is killed", async () => {
  const module = new URL("../../../../pipeline/base/home/lock.ts", import.meta.url).href;
  const script = `
    import { lockState, takeLock } from ${JSON.stringify(module)};
    using lock = takeLock(${JSON.stringify(path)}, "ingest", 0);
    console.log("taken");
    await new Promise((resolve) => setTimeout(resolve, 60_000));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  await once(child.stdout, "data");
  expect(() => takeLock(path, "import", 0)).toThrow(`(process ${child.pid} on `);
  expect(lockState(path)).toMatchObject({ state: "held", by: { command: "ingest" } });
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(lockState(path)).toEqual({ state: "void" });
  takeLock(path, "import", 0)[Symbol.dispose]();
});

it.each(["", "{", "[]", '{"pid":"x"}'])("a lock with the content %j is void", (content) => {
  writeFileSync(path, content);
  using _lock = takeLock(path, "import", 0);
  expect(readFileSync(path, "utf8")).toContain('"command":"import"');
});
