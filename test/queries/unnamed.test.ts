import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveHome } from "../../pipeline/base/home/layout.ts";
import { type Database, openPublished } from "../../pipeline/core/store/open.ts";
import { readingTexts } from "../support/command.ts";
import { homeWithWarehouse, type TestHome } from "../support/home.ts";
import { reports, runReport } from "./run.ts";

// Without a user directory and without e-mails in the log, actors are named by the id.
const records = fileURLToPath(new URL("../../fixtures/golden/records.ndjson", import.meta.url));
let home: TestHome;
let database: Database;

beforeAll(async () => {
  home = await homeWithWarehouse();
  const unnamed = readFileSync(records, "utf8").replaceAll(/,"user_email":"[^"]*"/g, "");
  const argv = ["import", home.write("records.ndjson", unnamed)];
  expect(await home.run(argv, { env: readingTexts })).toMatchObject({ code: 0 });
  database = await openPublished(resolveHome(home.home).published, { memoryLimit: "500MB" });
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

// Columns that name a person, in whatever report.
const people = /^(?:actor|holder|by_whom|member|.*_by|user|.*_user)$/;
const range = { since: "2026-03-02", until: "2026-03-05", on: "2026-03-05", days: "2" };
const named = new Map<string, number>();

// The goldens have the columns of each report; one without people is not tested here.
const naming = reports.filter(({ name }) => {
  const golden = new URL(`../../fixtures/golden/${name}.csv`, import.meta.url);
  const [header = ""] = readFileSync(golden, "utf8").split("\r\n");
  return header.split(",").some((column) => people.test(column));
});

test.each(naming.map((report) => [report.name, report] as const))(
  "%s names a user without an e-mail by the id",
  async (_, report) => {
    const known = report.params.map(({ name }) => name);
    const given = new Map(Object.entries(range).filter(([name]) => known.includes(name)));
    const { columns, rows } = await runReport(database.connection, report, given);
    const texts = rows.flatMap((row) =>
      columns.flatMap((name) => (people.test(name) ? (row[name] ?? []) : [])),
    );
    expect(texts.filter((text) => /^\d*$/.test(String(text)))).toEqual([]);
    named.set(report.name, texts.filter((text) => /^user \d+$/.test(String(text))).length);
  },
);

test("most reports name a user without an e-mail by the id", () => {
  const found = [...named.values()].filter((count) => count > 0);
  expect(found.length).toBeGreaterThan(45);
});

test("the history of a policy names a user without an e-mail by the id, also its members", async () => {
  const changed = "select min(subject_id) from permission_changes where subject_kind = 'policy'";
  const policy = String(await home.count(changed));
  const { code, out } = await home.run(["policy", "history", policy, "--format", "ndjson"]);
  expect(code).toBe(0);
  const acted = out.matchAll(/"evidence":"log".*"by_whom":("[^"]*"|null)/g).toArray();
  expect(acted.length).toBeGreaterThan(0);
  expect(acted.filter(([, whom]) => !/^"user \d+"$/.test(whom!))).toEqual([]);
});
