import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";
import { filesBelow, query } from "../../adapters/destinations/file/setting.ts";

// Two users that differ in the mark of a text's beginning only.
const names = ["\ufeffAnn", "Ann"];
const deliver = (format: string) => ({ type: "file", folder: `to/${format}`, format });
const config = {
  targets: { ndjson: deliver("ndjson"), csv: deliver("csv"), parquet: deliver("parquet") },
  activations: {
    people: {
      activation_actions_table: "users",
      id_key: "name",
      delta_keys: ["email"],
      activation_mappings: [
        { delta_status: "new", connector_field: "file_name", connector_field_value: "new" },
      ],
      result_connection_name: "none",
      result_connection_settings: deliver("activation"),
    },
  },
};
config.activations.people.result_connection_settings.format = "ndjson";

let home: TestHome;
let file: string;
beforeAll(async () => {
  home = await homeWithWarehouse();
  file = home.write("auditlake.json", JSON.stringify(config));
  const users = names.map((name, i) => ({ id: i + 1, email: "a@example.com", name }));
  const record = home.write("one.ndjson", '{"time":1767225600,"event_name":"x"}\n');
  const list = home.write("users.json", JSON.stringify({ users }));
  expect(await home.run(["import", record, "--users", list])).toMatchObject({ code: 0 });
  home.write("people.sql", "select user_id, name from users order by user_id");
});
afterAll(() => home[Symbol.dispose]());

const run = (...argv: string[]) => home.run(["--config", file, ...argv]);
const ask = (format: string) =>
  run("sql", "select name from users order by user_id", "--format", format);
/** The only file of a target. */
const listArrived = (target: string): string => {
  const folder = join(home.folder, "to", target);
  return join(folder, filesBelow(folder)[0]!);
};

test("sql prints the first U+FEFF of a text", async () => {
  expect((await ask("csv")).out).toBe('name\r\n"\ufeffAnn"\r\nAnn\r\n');
  const json = JSON.parse((await ask("json")).out) as object[];
  expect(json).toEqual(names.map((name) => ({ name })));
});

test("an export contains the first U+FEFF of a text", async () => {
  const people = join(home.folder, "people.sql");
  for (const to of Object.keys(config.targets))
    expect(await run("export", "--file", people, "--to", to)).toMatchObject({ code: 0 });
  const lines = readFileSync(listArrived("ndjson"), "utf8").split("\n").slice(0, -1);
  expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(names);
  expect(readFileSync(listArrived("csv"), "utf8")).toContain('1,"\ufeffAnn"');
  const codes = await query(
    `select ascii(name) c from '${listArrived("parquet")}' order by user_id`,
  );
  expect(codes).toEqual([{ c: 0xfeff }, { c: 65 }]);
});

test("two ids that differ in U+FEFF are two ids of an activation", async () => {
  const first = await run("activate", "people");
  expect(first).toMatchObject({ code: 0, err: expect.stringContaining("2 new, 0 updated") });
  expect(readFileSync(listArrived("activation"), "utf8")).toContain(String.raw`"\ufeffAnn"`);
  expect((await run("activate", "people")).err).toContain("0 deleted, 2 unchanged");
});

test("only one file of the program opens a database of the library", () => {
  const files = readdirSync("pipeline", { recursive: true, encoding: "utf8" });
  const opens = files.filter(
    (name) =>
      name.endsWith(".ts") &&
      /^ .*DuckDBInstance\.create\((?!\$)/m.test(readFileSync(join("pipeline", name), "utf8")),
  );
  expect(opens).toEqual(["base/sql/instance.ts"]);
});
