import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";

// Deliveries are named by a number that is never used again, even after a reset.

let home: TestHome;
let config: string;
beforeAll(async () => {
  home = newHome();
  expect((await home.load([{ time: 1_763_600_000, event_name: "job_kill" }])).code).toBe(0);
  home.write("one.sql", "-- title: One\n-- grain: one row\nselect 1 as id, 'a' as v");
  const activation = {
    sql_file: "one.sql",
    id_key: "id",
    delta_keys: ["v"],
    activation_mappings: [
      { delta_status: "new", connector_field: "format", connector_field_value: "csv" },
    ],
    result_connection_name: "none",
    result_connection_settings: { type: "file", folder: "out" },
  };
  config = home.write("c.json", JSON.stringify({ activations: { people: activation } }));
});
afterAll(() => home[Symbol.dispose]());

async function activate(...argv: string[]): Promise<void> {
  const { code, err } = await home.run(["--config", config, "activate", ...argv]);
  expect([code, err]).toEqual([0, expect.any(String)]);
}
const files = (): string[] => readdirSync(join(home.folder, "out")).sort();
const memory = (): string => join(home.home, "activations", "people.duckdb");

test("numbers continue after a reset, a resync, and a state that was moved away", async () => {
  await activate("people");
  await activate("reset", "people", "--yes");
  await activate("people");
  expect(files()).toEqual(["people-1-new.csv", "people-2-new.csv"]);
  rmSync(memory());
  await activate("people");
  await activate("resync", "people", "--yes");
  await activate("reset", "people", "--yes");
  await activate("people");
  rmSync(memory());
  await activate("resync", "people", "--yes");
  home.write("one.sql", "-- title: Two\n-- grain: one row\nselect 2 as id, 'a' as v");
  await activate("people");
  expect(files()).toEqual([
    "people-1-new.csv",
    "people-2-new.csv",
    "people-3-new.csv",
    "people-4-new.csv",
    "people-5-new.csv",
  ]);
});

test("numbers continue after a deleted delivery, of which some rows may have arrived", async () => {
  const [out, away] = [join(home.folder, "out"), join(home.folder, "away")];
  const number = files().length;
  const give = (id: number): void =>
    void home.write("one.sql", `-- title: One\n-- grain: one row\nselect ${id} as id, 'a' as v`);
  give(3);
  renameSync(out, away);
  home.write("out", "a file in the place of the folder");
  expect((await home.run(["--config", config, "activate", "people"])).code).not.toBe(0);
  rmSync(out);
  renameSync(away, out);
  await activate("resync", "people", "--yes");
  give(4);
  await activate("people");
  expect(files()).toContain(`people-${number + 2}-new.csv`);
  expect(files()).not.toContain(`people-${number + 1}-new.csv`);
});
