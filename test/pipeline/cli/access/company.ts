import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "csv-parse/sync";
import { expect } from "vitest";
import { listRights, type AccessSnapshot } from "../../../../fixtures/access/snapshot.ts";
import type { Outcome } from "../../../support/command.ts";
import type { Row } from "../../../support/rows.ts";
import { hourMs } from "../../../support/remote.ts";
import { newDesk, type Desk } from "../policy/desk.ts";

/** A row of a review, by the names of the columns. */
export type Line = Record<string, string>;

/** The company of the demo, with all its permissions in the log, and a review of it. */
export type Company = AsyncDisposable & {
  readonly desk: Desk;
  readonly run: (...argv: string[]) => Promise<Outcome>;
  readonly ingest: () => Promise<void>;
  /** Exports a review into a new folder, and returns that. */
  readonly exported: (...argv: string[]) => Promise<string>;
  /** Names of the databases that the log names. */
  readonly databases: ReadonlyMap<string, string>;
  /** Does what a step says for some rows of a review, by the operation that it names. */
  readonly byHand: (step: Row, lines: readonly Line[]) => Promise<void>;
};

/** A company whose rights the account owner gave an hour before. */
export async function newCompany(seed = 1): Promise<Company> {
  const foundedAt = Date.parse("2026-03-04T11:00:00Z");
  const desk = await newDesk({ standing: true, foundedAt, seed });
  const { remote } = desk;
  let folders = 0;
  const run = (...argv: string[]): Promise<Outcome> => {
    remote.clock.nowMs += 60_000;
    const now = (): number => remote.clock.nowMs;
    return remote.home.run(["access", "review", ...argv], { env: remote.env(), now });
  };
  const ingest = async (): Promise<void> => {
    remote.clock.nowMs += hourMs;
    expect(await remote.ingest(["--from", "2d"])).toMatchObject({ code: 0 });
  };
  await ingest();
  const named = await remote.home.rows("select database_id, database_name from databases");
  const company: Company = {
    desk,
    databases: new Map(
      named.map((row) => [String(row["database_id"]), String(row["database_name"])]),
    ),
    run,
    ingest,
    exported: async (...argv) => {
      const folder = join(remote.home.folder, `review-${(folders += 1)}`);
      expect(await run("export", "--out", folder, ...argv)).toMatchObject({ code: 0 });
      return folder;
    },
    byHand: (step, lines) => doStep(company, step, lines),
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  };
  return company;
}

/** All rows of the files of a review, by their names. */
export function readLines(folder: string): Map<string, Line[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith(".csv"));
  return new Map(
    files.map((name) => [
      name,
      parse(readFileSync(join(folder, name)), { columns: true, bom: true }) as Line[],
    ]),
  );
}

/** Writes decisions into the files, as a spreadsheet of another country saves them. */
export function decide(
  folder: string,
  wordOf: (line: Line) => string,
  more: (line: Line) => Line = (line) => line,
): void {
  for (const [name, lines] of readLines(folder)) {
    const decided = lines.map((line) => {
      const decision = wordOf(line);
      return more({ ...line, decision, reviewer: decision === "" ? "" : "carla@example.com" });
    });
    writeSheet(join(folder, name), decided.reverse());
  }
}

/** A file with a mark in front, semicolons, columns the other way round. */
export function writeSheet(path: string, lines: readonly Line[]): void {
  const names = Object.keys(lines[0]!).reverse();
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const rows = [names, ...lines.map((line) => names.map((name) => line[name]!))];
  const text = rows.map((row) => `${row.map(cell).join(";")}\r\n`).join("");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `\uFEFF${text}`);
  expect(basename(path)).toMatch(/\.csv$/);
}

type Right = ReturnType<typeof listRights>[number];
type Words = (right: Omit<Right, "subject_kind" | "subject_id" | "by">) => string;

/** All rights as the service itself knows them, in the terms of a review. */
export function heldBy(company: Company): string[] {
  const state = company.desk.access.snapshot();
  const words = listWords(state, company.databases);
  const rights = listRights(state);
  const email = new Map(state.users.map((user) => [String(user.id), user.email]));
  const policies = new Map(state.policies.map(({ id, name }) => [id, name]));
  const held = rights
    .filter(({ subject_kind }) => subject_kind === "user")
    .flatMap((right) => {
      const person = email.get(right.subject_id)!;
      const own = { set: "own set", share: "share", flag: "flag", member: "member" }[right.by];
      if (right.resource_kind !== "Policies") return [[person, words(right), own]];
      return rights
        .filter((one) => one.subject_kind === "policy" && one.subject_id === right.object_id)
        .map((one) => [person, words(one), `policy ${findNamed(policies, right.object_id!)}`]);
    });
  return [...new Set(held.map((parts) => JSON.stringify(parts)))].sort();
}

