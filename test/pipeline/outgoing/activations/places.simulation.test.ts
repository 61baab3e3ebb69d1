import { expect, it } from "vitest";
import { newHome } from "../../../support/home.ts";

// The state of an activation is that of one place. Rows that go to another one are reported, each time it changes.

it("a class with another destination causes warnings until a run there has ended", async () => {
  using home = newHome();
  expect((await home.load([{ time: 1_763_600_000, event_name: "job_kill" }])).code).toBe(0);
  home.write("one.sql", "-- title: One\n-- grain: one row\nselect 1 as id, 'a' as v");
  const activate = async (folder: string, statuses: string[], ...flags: string[]) => {
    const act = {
      sql_file: "one.sql",
      id_key: "id",
      activation_mappings: statuses.map((delta_status) => ({
        delta_status,
        connector_field: "file_name",
        connector_field_value: delta_status,
      })),
      result_connection_name: "none",
      result_connection_settings: { type: "file", folder },
    };
    const config = home.write("c.json", JSON.stringify({ activations: { act } }));
    const { code, err } = await home.run(["--config", config, "activate", ...flags]);
    expect(code, err).toBe(0);
    return err
      .split("\n")
      .filter((line) => line.includes("goes to"))
      .map((line) => line.replaceAll(home.folder, "…"));
  };
  const move = (status: string, from: string, to: string): string =>
    `warning: ${status}: now goes to …/${to} instead of …/${from}; rows that previous runs delivered are not sent there; activate reset act sends all rows`;
  expect(await activate("a", ["new"], "act")).toEqual([]);
  expect(await activate("./a/", ["new", "updated"], "act")).toEqual([]);
  const both = [move("updated", "a", "b"), move("new", "a", "b")];
  expect(await activate("b", ["new", "updated"], "act", "--dry-run")).toEqual(both);
  expect(await activate("b", ["new", "updated"], "act")).toEqual(both);
  expect(await activate("b", ["new", "updated"], "act")).toEqual([]);
  expect(await activate("c", ["new"], "resync", "act", "--yes")).toEqual([]);
  expect(await activate("c", ["new"], "act")).toEqual([]);
});
