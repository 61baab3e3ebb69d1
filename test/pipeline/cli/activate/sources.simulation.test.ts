import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { selfSigned } from "../../../support/certificate.ts";
import { failureLine } from "../../../support/failure.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import type { Outcome } from "../../../support/command.ts";
import { spawnCommand } from "../../../support/killed.ts";

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  const events = [1, 2, 3].map((user_id) => ({
    id: `e${user_id}`,
    time: 1_763_600_000 + user_id,
    event_name: "job_kill",
    user_id,
  }));
  expect((await home.load(events)).code).toBe(0);
});
afterAll(() => home[Symbol.dispose]());

const common = {
  id_key: "id",
  delta_keys: ["who"],
  activation_mappings: [
    { delta_status: "new", connector_field: "file_name", connector_field_value: "fresh" },
  ],
};
const lake = { type: "file", folder: "out", format: "ndjson" };

const sql = `-- title: People
-- grain: one row per person
-- param: from integer = 1
select event_key as id, 'user ' || user_id as who from events
where user_id >= cast($from as bigint) order by user_id`;

function runConfigured(activation: object, more: object = {}): string {
  const activations = { people: activation };
  return home.write("auditlake.json", JSON.stringify({ activations, ...more }));
}

function fresh(): string[] {
  return readFileSync(join(home.folder, "out", "fresh.ndjson"), "utf8")
    .trimEnd()
    .split("\n");
}

test("a file with a statement is activated, with parameters of the call, and previewed", async () => {
  home.write("people.sql", sql);
  const settings = { result_connection_name: "none", result_connection_settings: lake };
  const config = runConfigured({ ...common, sql_file: "people.sql", ...settings });
  const run = (...flags: string[]): Promise<Outcome> =>
    home.run(["--config", config, "activate", "people", ...flags]);
  const preview = await run("--preview", "2", "--param", "from=2");
  expect(preview.err).toMatch(/people: 2 rows: 2 new/);
  expect(preview.err).toMatch(/new: the first 2 of the rows that would be sent/);
  expect(preview.err).toMatch(/dry run: nothing was delivered/);
  expect(preview.out.match(/user [23]/g)).toHaveLength(2);
  expect((await run("--preview", "1")).out.match(/user \d/g)).toHaveLength(1);
  const path = join(home.folder, "summary.json");
  expect((await run("--param", "from=3", "--summary", path)).code).toBe(0);
  expect(fresh()).toHaveLength(1);
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
    runs: [
      {
        verb: "activate",
        name: "people",
        target: "activation-people",
        connector: "file",
        delivery: "people-1",
        rows_read: 1,
        accepted: 1,
        classes: { new: 1, unchanged: 0, all_new_because: "first run" },
        refused_rows: [],
      },
    ],
  });
  expect(await home.rows("select verb, outcome from delivery_runs where name = 'people'")).toEqual([
    { verb: "activate", outcome: "delivered" },
  ]);
  home.write("people.sql", "select 1 as id, content as who from read_text('/etc/passwd')");
  expect(failureLine(await run(), 1, [])).toMatch(/people\.sql/);
});

const endpoint = "https://gateway.us01.example";
const params = {
  ...common,
  api_endpoint: endpoint,
  id_key: "event_key",
  delta_keys: ["user_id"],
  activation_actions_db: "main",
  activation_actions_table: "events",
  result_connection_name: "none",
};

test("seed 002: an out block is the connector, and its timezone that of sent timestamps", async () => {
  const out = {
    ...lake,
    outputs: {
      columns: ["user_id"],
      string_builder: [{ as: "at", value: "timestamp" }],
    },
  };
  const write = (more: object): string =>
    home.write("flow.yml", stringify({ timezone: "Asia/Kolkata", ...more }));
  const path = write({ out, _export: { params } });
  const config = home.write("auditlake.json", "{}");
  const now = (): number => Date.parse("2026-11-21T20:00:00Z");
  const run = (): Promise<Outcome> =>
    home.run(["--config", config, "activate", "--from-workflow", path], { now });
  const { code, err } = await run();
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(err).toMatch(/note: api_endpoint was checked but not fetched/);
  expect(fresh().toSorted()[0]).toBe('{"user_id":1,"at":"2026-11-22T01:30:00+05:30"}');
  write({ out, _export: { params: { ...params, result_connection_settings: lake } } });
  expect(failureLine(await run(), 2, [])).toMatch(
    /both out and result_connection_settings are given/,
  );
});

test("seed 002, Endpoints, rule 3: the workflow definition is requested from its site", async () => {
  let answer = "";
  const settings = {
    result_connection_settings: { ...lake, folder: join(home.folder, "fetched") },
  };
  // The definition names the address that it is fetched from, which is known once the gateway listens.
  const { key, cert } = selfSigned("gateway", ["localhost"]);
  const server = createServer({ key, cert }, (_request, response) => void response.end(answer));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const ca = home.write("ca.pem", cert);
  const own = { ...params, api_endpoint: url };
  const config = (fetch: boolean): string =>
    runConfigured(
      { ...own, ...settings },
      { integrations: { site: "us01", gateways: { us01: url }, us01: { fetch } } },
    );
  const run = async (fetch: boolean): Promise<{ code: number; err: string }> => {
    const argv = [
      "--home",
      home.home,
      "--config",
      config(fetch),
      "activate",
      "people",
      "--dry-run",
    ];
    const child = spawnCommand(argv, { NODE_EXTRA_CA_CERTS: ca });
    let err = "";
    child.stderr!.on("data", (part: Buffer) => (err += part.toString()));
    const [code] = (await once(child, "close")) as [number];
    return { code, err };
  };
  try {
    const fetched = {
      ...own,
      activation_actions_table: "users",
      id_key: "user_id",
      delta_keys: [],
    };
    answer = stringify({ _export: { params: { ...fetched, ...settings } } });
    const went = await run(true);
    expect(went).toMatchObject({ code: 0 });
    expect(went.err).toMatch(/the workflow definition was fetched from api_endpoint/);
    expect(went.err).toMatch(/people: 0 rows/);
    expect((await run(false)).err).toMatch(/but not fetched[\s\S]*people: 3 rows/);
    answer = stringify({ _export: { params: { ...params, ...settings } } });
    expect((await run(true)).err).toMatch(
      /api_endpoint: differs from the endpoint that it was fetched from/,
    );
    answer = `a: "${"x".repeat(1024 * 1024)}"`;
    expect((await run(true)).err).toMatch(/cannot be fetched: the response is longer than 1048576/);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
