import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { resolveHome, type Home } from "../../../pipeline/base/home/layout.ts";
import { ask } from "../children.ts";
import type { RunOrder, RunReport } from "../scheduled-runs-process.ts";

const processFile = fileURLToPath(new URL("../scheduled-runs-process.ts", import.meta.url));

/** A home with a lake beside it, whose command line runs in a process that may be killed. */
export type Sleeper = Disposable & {
  readonly home: Home;
  readonly lake: string;
  /** Rewrites the configuration, with additions to its initial content. */
  readonly configure: (more: object) => void;
  /** Processor time of all runs that ended by themselves. */
  readonly cpuMs: () => number;
  readonly run: (argv: readonly string[], nowMs: number, env?: Env) => Promise<RunReport>;
  /** The same, killed after a share of the duration of the last such run; then repeated to its end. */
  readonly runKilled: (argv: readonly string[], nowMs: number, share: number) => Promise<Killed>;
};

/** How a killed run's repeat ended, and whether the kill came before the run's own end. */
export type Killed = RunReport & { readonly isKilled: boolean };
type Env = Readonly<Record<string, string>>;

/** Makes a home below a folder; `config` has what the configuration says besides the lake, `env` what every run is given. */
export function newSleeper(folder: string, name: string, config: object, env: Env): Sleeper {
  const home = resolveHome(join(folder, name));
  const lake = join(folder, `${name}-lake`);
  const file = join(folder, `${name}.json`);
  const configure = (more: object): void =>
    writeFileSync(file, JSON.stringify({ ...config, ...more, lake: { location: lake } }), {
      mode: 0o600,
    });
  configure({});
  let child: ChildProcess | undefined;
  let cpuMs = 0;
  const lengths = new Map<string, number>();
  const order = (argv: readonly string[], nowMs: number, more: Env): RunOrder => ({
    argv: ["--home", home.root, "--config", file, "--progress", "none", ...argv],
    env: { ...env, ...more },
    nowMs,
  });
  const run: Sleeper["run"] = async (argv, nowMs, more = {}) => {
    child ??= fork(processFile, { execArgv: [] });
    const start = performance.now();
    const report = await ask<RunReport>(child, order(argv, nowMs, more));
    lengths.set(argv[0]!, performance.now() - start);
    cpuMs += report.cpuMs;
    return report;
  };
  const runKilled: Sleeper["runKilled"] = async (argv, nowMs, share) => {
    const length = lengths.get(argv[0]!) ?? 1000;
    child ??= fork(processFile, { execArgv: [] });
    const ended = once(child, "exit");
    const over = ask<RunReport>(child, order(argv, nowMs, {})).then(
      () => true,
      () => false,
    );
    const isOver = await Promise.race([over, wait(share * length, false)]);
    child.kill("SIGKILL");
    await Promise.all([ended, over]);
    child = undefined;
    return { ...(await run(argv, nowMs)), isKilled: !isOver };
  };
  return {
    home,
    lake,
    configure,
    cpuMs: () => cpuMs,
    run,
    runKilled,
    [Symbol.dispose]: () => child?.disconnect(),
  };
}

/** Bytes of all files below a folder. */
export function bytesBelow(folder: string): number {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
