import { appendFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env["TEST_OUTPUT"];

/** Keeps what a command printed in this process, where a run that looks for leaks asks for it. */
export function noteOutput(part: Buffer): void {
  if (folder !== undefined) appendFileSync(join(folder, `${process.pid}.txt`), part);
}
