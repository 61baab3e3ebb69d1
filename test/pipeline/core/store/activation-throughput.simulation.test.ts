import { expect, it } from "vitest";
import { newHome } from "../../../support/home.ts";

// A lower bound far below what `make bench` measures. Writing the hash of each row as text took twelve times as long.
const leastPerSecond = 25_000;
const count = 100_000;

it("an activation compares tens of thousands of rows in a second of CPU time", async () => {
  using home = newHome();
  expect((await home.load([{ time: 1, event_name: "sign_in" }])).code).toBe(0);
  home.write(
    "reports/people.sql",
    `-- title: people\n-- grain: a person\nselect i as id, md5(i::varchar) as name from range(${count}) as r(i)`,
  );
  const result = { type: "file", folder: "out", format: "ndjson" };
  const people = {
    params: {},
    report: "people",
    id_key: "id",
    activation_mappings: [
      { delta_status: "new", connector_field: "file_name", connector_field_value: "new" },
    ],
    result_connection_name: "none",
    result_connection_settings: result,
  };
  const config = home.write(
    "auditlake.json",
    JSON.stringify({ queries: "reports", activations: { people } }),
  );
  expect((await home.run(["--config", config, "activate", "people"])).code).toBe(0);
  const before = process.cpuUsage();
  const { code, err } = await home.run(["--config", config, "activate", "people"]);
  const { user, system } = process.cpuUsage(before);
  expect([code, err]).toEqual([0, expect.stringContaining(`${count} unchanged`)]);
  expect(count / ((user + system) / 1e6)).toBeGreaterThan(leastPerSecond);
});
