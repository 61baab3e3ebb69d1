import { expect, test } from "vitest";
import { activation } from "../../schemas/activation.ts";

const mapping = (status: string, field = "format", value: unknown = "csv") => ({
  delta_status: status,
  connector_field: field,
  connector_field_value: value,
});

const good = {
  report: "new_denials",
  id_key: "actor",
  activation_mappings: [mapping("new")],
  result_connection_name: "lake",
  result_connection_settings: { type: "file", folder: "out" },
};

function firstMessage(value: unknown): string {
  const result = activation.safeParse(value);
  const issue = result.error?.issues[0];
  return issue === undefined ? "accepted" : `${issue.path.join(".")}: ${issue.message}`;
}

// Seed 002, C, table and rules 3 to 6; Limits.
test("an activation has defaults: no delta keys, schema main", () => {
  expect(activation.parse(good)).toMatchObject({ delta_keys: [], activation_actions_db: "main" });
});

test.each([
  [
    "id_key is required",
    { id_key: undefined },
    /^id_key: found nothing; expected the name of a column/,
  ],
  [
    "an unknown status",
    { activation_mappings: [mapping("changed")] },
    /found "changed"; expected one of new, updated, deleted, unchanged/,
  ],
  [
    "a status without field",
    { activation_mappings: [{ delta_status: "new", connector_field_value: "x" }] },
    /connector_field: found nothing/,
  ],
  [
    "a status without value",
    { activation_mappings: [{ delta_status: "new", connector_field: "format" }] },
    /connector_field_value: found nothing/,
  ],
  [
    "a status twice",
    { activation_mappings: [mapping("new"), mapping("new")] },
    /activation_mappings.1.delta_status: "new" occurs twice; expected at most one element per status/,
  ],
  [
    "a fifth element",
    { activation_mappings: Array.from({ length: 5 }, () => mapping("new")) },
    /^activation_mappings: .*expected at most 4 elements, one per status/,
  ],
  ["no mapping", { activation_mappings: [] }, /^activation_mappings: .*one element or more/],
  [
    "a field the connector does not have",
    { activation_mappings: [mapping("new", "mode")] },
    /^activation_mappings.0.connector_field: found "mode"; expected a field of the connector file/,
  ],
  [
    "a value the field does not take",
    { activation_mappings: [mapping("new", "format", "xlsx")] },
    /^activation_mappings.0.connector_field_value: found "xlsx"; expected csv, ndjson or parquet/,
  ],
  [
    "settings without type",
    { result_connection_settings: { folder: "out" } },
    /^result_connection_settings.type: found nothing/,
  ],
  [
    "settings of no connector",
    { result_connection_settings: { type: "fax" } },
    /^result_connection_settings.type: found "fax"; expected marketing_cloud_v2, messaging_business, file, webhook,? .*\bemail\b/,
  ],
  [
    "a setting the connector does not have",
    { result_connection_settings: { type: "file", foldr: "out", folder: "out" } },
    /^result_connection_settings: found "foldr"; expected a field of the connector file/,
  ],
  [
    "a setting that will not do",
    { result_connection_settings: { type: "file" } },
    /^result_connection_settings.folder: found nothing; expected a folder/,
  ],
  [
    "no connection",
    { result_connection_name: undefined },
    /^result_connection_name: found nothing/,
  ],
  [
    "neither report nor table",
    { report: undefined },
    /expected exactly one of report, activation_actions_table and sql_file/,
  ],
  [
    "report and table",
    { activation_actions_table: "users" },
    /expected exactly one of report, activation_actions_table and sql_file/,
  ],
  [
    "an endpoint without https",
    { api_endpoint: "http://gateway.example" },
    /^api_endpoint: has scheme http; expected https/,
  ],
  [
    "an endpoint that is no address",
    { api_endpoint: "gateway" },
    /^api_endpoint: is not a web address/,
  ],
  ["a delta key twice", { delta_keys: ["a", "b", "a"] }, /^delta_keys: "a" occurs twice/],
  ["a typo", { id_keys: "x" }, /id_keys/],
])("%s is refused", (_, change, message) => {
  expect(firstMessage({ ...good, ...change })).toMatch(message);
});

test("an activation may have all four statuses, and a table in another schema", () => {
  const statuses = ["new", "updated", "deleted", "unchanged"];
  const value = {
    ...good,
    report: undefined,
    activation_actions_db: "main",
    activation_actions_table: "users",
    api_endpoint: "https://gateway.example/x",
    activation_mappings: statuses.map((status) => mapping(status)),
  };
  expect(firstMessage(value)).toBe("accepted");
});
