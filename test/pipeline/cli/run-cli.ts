import { Readable } from "node:stream";
import { run } from "../../support/command.ts";

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
export async function runCli(
  argv: readonly string[],
  { stdin, now, signal, ...given }: Given = {},
): Promise<Outcome> {
  const { code, out, err } = await run(argv, {
    ...given,
    ...(signal === undefined ? {} : { signal }),
    ...(now === undefined ? {} : { now: () => Date.parse(now) }),
    stdin: Object.assign(Readable.from(stdin === undefined ? [] : [stdin]), {
      isTTY: stdin === undefined,
    }),
  });
  return { code, stdout: out, stderr: err };
}
