import { createInterface } from "node:readline";
import { AuditlakeError, exitCode } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";

/** Asks on a terminal; `using` gives its lines free. */
export type Dialog = Disposable & {
  /** The line that was answered, blanks around it left out; throws where the input ends or at Ctrl-C. */
  readonly ask: (question: string) => Promise<string>;
  readonly print: (line: string) => void;
};

/** A dialog on standard input and standard error, so that standard output stays for data. */
export function newDialog(world: World): Dialog {
  // Reading lines as they are leaves Ctrl-C to the terminal, which makes a signal of it.
  const reader = createInterface({ input: world.stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const print = (line: string): void => void world.stderr.write(`${line}\n`);
  const stop = (): void => reader.close();
  world.signal.addEventListener("abort", stop, { once: true });
  return {
    print,
    ask: async (question) => {
      world.stderr.write(`${question}: `);
      if (!world.signal.aborted) {
        const { done, value } = await lines.next();
        if (done !== true) return value.trim();
      }
      // Nobody ended the line of the question.
      print("");
      const code = world.signal.aborted ? exitCode.interrupted : exitCode.usage;
      throw new AuditlakeError("the questions were not answered; nothing was written", code);
    },
    [Symbol.dispose]: () => {
      world.signal.removeEventListener("abort", stop);
      reader.close();
    },
  };
}
