import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { PermissionSet } from "../../../../fixtures/traffic/permission-sets.ts";
import type { Outcome } from "../../../support/command.ts";
import type { Row } from "../../../support/rows.ts";
import { hourMs } from "../../../support/remote.ts";
import { newDesk, type Desk } from "../policy/desk.ts";
import { readLines, type Line } from "./company.ts";

/** Two policies on two databases: `ann` belongs to both, `bob` to the readers, `eve` to none. */
export type Team = AsyncDisposable & {
  readonly desk: Desk;
  readonly ann: string;
  readonly eve: string;
  readonly first: string;
  readonly second: string;
  readonly readers: string;
  readonly writers: string;
  /** Attaches a user to a policy, or detaches them, without the command line. */
  readonly belong: (method: "POST" | "DELETE", user: string, policy: string) => Promise<void>;
  readonly ingest: () => Promise<void>;
  /** Runs a verb of `access review`. */
  readonly review: (argv: readonly string[], config?: object) => Promise<Outcome>;
  /** Exports a review into a new folder, and returns that. */
  readonly exported: (config?: object) => Promise<string>;
  /** The plan of an apply. */
  readonly planned: (folder: string, ...argv: string[]) => Promise<Row[]>;
};

export async function newTeam(): Promise<Team> {
  const desk = await newDesk();
  const { clock, home, env } = desk.remote;
  const [first = "", second = ""] = desk.databases;
  const ordinary = desk.access.snapshot().users.filter(({ administrator }) => !administrator);
  const [ann = "", bob = "", eve = ""] = ordinary.map(({ id }) => String(id));
  const readers = await desk.newPolicy(set(query(`${first},${second}`)));
  const writers = await desk.newPolicy(set({ operation: "manage" }, query(first)));
  let folders = 0;
  const belong: Team["belong"] = async (method, user, policy) => {
    const { AUDITLAKE_BASE_URL: url, AUDITLAKE_API_KEY: key } = env();
    clock.nowMs += 60_000;
    const path = `/v4/access_control/users/${user}/policies/${policy}`;
    const answer = await fetch(url + path, { method, headers: { authorization: `SVC1 ${key}` } });
    expect(answer.ok).toBe(true);
  };
  const ingest = async (): Promise<void> => {
    clock.nowMs += hourMs;
    expect(await desk.remote.ingest(["--from", "2d"])).toMatchObject({ code: 0 });
  };
  const review: Team["review"] = (argv, config) => {
    clock.nowMs += 60_000;
    const file = config && home.write("auditlake.json", JSON.stringify(config));
    const common = file === undefined ? [] : ["--config", file];
    const now = (): number => clock.nowMs;
    return home.run([...common, "access", "review", ...argv], { env: env(), now });
  };
  for (const user of [ann, bob]) await belong("POST", user, readers);
  await belong("POST", ann, writers);
  await ingest();
  return {
    desk,
    ann,
    eve,
    first,
    second,
    readers,
    writers,
    belong,
    ingest,
    review,
    exported: async (config) => {
      const folder = join(home.folder, `files-${(folders += 1)}`);
      expect(await review(["export", "--out", folder], config)).toMatchObject({ code: 0 });
      return folder;
    },
    planned: async (folder, ...argv) => {
      const { code, out, err } = await review(["apply", folder, "--format", "ndjson", ...argv]);
      expect(code, err).toBe(0);
      return rowsIn(out);
    },
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
}

export const set = (...entries: object[]): PermissionSet =>
  ({ Databases: entries }) as PermissionSet;
export const query = (ids: string): object => ({ operation: "query", ids });

/** Rows of output as JSON lines. */
export function rowsIn(out: string): Row[] {
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

export const readFile = (folder: string): string => join(folder, readdirSync(folder)[0]!);
export const readAll = (folder: string): Line[] => [...readLines(folder).values()].flat();
export const isOf = (line: Line, policy: string): boolean => line["way"]!.includes(`(${policy})`);

/** The rows with decisions, by one reviewer. */
export function decide(lines: readonly Line[], wordOf: (line: Line) => string): Line[] {
  return lines.map((line) => {
    const decision = wordOf(line);
    return { ...line, decision, reviewer: decision === "" ? "" : "carla" };
  });
}
