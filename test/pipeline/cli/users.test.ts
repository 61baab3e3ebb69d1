import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertEvents, writePublished } from "../published-file.ts";
import { type Outcome, runCli } from "./run-cli.ts";

let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "auditlake-test-"));
  await writePublished(join(home, "audit.duckdb"), [
    `insert into user_history (source, user_id, email, name, administrator, valid_from)
     values ('default', 1, 'ann@example.com', '=1+1', true, timestamp '2026-01-01'),
            ('default', 2, 'bob@example.com', null, false, timestamp '2026-01-01')`,
    insertEvents([{ time: "2026-11-01 10:00:00", name: "sign_in" }]),
    "update event_rows set user_id = 1",
  ]);
});
afterAll(() => rmSync(home, { recursive: true }));

function users(...argv: string[]): Promise<Outcome> {
  return runCli(["--home", home, "users", ...argv], { columns: 120 });
}

const csv = [
  "user_id,email,name,administrator,account_owner,events,last_event_time,source",
  '1,"ann@example.com","\'=1+1",true,,1,2026-11-01T10:00:00Z,default',
  '2,"bob@example.com",,false,,0,,default',
  "",
].join("\r\n");

test("users lists the directory with each user's last event", async () => {
  const { code, stdout, stderr } = await users();
  expect([code, stderr]).toEqual([0, "2 rows\n"]);
  expect(stdout).toMatch(/ann@example\.com +=1\+1 +true +1 +2026-11-01 10:00:00 +default\n/);
});

test("users counts an event without an id for its e-mail, as reports do", async () => {
  const published = join(home, "mailed");
  mkdirSync(published);
  const mail = (id: number | null, email: string | null, second: number): string =>
    `insert into event_rows by name
     select * replace (${id} as user_id, ${email === null ? null : `'${email}'`} as user_email,
       event_time + interval ${second} second as event_time) from event_rows limit 1`;
  await writePublished(join(published, "audit.duckdb"), [
    `insert into user_history (source, user_id, email, valid_from)
     select 'default', id, email, timestamp '2026-01-01'
     from (values (1, 'Ann@example.com'), (2, 'bob@example.com'), (3, null)) as u(id, email)`,
    insertEvents([{ time: "2026-11-01 10:00:00", name: "sign_in" }]),
    mail(1, null, 1),
    mail(null, "ANN@example.com", 3),
    // The previous owner of the e-mail is shown by the id.
    mail(1, "bob@example.com", 2),
    mail(null, "bob@example.com", 4),
  ]);
  const { stdout } = await runCli(["--home", published, "users", "--format", "csv"]);
  const rows = stdout
    .trim()
    .split("\r\n")
    .map((line) => line.split(","));
  expect(rows.slice(1).map((cells) => [cells[0], ...cells.slice(-3, -1)])).toEqual([
    ["1", "3", "2026-11-01T10:00:03Z"],
    ["2", "1", "2026-11-01T10:00:04Z"],
    ["3", "0", ""],
  ]);
});

test("users has the formats and files of sql", async () => {
  expect(await users("--format", "csv")).toMatchObject({ stdout: csv });
  const out = join(home, "users.csv");
  expect(await users("--out", out)).toEqual({ code: 0, stdout: "", stderr: `2 rows, ${out}\n` });
  expect(readFileSync(out, "utf8")).toBe(csv);
  expect((await users("--limit", "1", "--format", "ndjson")).stderr).toBe("showing 1 of 2 rows\n");
});

test("users lists one source, and refuses an unknown one", async () => {
  const ask = (source: string): Promise<Outcome> =>
    runCli(["--home", home, "--source", source, "users", "--format", "csv"]);
  expect(await ask("default")).toMatchObject({ code: 0, stdout: csv });
  const stderr = "error: no data of source prod; known: default\n";
  expect(await ask("prod")).toEqual({ code: 2, stdout: "", stderr });
});

test("users refuses a format that does not exist", async () => {
  expect(await users("--format", "pdf")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Allowed choices are table, "),
  });
  expect(await users("--out", "users.parquet")).toMatchObject({ code: 2 });
});
