import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The outcome of a run of test files: milliseconds of each that was run, and those that failed. */
export type TestRun = {
  readonly isPassed: boolean;
  /** Whether it was ended, since it took too long. */
  readonly isLate: boolean;
  readonly durations: ReadonlyMap<string, number>;
  readonly failed: readonly string[];
};

type Wanted = {
  /** The tree that is tested. */
  readonly root: string;
  /** In this order, each by its path from the root. */
  readonly tests: readonly string[];
  /** Ends at the first test that fails. */
  readonly bail?: boolean;
  readonly limitMs?: number;
  readonly env?: Readonly<Record<string, string>>;
};

type Json = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
};

/** Runs test files, one after the other, with a temporary folder of their own that goes with all they leave. */
export async function runTests({ root, tests, bail, limitMs, env = {} }: Wanted): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), "mutant-"));
  const [list, answer] = ["tests", "answer.json"].map((name) => join(folder, name));
  writeFileSync(list!, tests.join("\n"));
  const args = ["run", "--config", "test/mutants/vitest.config.ts", "--reporter", "json"];
  args.push("--outputFile", answer!, ...(bail === true ? ["--bail", "1"] : []));
  const child = spawn(join("node_modules", ".bin", "vitest"), args, {
    cwd: root,
    env: { ...process.env, TMPDIR: folder, MUTANTS_TESTS: list!, ...env },
    stdio: "ignore",
    detached: true,
  });
  let isLate = false;
  const stop = (): void => void process.kill(-child.pid!, "SIGKILL");
  const timer =
    limitMs === undefined ? undefined : setTimeout(() => ((isLate = true), stop()), limitMs);
  process.once("exit", stop);
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(timer);
  process.off("exit", stop);
  endRest(child.pid!);
  const run = { isPassed: code === 0, isLate, ...answersIn(answer!, root) };
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  return run;
}

// Processes that a test left behind belong to the group of the run.
function endRest(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // None is left.
  }
}

function answersIn(path: string, root: string): Pick<TestRun, "durations" | "failed"> {
  let results: Json["testResults"] = [];
  try {
    results = (JSON.parse(readFileSync(path, "utf8")) as Json).testResults;
  } catch {
    // It ended before it could answer.
  }
  const name = (file: string): string => file.slice(file.indexOf(root) + root.length + 1);
  return {
    durations: new Map(results.map((test) => [name(test.name), test.endTime - test.startTime])),
    failed: results.filter(({ status }) => status === "failed").map((test) => name(test.name)),
  };
}
