import { workerData } from "node:worker_threads";

// A thread beside the parsing thread that limits the processor time of each text. The parsing thread cannot check
// itself, so this thread ends it. Wall time is no measure on a busy machine.

/** What both threads see: the processor time at the start of a text, in microseconds; 0 while none is read. */
export type WatchedTime = { readonly started: BigInt64Array; readonly limitMs: number };

const { started, limitMs } = workerData as WatchedTime;
const everyMs = 50;

setInterval(() => {
  const from = Number(Atomics.load(started, 0));
  const { user, system } = process.cpuUsage();
  if (from > 0 && user + system - from > limitMs * 1000) process.kill(process.pid, "SIGKILL");
}, everyMs);
