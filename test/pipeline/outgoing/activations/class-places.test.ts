import { afterAll, beforeAll, expect, test } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";

// Two classes of an activation never overwrite each other's output.

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  expect((await home.load([{ time: 1_763_600_000, event_name: "job_kill" }])).code).toBe(0);
  home.write("one.sql", "-- title: One\n-- grain: one row\nselect 1 as id, 'a' as v");
});
afterAll(() => home[Symbol.dispose]());

const cloud = {
  type: "marketing_cloud_v2",
  client_id: "a",
  client_secret: "__SAVED__",
  auth_type: "v2",
  auth_uri: "https://a.example/",
  de_name: "People",
};

/** What a dry run says of an activation whose classes have these values of a field. */
async function said(settings: object, field: string, values: object): Promise<[number, string]> {
  const activation = {
    sql_file: "one.sql",
    id_key: "id",
    delta_keys: ["v"],
    activation_mappings: Object.entries(values).map(([delta_status, value]) => ({
      delta_status,
      connector_field: field,
      connector_field_value: value as string,
    })),
    result_connection_name: "stored",
    result_connection_settings: settings,
  };
  const config = home.write(
    "c.json",
    JSON.stringify({
      activations: { shared: activation },
      authentications: { stored: { env: "STORED" } },
    }),
  );
  const env = { STORED: JSON.stringify({ client_id: "a", client_secret: "b" }) };
  const argv = ["--config", config, "activate", "shared", "--dry-run"];
  const { code, err } = await home.run(argv, { env });
  return [code, err];
}

const file = { type: "file", folder: "out", file_name: "people" };

test.each([
  [
    file,
    "format",
    { new: "csv", updated: "csv" },
    /the classes updated and new both go to .*people\.csv/,
  ],
  [
    file,
    "file_name",
    { new: "a", deleted: "a" },
    /the classes deleted and new both go to .*a\.csv/,
  ],
  [file, "folder", { new: "out", updated: "./out/" }, /updated and new both go to/],
  [file, "folder", { new: "x/../out", unchanged: "out" }, /new and unchanged both go to/],
  [{ ...file, when_empty: "keep" }, "format", { new: "csv", updated: "csv" }, /both go to/],
  [
    cloud,
    "data_operation",
    { new: "replace", updated: "replace" },
    /both go to data extension People/,
  ],
  [
    cloud,
    "data_operation",
    { new: "replace", updated: "upsert" },
    /both go to data extension People/,
  ],
  [cloud, "data_operation", { new: "upsert", deleted: "replace" }, /deleted and new both go to/],
])(
  "two classes that replace one place are refused: %j, %s %j",
  async (settings, field, values, message) => {
    const [code, err] = await said(settings, field, values);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  },
);

test.each(["new", "updated", "deleted", "unchanged"])(
  "two classes that mix rows of two runs under one name are refused: %s by day",
  async (status) => {
    const byDay = { ...file, partition_by_day: "v" };
    const [code, err] = await said(byDay, "format", { [status]: "csv" });
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`the class ${status}: file_name people with partition_by_day would`),
    ]);
  },
);

test.each([
  [{ type: "file", folder: "out", partition_by_day: "v" }, "format", { new: "csv" }],
  [file, "format", { new: "csv", updated: "ndjson" }],
  [file, "file_name", { new: "a", deleted: "b" }],
  [file, "folder", { new: "out", updated: "other" }],
  [{ type: "file", folder: "out" }, "format", { new: "csv", updated: "csv" }],
  [cloud, "data_operation", { new: "upsert", updated: "upsert" }],
])(
  "classes with separate places, or that append to one, are accepted: %j, %s %j",
  async (settings, field, values) => {
    expect(await said(settings, field, values)).toEqual([0, expect.any(String)]);
  },
);
