import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";

/** The costs of a process: seconds by the clock, processor seconds with those of its children, resident memory. */
export type Measured = {
  readonly seconds: number;
  readonly processorSeconds: number;
  readonly peakMb: number;
  readonly stderr: string;
  /** The same until the watched file was first replaced; undefined where it was not. */
  readonly published?: Pick<Measured, "seconds" | "processorSeconds" | "peakMb">;
};

/**
 * Runs `node` with the arguments to its end; throws with its error output when it fails. `watched` is a file whose first
 * replacement is measured, too.
 */
export function measure(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  watched?: string,
): Promise<Measured> {
  return measureProgram(process.execPath, argv, env, watched);
}

// The shell reports the time of all its children; Node would report its own only.
const timed = '"$@" 3>&-; code=$?; times >&3; exit $code';

/** The same of any program. */
export async function measureProgram(
  program: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  watched?: string,
): Promise<Measured> {
  const before = inodeOf(watched);
  let published: Measured["published"];
  const start = performance.now();
  const child = spawn("sh", ["-c", timed, "sh", program, ...argv], {
    env,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const [errors, times] = [buildText(child.stdio[2]!), buildText(child.stdio[3]!)];
  let peakKb = 0;
  const poll = setInterval(() => {
    const pid = getChild(child.pid);
    peakKb = Math.max(peakKb, highWaterKb(pid));
    if (published !== undefined || inodeOf(watched) === before) return;
    const seconds = (performance.now() - start) / 1000;
    published = { seconds, processorSeconds: processorSecondsOf(pid), peakMb: peakKb / 1024 };
  }, 20);
  const code = await new Promise<number | null>((done) => child.on("close", done));
  clearInterval(poll);
  const stderr = errors();
  if (code !== 0) throw new Error(`${program} ${argv.join(" ")} ended with ${code}: ${stderr}`);
  const seconds = (performance.now() - start) / 1000;
  const whole = { seconds, processorSeconds: secondsIn(times()), peakMb: peakKb / 1024, stderr };
  return published === undefined ? whole : { ...whole, published };
}

function inodeOf(file: string | undefined): number | undefined {
  return file === undefined ? undefined : statSync(file, { throwIfNoEntry: false })?.ino;
}

function buildText(stream: NonNullable<ReturnType<typeof spawn>["stdio"][3]>): () => string {
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  return () => Buffer.concat(parts).toString("utf8");
}

// The second line is that of the children: user and system, such as 0m1.20s 0m0.31s.
function secondsIn(times: string): number {
  const [, children = ""] = times.trim().split("\n");
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

function getChild(pid: number | undefined): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0];
  } catch {
    return undefined;
  }
}

// The kernel keeps the highest resident size of a process; only Linux shows it this way.
function highWaterKb(pid: string | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

// What the kernel counts in hundredths of a second, of the process and of its children that have ended.
function processorSecondsOf(pid: string | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return Number.NaN;
  }
}

/** What a process took until the watched file was first replaced; all where that was not seen. */
export function untilPublished(whole: Measured): Measured {
  return { ...whole, ...whole.published };
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

/** The middle one by seconds of the processor. */
export function medianWork(all: readonly Measured[]): Measured {
  return all.toSorted((a, b) => a.processorSeconds - b.processorSeconds)[all.length >> 1]!;
}
