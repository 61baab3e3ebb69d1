import { Readable, Writable } from "node:stream";
import { main } from "../../../pipeline/cli.ts";
import { realWorld, type World } from "../../../pipeline/world.ts";
import { noteOutput } from "../../support/output.ts";

/** What a command line left behind. */
export type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type Given = {
  /** Text on stdin; without it stdin is a terminal. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Time of the clock. */
  readonly now?: string;
  readonly columns?: number;
  /** Whether stdout is a terminal. */
  readonly isTTY?: boolean;
  readonly signal?: AbortSignal;
};

/** Runs a command line in this process, with streams and a clock of its own. */
export async function runCli(argv: readonly string[], given: Given = {}): Promise<Outcome> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const terminal = {
    ...(given.columns === undefined ? {} : { columns: given.columns }),
    ...(given.isTTY === undefined ? {} : { isTTY: given.isTTY }),
  };
  const world: World = {
    ...realWorld(given.signal ?? new AbortController().signal),
    env: given.env ?? {},
    stdin: Object.assign(Readable.from(given.stdin === undefined ? [] : [given.stdin]), {
      isTTY: given.stdin === undefined,
    }),
    stdout: Object.assign(stdout, terminal),
    stderr,
    ...(given.now === undefined ? {} : { now: () => Date.parse(given.now!) }),
  };
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const code = await main(argv, world);
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    process.exitCode = before;
  }
}

class Collector extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    noteOutput(chunk);
    done();
  }
}
