import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { takeLock } from "../../../pipeline/base/home/lock.ts";
import { readCopy, homeWithWarehouse, type TestHome } from "../../support/home.ts";

let home: TestHome;
let moment = Date.parse("2026-03-01T00:00:00Z");

// Homes after their first directory, by its users: a test that begins so gets a copy.
const prepared = new Map<string, TestHome>();
beforeEach(async () => void (home = await homeWithWarehouse()));
afterEach(() => home[Symbol.dispose]());
afterAll(() => prepared.forEach((one) => one[Symbol.dispose]()));

type User = { readonly id: number; readonly email: string; readonly name: string };
const user = (id: number, name = `User ${id}`): User => ({ id, email: `u${id}@example.com`, name });

const mapAll = (...statuses: string[]) =>
  statuses.map((delta_status) => ({
    delta_status,
    connector_field: "file_name",
    connector_field_value: delta_status,
  }));

const base = {
  activation_actions_table: "users",
  id_key: "user_id",
  delta_keys: ["name"],
  activation_mappings: mapAll("new", "updated", "deleted"),
  result_connection_name: "none",
  result_connection_settings: { type: "file", folder: "out", format: "ndjson" },
};

/** Makes these the users that the directory lists now, at a later moment each time. */
async function directory(...users: User[]): Promise<void> {
  moment += 86_400_000;
  const listed = JSON.stringify({ users });
  const isFirst = !existsSync(join(home.home, "audit.duckdb"));
  const known = isFirst ? prepared.get(listed) : undefined;
  if (known !== undefined) {
    home[Symbol.dispose]();
    return void (home = readCopy(known));
  }
  const records = home.write("none.ndjson", `{"time":${moment / 1000},"event_name":"x"}\n`);
  const argv = ["import", records, "--users", home.write("users.json", listed)];
  const outcome = await home.run(argv, { now: () => moment });
  expect(outcome).toMatchObject({ code: 0, err: expect.stringContaining("1 record") });
  if (isFirst) prepared.set(listed, readCopy(home));
}

async function activate(change: object = {}, ...flags: string[]) {
  const config = { activations: { people: { ...base, ...change } } };
  const file = home.write("auditlake.json", JSON.stringify(config));
  return home.run(["--config", file, "activate", "people", ...flags]);
}

/** What arrived: per file the names of the users in it; the files are taken away. */
function listArrived(): Record<string, string[]> {
  const folder = join(home.folder, "out");
  if (!existsSync(folder)) return {};
  const found = readdirSync(folder).map((file) => {
    const lines = readFileSync(join(folder, file), "utf8").split("\n").slice(0, -1);
    return [file, lines.map((line) => (JSON.parse(line) as User).name)] as const;
  });
  rmSync(folder, { recursive: true });
  // A class without rows has an empty file.
  return Object.fromEntries(found.filter(([, names]) => names.length > 0));
}

const runs = () =>
  home.rows(
    "select number, outcome, all_new_because, rows_new, rows_updated, rows_deleted, rows_unchanged, accepted from activation_runs order by started_at, run_id",
  );

// Seed 002, States and transitions, row by row.
test("rows are classified as new, updated, deleted and unchanged", async () => {
  await directory(user(1), user(2), user(3));
  const first = await activate();
  expect(first.err).toContain("3 new, 0 updated, 0 deleted, 0 unchanged (all new: first run)");
  expect(listArrived()).toEqual({ "new.ndjson": ["User 1", "User 2", "User 3"] });

  await directory(user(2, "Renamed"), user(3), user(4));
  const second = await activate();
  expect(second.err).toContain("1 new, 1 updated, 1 deleted, 1 unchanged");
  expect(second.err).toContain("unchanged: no mapping, so not delivered");
  // What is deleted goes out as it was.
  expect(listArrived()).toEqual({
    "new.ndjson": ["User 4"],
    "updated.ndjson": ["Renamed"],
    "deleted.ndjson": ["User 1"],
  });

  expect((await activate()).err).toContain("0 new, 0 updated, 0 deleted, 3 unchanged");
  expect(listArrived()).toEqual({});
  expect(await runs()).toEqual([
    run(1, "delivered", "first run", 3, 0, 0, 0, 3),
    run(2, "delivered", null, 1, 1, 1, 1, 3),
    run(3, "delivered", null, 0, 0, 0, 3, 0),
  ]);
});

