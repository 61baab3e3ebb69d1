import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** Wall seconds and peak resident memory of a process. */
export type Measured = {
  readonly seconds: number;
  readonly peakMb: number;
  readonly stderr: string;
};

/** Runs `node` with the arguments to its end; throws with its error output when it fails. */
export async function measure(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Measured> {
  const start = performance.now();
  const child = spawn(process.execPath, argv, { env, stdio: ["ignore", "ignore", "pipe"] });
  const parts: Buffer[] = [];
  child.stderr.on("data", (part: Buffer) => parts.push(part));
  let peakKb = 0;
  const poll = setInterval(() => (peakKb = Math.max(peakKb, highWaterKb(child.pid))), 20);
  const code = await new Promise<number | null>((done) => child.on("close", done));
  clearInterval(poll);
  const stderr = Buffer.concat(parts).toString("utf8");
  if (code !== 0) throw new Error(`node ${argv.join(" ")} ended with ${code}: ${stderr}`);
  return { seconds: (performance.now() - start) / 1000, peakMb: peakKb / 1024, stderr };
}

// The kernel keeps the highest resident size of a process; only Linux shows it this way.
function highWaterKb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

export const dayMs = 86_400_000;

/** Processor seconds that this process has taken, the emulated service among them. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The middle one by seconds. */
export function median(all: readonly Measured[]): Measured {
  return all.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(all.length / 2)]!;
}
