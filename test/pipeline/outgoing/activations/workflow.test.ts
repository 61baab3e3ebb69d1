import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { failureLine } from "../../../support/failure.ts";
import { readCopy, newHome, type TestHome } from "../../../support/home.ts";
import type { Outcome } from "../../../support/command.ts";

const workflow = `
# What a data team keeps beside its other workflows.
timezone: Europe/Oslo

_export:
  params:
    api_endpoint: https://gateway.us01.example
    id_key: user_id
    delta_keys: [name, email]
    activation_mappings:
      - delta_status: new
        connector_field: file_name
        connector_field_value: fresh
      - delta_status: deleted
        connector_field: file_name
        connector_field_value: gone-by-\${params.id_key}
    activation_actions_db: main
    activation_actions_table: users
    result_connection_name: none
    result_connection_settings:
      type: file
      folder: out
      format: ndjson
`;

const params = {
  api_endpoint: "https://gateway.us01.example",
  id_key: "user_id",
  delta_keys: ["name", "email"],
  activation_mappings: [
    { delta_status: "new", connector_field: "file_name", connector_field_value: "fresh" },
  ],
  activation_actions_db: "main",
  activation_actions_table: "users",
  result_connection_name: "none",
  result_connection_settings: { type: "file", folder: "out", format: "ndjson" },
};

let original: TestHome;
let home: TestHome;
let day = 0;
beforeAll(async () => {
  original = home = newHome();
  await users(1, 2);
});
beforeEach(() => {
  home = readCopy(original);
});
afterEach(() => home[Symbol.dispose]());
afterAll(() => original[Symbol.dispose]());

async function users(...ids: number[]): Promise<void> {
  const at = Date.parse("2026-03-01T00:00:00Z") + 86_400_000 * (day += 1);
  const list = ids.map((id) => ({ id, email: `u${id}@example.com`, name: `User ${id}` }));
  const file = home.write("users.json", JSON.stringify({ users: list }));
  const records = home.write("none.ndjson", `{"time":${at / 1000},"event_name":"x"}\n`);
  const { code } = await home.run(["import", records, "--users", file], { now: () => at });
  expect(code).toBe(0);
}

type How = { readonly config?: object; readonly file?: string; readonly argv?: readonly string[] };

function activate(text: string, { config = {}, file, argv = [] }: How = {}): Promise<Outcome> {
  const path = home.write(file ?? "people.yml", text);
  const settings = home.write("auditlake.json", JSON.stringify(config));
  return home.run(["--config", settings, "activate", ...argv, "--from-workflow", path]);
}

const withParams = (change: object): string =>
  stringify({ _export: { params: { ...params, ...change } } });

function listArrived(): Record<string, number> {
  const folder = join(home.folder, "out");
  if (!existsSync(folder)) return {};
  // A class without rows leaves an empty file.
  const texts = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]);
  const found = texts
    .filter(([, text]) => text !== "")
    .map(([file, text]) => [file, text!.trimEnd().split("\n").length]);
  rmSync(folder, { recursive: true });
  return Object.fromEntries(found) as Record<string, number>;
}

