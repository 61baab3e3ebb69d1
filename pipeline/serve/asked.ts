import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
} from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";

/** Who asked what, and when. */
export type Asked = {
  readonly at: string;
  readonly by: string;
  readonly kind: "report" | "events" | "sql";
  readonly what: string;
};

/** The log of questions: one line of JSON each, in the home, for its owner alone. */
export type AskedLog = {
  readonly add: (kind: Asked["kind"], what: string) => void;
  /** The newest statements, each once. */
  readonly statements: (most: number) => string[];
};

/** A log in a file; the folder is made where it is missing. */
export function newAskedLog(path: string, now: () => number): AskedLog {
  const by = userInfo().username;
  return {
    add: (kind, what) => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const entry: Asked = { at: new Date(now()).toISOString(), by, kind, what };
      appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    },
    statements: (most) => {
      const asked = entriesOf(path).filter(({ kind }) => kind === "sql");
      return [...new Set(asked.map(({ what }) => what).toReversed())].slice(0, most);
    },
  };
}

// A line that is cut off, by a full disk or by the beginning of what is read, is passed over.
function entriesOf(path: string): Asked[] {
  if (!existsSync(path)) return [];
  return tailOf(path)
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Asked];
      } catch {
        return [];
      }
    });
}

// The log grows for years.
const maxBytes = 1_000_000;

function tailOf(path: string): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, maxBytes));
    readSync(file, tail, 0, tail.length, size - tail.length);
    return tail.toString("utf8");
  } finally {
    closeSync(file);
  }
}