// Seed 002, C, delta_keys: empty or absent defaults to id_key.
test("without delta keys id_key replaces them: no row is ever updated", async () => {
  await directory(user(1));
  await activate({ delta_keys: [] });
  await directory(user(1, "Renamed"));
  expect((await activate({ delta_keys: [] })).err).toContain("0 updated, 0 deleted, 1 unchanged");
});

// Seed 002, C, rule 4: compared by a hash.
test("a null and the text null are two values", async () => {
  await directory({ ...user(1), name: "null" });
  await activate();
  await directory({ id: 1, email: "u1@example.com" } as User);
  expect((await activate()).err).toContain("1 updated");
});

test.each([
  ["id_key", { id_key: "email" }],
  ["delta_keys", { delta_keys: ["name", "email"] }],
])("a change of %s makes all rows new", async (key, change) => {
  await directory(user(1), user(2));
  await activate();
  const { err } = await activate(change);
  expect(err).toContain(`2 new, 0 updated, 0 deleted, 0 unchanged (all new: ${key} changed)`);
});

test("delta_keys in another order are no change", async () => {
  await directory(user(1));
  await activate({ delta_keys: ["name", "email"] });
  expect((await activate({ delta_keys: ["email", "name"] })).err).toContain("1 unchanged");
});

test("after a failed delivery with changed delta_keys, the previous state remains", async () => {
  await directory(user(1), user(2));
  await activate();
  listArrived();
  await directory(user(2));
  writeFileSync(join(home.folder, "out"), "");
  expect((await activate({ delta_keys: ["email"] })).code).toBe(1);
  rmSync(join(home.folder, "out"));
  expect((await activate()).err).toContain("0 new, 0 updated, 1 deleted, 1 unchanged");
});

test("a lost state makes all rows new", async () => {
  await directory(user(1));
  await activate();
  rmSync(join(home.home, "activations", "people.duckdb"));
  expect((await activate()).err).toContain("all new: first run");
});

test("a failed delivery leaves the state, and the next run delivers the same", async () => {
  await directory(user(1));
  await activate();
  listArrived();
  await directory(user(1, "Renamed"), user(2));
  // A file is in place of the folder.
  writeFileSync(join(home.folder, "out"), "");
  const failed = await activate();
  expect(failed.code).toBe(1);
  rmSync(join(home.folder, "out"));
  const again = await activate();
  expect(again.code).toBe(0);
  expect(listArrived()).toEqual({ "new.ndjson": ["User 2"], "updated.ndjson": ["Renamed"] });
  const [, second, third] = await runs();
  expect(second).toMatchObject({ number: "2", outcome: "failed", accepted: "0", rows_new: "1" });
  expect(third).toMatchObject({ number: "2", outcome: "delivered", accepted: "2" });
});

// Seed 002, C, rule 3, and Errors, rule 5.
test("duplicate or null ids fail the run and leave the state unchanged", async () => {
  await directory(user(1), user(2, "Same"), user(3, "Same"));
  const doubled = await activate({ id_key: "name" });
  expect(doubled.code).toBe(2);
  expect(doubled.err).toContain(
    'id_key name is not unique: 1 value occurs more than once, such as "Same"; choose a column with unique values, or compute one in your own statement (sql_file); nothing was delivered',
  );
  await directory(user(1), { id: 2, email: "u2@example.com" } as User);
  const missing = await activate({ id_key: "name" });
  expect(missing.code).toBe(2);
  expect(missing.err).toContain(
    "id_key name is null in 1 row, such as row 2; expected a value in each",
  );
  expect(listArrived()).toEqual({});
  expect((await activate()).err).toContain("all new: first run");
});