describe("seed 002, C: a workflow file", () => {
  it("runs like an activation of the configuration, and stores its state under the file's name", async () => {
    expect((await activate(workflow)).err).toContain("people: 2 rows: 2 new");
    expect(listArrived()).toEqual({ "fresh.ndjson": 2 });
    await users(2, 3, 4);
    expect((await activate(workflow)).err).toContain("2 new, 0 updated, 1 deleted, 1 unchanged");
    expect(listArrived()).toEqual({ "fresh.ndjson": 2, "gone-by-user_id.ndjson": 1 });
    expect(existsSync(join(home.home, "activations", "people.duckdb"))).toBe(true);
    expect(await home.rows("select distinct activation from activation_runs")).toEqual([
      { activation: "people" },
    ]);
  });

  it("may be given another name, but not that of an activation of the configuration", async () => {
    expect((await activate(workflow, { argv: ["others"] })).err).toContain("others: 2 rows");
    const { api_endpoint: _, ...own } = params;
    const config = { activations: { people: own } };
    expect(failureLine(await activate(workflow, { config }), 2, [])).toMatch(
      /activation people is already in the configuration.*choose one: auditlake --config \S+ activate NAME/,
    );
    const odd = await activate(workflow, { file: "what people.yml" });
    expect(failureLine(odd, 2, [])).toMatch(/"what people" cannot be the name of an activation/);
  });

  it("is run without its tasks and schedule, with a note", async () => {
    const text = `${workflow}\nschedule: {daily>: "02:00:00"}\n+compare: {http>: "\${params.api_endpoint}"}\n`;
    const { code, err } = await activate(text);
    expect(code).toBe(0);
    expect(err).toContain("note: only the activation is run, not schedule, +compare\n");
  });

  it("delta_keys may be empty or absent: id_key replaces them", async () => {
    expect((await activate(withParams({ delta_keys: [] }))).code).toBe(0);
    expect((await activate(withParams({ delta_keys: undefined }))).err).toContain("2 unchanged");
  });

  it("rule 1: needs explicit settings for what an activation action sets by itself", async () => {
    const byHand = [
      "activation_actions_db",
      "activation_actions_table",
      "result_connection_settings",
      "result_connection_name",
    ];
    for (const key of byHand)
      expect(failureLine(await activate(withParams({ [key]: undefined })), 2, [])).toContain(
        `people.yml: _export.params.${key}: found nothing; expected a value: a standalone workflow must set it`,
      );
  });

  it.each([
    ["api_endpoint", undefined, /api_endpoint: found nothing; expected the gateway URL/],
    ["api_endpoint", "{integrations_gateway_url}", /api_endpoint: "{integ.*is a placeholder/],
    ["api_endpoint", "http://x.example", /api_endpoint: has scheme http; expected https/],
    ["id_key", undefined, /id_key: found nothing; expected the name of a column/],
    ["delta_keys", "name", /delta_keys: found "name"; expected a list of columns/],
    ["activation_mappings", [], /activation_mappings: found \[\]; expected one element or more/],
    [
      "report",
      "denials",
      /report: is not a parameter of a workflow; expected activation_actions_ta/,
    ],
    ["id_keys", "x", /_export.params: does not know the key id_keys; expected .*id_key/],
  ])("with %s: %j is refused with file, key and rule", async (key, value, message) => {
    const line = failureLine(await activate(withParams({ [key]: value })), 2, []);
    expect(line).toMatch(/^error: workflow .*people.yml: /);
    expect(line).toMatch(message);
  });

  it.each([
    ["timezon: UTC\n", /does not know the key timezon; expected timezone, _export, out/],
    ["timezone: Mars\n", /timezone: found "Mars"; expected a time zone such as UTC/],
    ["a: [\n", /is not readable YAML near line \d+, column \d+: .*; expected keys and values$/],
    ["timezone: UTC\n", /is not readable YAML near line \d+, column \d+: a key occurs twice/],
    [
      "timezone: !include x.yml\n",
      /has !include near line 1, column 11, which is not supported; replace it with the content of that file/,
    ],
    [
      "timezone: !other x.yml\n",
      /is not readable YAML near line 1, column 11: it has an undefined tag/,
    ],
  ])("with %j in front is refused", async (text, message) => {
    const isOwn = text === "timezone: UTC\n";
    const rest = isOwn ? workflow : workflow.replace("timezone: Europe/Oslo", "");
    expect(failureLine(await activate(text + rest), 2, [])).toMatch(message);
  });

  it.each([
    ["", /expected keys and values/],
    ["- a\n", /expected keys and values/],
    ["_export: {}\n", /_export.params: found nothing; expected the parameters of the activation/],
    ["timezone: UTC\n", /_export: found nothing; expected params/],
  ])("with the content %j is refused", async (text, message) => {
    expect(failureLine(await activate(text), 2, [])).toMatch(message);
  });

  it("is refused with only the wrong key shown", async () => {
    const secret = "s3cr3t-credential";
    const list = stringify({ _export: [{ params: { secret } }] });
    expect(failureLine(await activate(list), 2, [secret])).toMatch(
      /_export: found a list of objects/,
    );
    const settings = { type: "fax", access_token: secret };
    const wrong = await activate(withParams({ result_connection_settings: settings }));
    expect(failureLine(wrong, 2, [secret])).toMatch(
      /_export.params.result_connection_settings.type: found "fax"; expected marketing_cloud_v2,/,
    );
  });

  it("that is missing is named; a secret in an invalid one is not shown", async () => {
    const missing = await home.run(["activate", "--from-workflow", "nosuch.yml"]);
    expect(failureLine(missing, 2, [])).toMatch(
      /cannot read workflow nosuch.yml: there is no such file/,
    );
    const broken = workflow.replace("type: file", "type: file\n     secret: s3cr3t-credential");
    failureLine(await activate(broken), 2, ["s3cr3t-credential"]);
  });
});

describe("the variables of a workflow", () => {
  it("that its parameters define are inserted, lists as lists", async () => {
    const text = withParams({
      delta_keys: "${params.result_connection_settings.outputs.columns}",
      result_connection_name: "${timezone}-${params.id_key}",
      result_connection_settings: {
        ...params.result_connection_settings,
        outputs: { columns: ["user_id", "name"] },
      },
    });
    const config = { authentications: { "UTC-user_id": { env: "STORED" } } };
    expect((await activate(`timezone: UTC\n${text}`, { config })).err).toContain("2 new");
  });

  it("that are secrets of the service are refused with what to write instead", async () => {
    const settings = { ...params.result_connection_settings, secret: "${secret:hook.key}" };
    const text = withParams({ result_connection_settings: settings });
    const line = failureLine(await activate(text), 2, []);
    expect(line).toMatch(
      /auditlake cannot read secrets of the service; write __SAVED__, and store/,
    );
  });

  it("include no unconfigured authentication, even if none is needed", async () => {
    const line = failureLine(
      await activate(withParams({ result_connection_name: "nosuch" })),
      2,
      [],
    );
    expect(line).toMatch(/authentication nosuch is not configured; known: none/);
  });

  it.each([
    ["${session_time}", /id_key: \$\{session_time\} is not defined here; expected \$\{params.…\}/],
    ["${params.nosuch}", /id_key: \$\{params.nosuch\} is not defined here/],
    ["${params.id_key}", /id_key: \$\{params.id_key\} refers to itself/],
    [
      "x${params.delta_keys}",
      /id_key: \$\{params.delta_keys\} is not text; expected it as the complete value/,
    ],
  ])("such as %s are refused if undefined", async (id_key, message) => {
    expect(failureLine(await activate(withParams({ id_key })), 2, [])).toMatch(message);
  });
});

// Seed 002, C, rule 2, and Errors, rule 5.
describe("api_endpoint", () => {
  const gateways = { us01: "https://gateway.us01.example", eu01: "https://gateway.eu01.example" };

  it("has to be the gateway of the account's site", async () => {
    const right = { integrations: { site: "us01", gateways } };
    expect((await activate(workflow, { config: right })).code).toBe(0);
    const wrong = await activate(workflow, {
      config: { integrations: { site: "eu01", gateways } },
    });
    expect(failureLine(wrong, 2, [])).toMatch(
      /activation people: api_endpoint: "https:\/\/gateway.us01.example" is the gateway of us01; expected https:\/\/gateway.eu01.example, that of eu01/,
    );
  });

  it("has to be that in an activation of the configuration as well", async () => {
    const config = { integrations: { site: "eu01", gateways }, activations: { own: params } };
    const file = home.write("auditlake.json", JSON.stringify(config));
    const outcome = await home.run(["--config", file, "activate", "own"]);
    expect(failureLine(outcome, 2, [])).toMatch(/activation own: api_endpoint: .*that of eu01/);
    expect(listArrived()).toEqual({});
  });
});

it("is reported with the existing names if name and file are missing", async () => {
  const file = home.write("auditlake.json", JSON.stringify({ activations: { own: params } }));
  const outcome = await home.run(["--config", file, "activate"]);
  expect(failureLine(outcome, 2, [])).toMatch(/which one\? .*--from-workflow; known: own/);
});
