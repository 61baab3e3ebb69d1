import { run } from "../support/command.ts";

// A process that runs the command line day after day, each at the given moment. It is the same for the whole year, so
// that leaks add up.

export type RunOrder = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly nowMs: number;
};

export type RunReport = {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Processor time of all threads. */
  readonly cpuMs: number;
  readonly residentMb: number;
};

process.on("message", (order: RunOrder) => {
  void runScheduled(order).then((report) => process.send?.(report));
});
process.on("disconnect", () => process.exit(0));

async function runScheduled({ argv, env, nowMs }: RunOrder): Promise<RunReport> {
  const before = process.cpuUsage();
  const { code, out, err } = await run(argv, { env, now: () => nowMs });
  const { user, system } = process.cpuUsage(before);
  // Collected first, so that garbage does not count.
  globalThis.gc?.();
  const residentMb = process.memoryUsage.rss() / 1e6;
  return { code, out, err, cpuMs: (user + system) / 1000, residentMb };
}