const findNamed = (names: ReadonlyMap<string, string>, id: string): string =>
  names.has(id) ? `${names.get(id)} (${id})` : id;

function listWords(state: AccessSnapshot, databases: ReadonlyMap<string, string>): Words {
  const roles = new Map(state.roles.map(({ id, name }) => [id, name]));
  return ({ resource_kind: kind, operation, object_id: id, object_name: name }) => {
    const what = operation.replaceAll("_", " ");
    if (kind === "Account") return `${what} of the account`;
    if (kind === "Roles") return `role ${findNamed(roles, id!)}`;
    const object = id === null ? name : name === null ? id : `${name} (${id})`;
    if (kind !== "Databases") return `${kind} ${what}${object === null ? "" : ` ${object}`}`;
    if (id !== null) return `${what} on ${findNamed(databases, id)}`;
    const reach = { manage: " on every database", owner_manage: " on own databases" }[operation];
    return what + (reach ?? ", databases not shown");
  };
}

async function doStep(company: Company, step: Row, lines: readonly Line[]): Promise<void> {
  const { desk } = company;
  const rows = String(step["rows"]).split(" ");
  const own = lines.filter((line) => rows.includes(line["row"]!));
  const [method = "", path = ""] = String(step["operation"]).split(" ");
  const { AUDITLAKE_BASE_URL: url, AUDITLAKE_API_KEY: key } = desk.remote.env();
  desk.remote.clock.nowMs += 60_000;
  const [target, body] = readBody(company, path, own);
  const headers = { authorization: `SVC1 ${key}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(url + target, { method, headers, ...sent });
  expect(answer.ok, `${method} ${target}: ${await answer.text()}`).toBe(true);
}

// The reference shows paths alone; the bodies are those of the emulated service.
function readBody(company: Company, path: string, own: readonly Line[]): [string, unknown?] {
  const state = company.desk.access.snapshot();
  const words = listWords(state, company.databases);
  const lost = new Set(own.map((line) => line["right"]!));
  const user = state.users.find(({ email }) => email === own[0]!["person"])!;
  const [, id = ""] = /\/(?:users|policies|databases)\/(\d+)/.exec(path) ?? [];
  if (path === "/v4/roles") {
    const role = state.roles.find((one) => lost.has(`role ${one.name} (${one.id})`))!;
    return [`${path}?id=${role.id}&user_id=${user.id}`];
  }
  if (path.startsWith("/databases/")) {
    const share = state.shares.find((one) => one.database_id === id && one.user_id === user.id)!;
    const right = { resource_kind: "Databases", object_id: id, object_name: null };
    const operations = share.operations.filter(
      (operation) => !lost.has(words({ ...right, operation })),
    );
    return [path, { user_id: user.id, operations }];
  }
  if (path.startsWith("/v4/users/")) return [path, { administrator: false }];
  if (path.endsWith("/permissions")) {
    const policy = state.policies.find((one) => one.id === id);
    const set =
      policy === undefined || path.includes("/users/") ? user.permissions : policy.permissions;
    return [path, without(set, (right) => lost.has(words(right)))];
  }
  return [path];
}

type PermissionSet = AccessSnapshot["users"][number]["permissions"];

function without(set: PermissionSet, isLost: (right: Parameters<Words>[0]) => boolean): object {
  const kinds = Object.entries(set).map(([kind, entries]) => {
    const rest = entries.flatMap((entry) => {
      const right = {
        resource_kind: kind,
        operation: entry.operation,
        object_name: entry.name ?? null,
      };
      if (entry.ids === undefined)
        return isLost({ ...right, object_id: entry.id ?? null }) ? [] : [entry];
      const ids = entry.ids.split(",").filter((id) => !isLost({ ...right, object_id: id }));
      return ids.length === 0 ? [] : [{ ...entry, ids: ids.join(",") }];
    });
    return [kind, rest];
  });
  return Object.fromEntries(kinds);
}
