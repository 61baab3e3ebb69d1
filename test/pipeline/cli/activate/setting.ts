import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Call, Destination, Fault } from "../../../../fixtures/destinations/destination.ts";
import { startMarketingCloud } from "../../../../fixtures/destinations/marketing-cloud.ts";
import { startMessaging } from "../../../../fixtures/destinations/messaging.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import type { Outcome } from "../../../support/command.ts";
import { spawnCommand } from "../../../support/killed.ts";

/** A home, a report of its denials, and an activation that delivers them. */
export type Setting = {
  readonly home: TestHome;
  /** Imports one denied event per user, a day later each time. */
  readonly denials: (...users: number[]) => Promise<void>;
  readonly activate: (...flags: string[]) => Promise<Outcome>;
  /** Activates in a process of its own, killed with SIGKILL by the call that `at` picks, which then goes wrong so. */
  readonly killAt: (at: (call: Call) => boolean, fault: Fault) => Promise<void>;
};

/** The nth number, from 1. User 99 has none. */
export const number = (n: number): string => `+1631555${String(n).padStart(4, "0")}`;

const report = [
  "-- title: Denials",
  "-- grain: one row per denial",
  "select event_key as id, 'user ' || user_id as actor, user_id as count,",
  "    case when user_id = 99 then 'nobody' else '+1631555' || lpad(cast(user_id as varchar), 4, '0') end as phone_number",
  "from denials",
  "order by event_key",
].join("\n");

const dayMs = 86_400_000;

function newSetting(destination: Destination, secrets: object, activation: object): Setting {
  const home = newHome();
  onTestFinished(async () => {
    await destination[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });
  home.write("queries/denied.sql", report);
  const denied = {
    report: "denied",
    id_key: "id",
    result_connection_name: "stored",
    ...activation,
  };
  const config = { authentications: { stored: { env: "STORED" } }, activations: { denied } };
  const file = home.write("auditlake.json", JSON.stringify(config));
  const argv = ["--config", file, "activate", "denied"];
  const env = { STORED: JSON.stringify(secrets), AUDITLAKE_QUERIES: join(home.folder, "queries") };
  let day = Date.parse("2026-03-01T00:00:00Z");
  return {
    home,
    denials: async (...users) => {
      day += dayMs;
      const records = users.map((user_id) => ({
        id: `${day}-${user_id}`,
        time: day / 1000 - user_id,
        event_name: "job_kill",
        event_result: "denied",
        user_id,
      }));
      const now = day;
      const { code, err } = await home.load(records, { now: () => now });
      if (code !== 0) throw new Error(err);
    },
    activate: (...flags) => home.run([...argv, ...flags], { env }),
    killAt: async (at, fault) => {
      const child = spawnCommand(["--home", home.home, ...argv], env);
      destination.fault((call) => {
        if (child.killed) return "reset";
        if (!at(call)) return undefined;
        child.kill("SIGKILL");
        return fault;
      });
      await once(child, "exit");
      destination.fault(undefined);
      if (child.signalCode !== "SIGKILL") throw new Error("the process ended before the call came");
    },
  };
}

/** Activates to a messaging service; `reached` is whom messages arrived at, in order. */
export async function toMessaging(...statuses: string[]) {
  const service = await startMessaging();
  const setting = newSetting(
    service,
    { access_token: service.token },
    {
      delta_keys: ["actor"],
      activation_mappings: statuses.map((delta_status) => ({
        delta_status,
        connector_field: "text_content",
        connector_field_value: `${delta_status} denial`,
      })),
      result_connection_settings: {
        type: "messaging_business",
        access_token: "__SAVED__",
        base_url: service.url,
        version: service.version,
        messaging_product: "messages",
        send_by: "display_phone_number",
        phone_number: "+1 631-555-5550",
        account_id: service.account.id,
        text_content: "A denial.",
      },
    },
  );
  return { ...setting, service, reached: () => service.arrived().map(({ to }) => to) };
}

const fields = [
  { name: "id", type: "Text", length: 64, isPrimaryKey: true },
  { name: "actor", type: "Text", length: 100 },
  { name: "count", type: "Number" },
] as const;

/** Activates to a marketing cloud; `actors` is whom the rows in the data extension name. */
export async function toMarketingCloud(settings: object = {}) {
  const account = await startMarketingCloud();
  account.make("denials", fields);
  const setting = newSetting(
    account,
    { client_id: account.clientId, client_secret: account.clientSecret },
    {
      activation_mappings: [
        { delta_status: "new", connector_field: "data_operation", connector_field_value: "upsert" },
      ],
      outputs: { columns: ["id", "actor", "count"] },
      result_connection_settings: {
        type: "marketing_cloud_v2",
        client_id: "__SAVED__",
        client_secret: "__SAVED__",
        auth_type: "v2",
        auth_uri: account.url,
        soap_namespace: account.soapNamespace,
        de_name: "denials",
        ...settings,
      },
    },
  );
  const actors = (): unknown[] => account.arrived("denials").map((row) => row["actor"]);
  return { ...setting, account, actors: () => actors().toSorted() };
}

/** Number, outcome and figures of the runs that analysts see, in order. */
export function readRuns(home: TestHome) {
  return home.rows(
    "select number, outcome, rows_new, accepted, refused, doubtful from activation_runs order by started_at, run_id",
  );
}