// Seed 002, C, rules 3 and 8: the table exists and holds the columns.
test.each([
  [{ id_key: "nosuch" }, "id_key: column nosuch does not exist; known: "],
  [{ delta_keys: ["nosuch"] }, "delta_keys: column nosuch does not exist; known: "],
  [{ activation_actions_table: undefined, report: "nosuch" }, "nosuch"],
  [
    { activation_actions_table: "user_hist" },
    "activation_actions_table: table user_hist does not exist in main; known: last_known_users, refused_rows, user_access, user_addresses, user_history, user_names, users, ",
  ],
  [
    { activation_actions_db: "nosuch" },
    "activation_actions_db: database nosuch does not exist; known: main",
  ],
  [{ params: { since: "7d" } }, "params are for reports; a table takes none"],
])("%j is an error of one line, and nothing is sent", async (change, message) => {
  await directory(user(1));
  const { code, err } = await activate(change);
  expect([1, 2]).toContain(code);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(err).toContain(message);
  expect(listArrived()).toEqual({});
});

test("a dry run counts, delivers nothing and remembers nothing", async () => {
  await directory(user(1));
  const { err } = await activate({}, "--dry-run");
  expect(err).toContain("1 new, 0 updated, 0 deleted, 0 unchanged (all new: first run)");
  expect(err).toContain("dry run: nothing was delivered");
  expect(listArrived()).toEqual({});
  expect(await runs()).toEqual([]);
  expect((await activate()).err).toContain("all new: first run");
});

test("an unknown name is reported with the existing ones; without a published file the error prints what to do", async () => {
  const file = home.write("c.json", JSON.stringify({ activations: { people: base } }));
  const unknown = await home.run(["--config", file, "activate", "nosuch"]);
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain("activation nosuch is not configured; known: people");
  const empty = await home.run(["--config", file, "activate", "people"]);
  expect(empty.code).toBe(1);
  expect(empty.err).toContain("nothing published yet");
});

test("rebuild keeps the runs", async () => {
  await directory(user(1));
  await activate();
  const before = await runs();
  expect((await home.run(["rebuild"])).code).toBe(0);
  expect(await runs()).toEqual(before);
});

test("works on a report, and the state survives a change of its columns", async () => {
  await directory(user(1));
  const report = (columns: string) =>
    home.write(
      "queries/people.sql",
      `-- title: People\n-- family: own\n-- grain: one row per user\nselect ${columns} from users order by user_id\n`,
    );
  report("user_id, name");
  const change = { activation_actions_table: undefined, report: "people" };
  const queries = ["--queries", join(home.folder, "queries")];
  expect((await activate(change, ...queries)).err).toContain("1 new");
  report("user_id, email, name");
  expect((await activate(change, ...queries)).err).toContain("1 unchanged");
  await directory(user(2));
  const outputs = { columns: ["name", "email"] };
  expect((await activate({ ...change, outputs }, ...queries)).code).toBe(0);
  // What was remembered before the column came goes out without it.
  report("user_id, email, name, 'x' as added");
  await directory(user(3));
  const added = { columns: ["name", "added"] };
  listArrived();
  expect((await activate({ ...change, outputs: added }, ...queries)).code).toBe(0);
  expect(listArrived()).toEqual({ "new.ndjson": ["User 3"], "deleted.ndjson": ["User 2"] });
});

test("while another run of it is active, nothing is sent: exit code 5", async () => {
  await directory(user(1));
  await activate();
  const outbox = join(home.home, "outbox", "activation-people");
  using _lock = takeLock(join(outbox, "delivery.lock"), "activate people", Date.now());
  const { code, err } = await activate();
  expect({ code, err }).toEqual({ code: 5, err: expect.stringContaining("error: locked:") });
});

test("a damaged state prints what to do, and nothing is sent", async () => {
  await directory(user(1));
  await activate();
  listArrived();
  home.write("home/activations/people.duckdb", "no database".repeat(1000));
  const { code, err } = await activate();
  expect(code).toBe(1);
  expect(err).toContain("people.duckdb does not open: ");
  expect(err).toContain("move it away to start over");
  expect(listArrived()).toEqual({});
});

test("--quiet prints nothing of a successful run", async () => {
  await directory(user(1));
  expect(await activate({}, "--quiet")).toEqual({ code: 0, out: "", err: "" });
});

function run(
  number: number,
  outcome: string,
  all_new_because: string | null,
  ...[rows_new, rows_updated, rows_deleted, rows_unchanged, accepted]: number[]
) {
  const counts = { rows_new, rows_updated, rows_deleted, rows_unchanged, accepted };
  const texts = Object.entries(counts).map(([name, value]) => [name, String(value)]);
  return { number: String(number), outcome, all_new_because, ...Object.fromEntries(texts) };
}
