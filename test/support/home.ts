import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { World } from "../../pipeline/base/world.ts";
import { type Outcome, run as runIn } from "./command.ts";
import { putWarehouse } from "./empty-warehouse.ts";
import { temporaryFolder } from "./load.ts";
import { type Row, queryRows } from "./rows.ts";

/** A home of its own that a test works on through the command line; `using` removes it. */
export type TestHome = Disposable & {
  /** Folder of the test's files; contains the home. */
  readonly folder: string;
  readonly home: string;
  /** Writes a file of the test and returns its path. */
  readonly write: (name: string, content: string | Buffer) => string;
  /** Runs a verb on the home. */
  readonly run: (argv: readonly string[], world?: Partial<World>) => Promise<Outcome>;
  /**
   * Imports records from a separate file, one per line; text is written unchanged. The first time, the home gets an
   * empty database before.
   */
  readonly load: (records: readonly unknown[], world?: Partial<World>) => Promise<Outcome>;
  /** Rows of the published file; 64-bit numbers and times come as text. */
  readonly rows: (sql: string) => Promise<Row[]>;
  /** The only value of the only row, as a number. */
  readonly count: (sql: string) => Promise<number>;
};

/** A new empty home, below a path of its folder where one is given; nothing of it exists yet. */
export function newHome(below = ""): TestHome {
  const { path, remove } = temporaryFolder();
  const folder = join(path, below);
  const home = join(folder, "home");
  let files = 0;
  const write = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    // As secrets should be written.
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const run = (argv: readonly string[], world: Partial<World> = {}): Promise<Outcome> =>
    // Without progress: a slow machine would show lines of it that a fast one does not. As a flag, commands in messages
    // would name the home.
    runIn(["--progress", "none", ...argv], {
      ...world,
      env: { AUDITLAKE_HOME: home, ...world.env },
    });
  const rows = (sql: string): Promise<Row[]> => queryRows(home, sql);
  return {
    folder,
    home,
    write,
    run,
    rows,
    load: async (records, world) => {
      if (!existsSync(home)) await putWarehouse(home);
      return run(["import", write(`records-${(files += 1)}.ndjson`, formatLines(records))], world);
    },
    count: async (sql) => Number(Object.values((await rows(sql))[0]!)[0]),
    [Symbol.dispose]: remove,
  };
}

/** A new home with a database that holds nothing yet. */
export async function homeWithWarehouse(): Promise<TestHome> {
  const home = newHome();
  await putWarehouse(home.home);
  return home;
}

/** A home of its own with the same content, for a test that changes it. */
export function readCopy(original: Pick<TestHome, "home">): TestHome {
  const copy = newHome();
  cpSync(original.home, copy.home, { recursive: true });
  chmodSync(copy.home, 0o700);
  return copy;
}

/** Records one per line. */
export function formatLines(records: readonly unknown[]): string {
  return records
    .map((record) => `${typeof record === "string" ? record : JSON.stringify(record)}\n`)
    .join("");
}
