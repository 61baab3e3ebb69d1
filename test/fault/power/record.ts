import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnv } from "../../support/child-env.ts";
import { newCompileCache } from "../../support/compile-cache.ts";
import { programPath } from "../../support/killed.ts";
import { watchOutput } from "../../support/output.ts";
import { buildDescriptor, readMoments, type Moment } from "./calls.ts";
import { recorded } from "./replay.ts";

// Starting is half of a short run: what Node has compiled once is kept for the next.
const compiled = newCompileCache();

/** A completed process: what it did with files, and when it printed its last line. */
export type Recording = { readonly moments: readonly Moment[]; readonly printed: number };

/** Throws where the tracer is missing, saying how to get it. */
export function needTracer(): void {
  if (spawnSync("strace", ["-V"]).status === 0) return;
  throw new Error(
    "strace is missing, and without it no write can be recorded: install it, on Debian and Ubuntu by apt-get install -y strace",
  );
}

/** Runs the command line to its end and records what it does below a folder; throws where it fails. */
export function recordCli(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  watched: string,
): Promise<Recording> {
  return record([programPath, ...argv], env, watched);
}

/** Runs a program of Node to its end and records what it does below a folder; throws where it fails. */
export async function record(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  watched: string,
): Promise<Recording> {
  needTracer();
  const folder = mkdtempSync(join(tmpdir(), "auditlake-trace-"));
  try {
    const trace = join(folder, "trace");
    const options = ["-f", "-y", "-xx", "-s", "268435456", "-e", "signal=none"];
    // Which threads are of one process shows where they are made.
    const calls = [
      "-e",
      `trace=${recorded},clone,clone3,io_uring_setup`,
      "--seccomp-bpf",
      "-o",
      trace,
    ];
    // Operations of a ring shared with the system appear in no call: the system has none.
    const noRing = ["-e", "inject=io_uring_setup:error=ENOSYS"];
    const command = [...options, ...calls, ...noRing, "--", process.execPath, ...argv];
    const child = spawn("strace", command, {
      env: childEnv({ NODE_COMPILE_CACHE: compiled, ...env }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.resume();
    watchOutput(child);
    let err = "";
    child.stderr.on("data", (part: Buffer) => (err += String(part)));
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`${argv.join(" ")} under strace ended with ${code}: ${err}`);
    const moments = readMoments(readFileSync(trace, "latin1"), watched);
    return { moments, printed: moments.findLastIndex(isSaid) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isSaid({ call, at }: Moment): boolean {
  const isWrite = at === "end" && call.name.startsWith("write");
  return isWrite && [1, 2].includes(buildDescriptor(call.args[0]!).fd);
}
