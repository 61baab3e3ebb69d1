import { formatLine } from "../../../../pipeline/base/notice/printer.ts";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import {
  findEndpoint,
  type NamedActivation,
} from "../../../../pipeline/outgoing/activations/find-activation.ts";
import type { Settings } from "../../../../pipeline/base/home/settings.ts";
import { selfSigned } from "../../../support/certificate.ts";
import { testWorld } from "../../../support/world.ts";

const note = "the workflow definition was fetched from api_endpoint";
const left = "note: only the activation is run, not";

let server: Server;
let answer = "";
const trusted = getCACertificates();
beforeAll(async () => {
  const { key, cert } = selfSigned("gateway", ["localhost"]);
  setDefaultCACertificates([...trusted, cert]);
  server = createServer({ key, cert }, (_request, response) => void response.end(answer));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  setDefaultCACertificates(trusted);
  server.close();
  server.closeAllConnections();
});

test.each<[what: string, foreign: object, printed: readonly string[]]>([
  ["an activation alone", {}, [note]],
  ["a schedule", { schedule: { "daily>": "02:00:00" } }, [note, `${left} schedule`]],
  [
    "tasks beside it",
    { "+before": { "echo>": "a" }, "+after": { "echo>": "b" } },
    [note, `${left} +before, +after`],
  ],
])("a downloaded definition is reported with its unused parts: %s", async (_, foreign, printed) => {
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const params = {
    api_endpoint: url,
    id_key: "event_key",
    delta_keys: ["user_id"],
    activation_mappings: [
      { delta_status: "new", connector_field: "file_name", connector_field_value: "fresh" },
    ],
    activation_actions_db: "main",
    activation_actions_table: "events",
    result_connection_name: "none",
    result_connection_settings: { type: "file", folder: "out", format: "ndjson" },
  };
  answer = stringify({ _export: { params }, ...foreign });
  const integrations = { site: "us01", gateways: { us01: url }, us01: { fetch: true } };
  const settings = { config: { integrations } } as unknown as Settings;
  const given = {
    name: "people",
    activation: params,
    timezone: "UTC",
  } as unknown as NamedActivation;
  const lines: string[] = [];
  const found = await findEndpoint(given, settings, testWorld(), (line) =>
    lines.push(formatLine(line)),
  );
  expect(found).toMatchObject({ name: "people", timezone: "UTC", activation: params });
  expect(lines).toEqual(printed);
});
