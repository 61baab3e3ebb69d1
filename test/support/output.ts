import type { ChildProcess } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env["TEST_OUTPUT"];

/** Keeps what a command printed, where a run that looks for leaks asks for it. */
export function noteOutput(part: Buffer | string): void {
  if (folder !== undefined) appendFileSync(join(folder, `${process.pid}.txt`), part);
}

/** Keeps what a process prints to its pipes, where a run that looks for leaks asks for it. */
export function watchOutput({ stdout, stderr }: ChildProcess): void {
  if (folder === undefined) return;
  for (const pipe of [stdout, stderr]) pipe?.on("data", noteOutput);
}
