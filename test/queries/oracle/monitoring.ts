import { listFacts, type Fact } from "./record.ts";
import { sort, stamp, within, type Oracle, type Row } from "./rows.ts";

// Schedules, alerts and the settings of logs.

const schedules: readonly (readonly [RegExp, string])[] = [
  [/^(?:workflow_schedule_(?:disable|skip)|workflow_project_delete)$/, "switched off"],
  [/^workflow_schedule_enable$/, "switched on"],
  [/^workflow_schedule_backfill$/, "changed"],
  [/^POST \/api\/schedules\/\{id\}\/(?:disable|skip)$/, "switched off"],
  [/^POST \/api\/schedules\/\{id\}\/enable$/, "switched on"],
  [/^POST \/api\/schedules\/\{id\}\/backfill$/, "changed"],
  [/^POST \/v3\/schedule\/delete\/:name$/, "switched off"],
  [/^POST \/v3\/schedule\/create\/:name$/, "switched on"],
  [/^GET \/v3\/schedule\/update\/:old_name$/, "changed"],
];

const off = "false off disabled disable inactive none no 0".split(" ");
const on = "true on enabled enable active yes 1".split(" ");

/** Who switched what off or on. */
export const monitoringChanges: Oracle = (records, users, params) => {
  const rows = listFacts(records, users)
    .filter((f) => within(params, f.time))
    .flatMap((f): Row[] => {
      const setting = getSetting(f);
      const schedule = schedules.find(
        ([pattern]) => pattern.test(f.canonical ?? "") || pattern.test(f.operation ?? ""),
      );
      if (!schedule && !isWatching(setting)) return [];
      return [buildRow(f, setting, schedule?.[1] ?? getEffect(f, setting))];
    });
  return sort(
    rows,
    "event_time actor effect kind object event_name outcome attribute_name old_value new_value ip_address resource_id user_id",
  );
};

function getSetting(f: Fact): string {
  if (f.canonical === "account_modify") return (f.text("attribute_name") ?? "").toLowerCase();
  return f.canonical === null ? (f.name ?? "").toLowerCase() : "";
}

function isWatching(setting: string): boolean {
  if (/audit|alert|notif|monitor/.test(setting)) return true;
  return setting.includes("log") && !/login|logo|catalog/.test(setting);
}

function getEffect(f: Fact, setting: string): string {
  const state = (f.text("new_value") ?? "").replaceAll('"', "").trim().toLowerCase();
  if (off.includes(state)) return "switched off";
  if (on.includes(state)) return "switched on";
  if (/disable|delete|mute/.test(setting)) return "switched off";
  return /enable|create/.test(setting) ? "switched on" : "changed";
}

function buildRow(f: Fact, setting: string, effect: string): Row {
  const isSaved = f.operation?.includes("/v3/schedule/") === true;
  const attribute_name = f.text("attribute_name");
  const resource_id = f.text("resource_id");
  return {
    event_time: stamp(f.time),
    actor: f.actor,
    effect,
    kind: setting !== "" ? "setting" : isSaved ? "saved query schedule" : "workflow schedule",
    object: f.text("resource_name") ?? attribute_name ?? resource_id ?? f.path ?? "not recorded",
    event_name: f.canonical ?? f.name,
    outcome: f.outcome,
    attribute_name,
    old_value: f.text("old_value"),
    new_value: f.text("new_value"),
    ip_address: f.ip,
    resource_id,
    user_id: f.userId,
  };
}

/** Workflows that a person stops watching over. */
export const monitoringDisabled: Oracle = (records, users, params) => {
  const names = /^workflow_(?:schedule_disable|attempt_kill|project_secret_delete|project_delete)$/;
  const rows = listFacts(records, users)
    .filter(
      (f) =>
        within(params, f.time) &&
        names.test(f.canonical ?? "") &&
        f.outcome === "succeeded" &&
        f.userId !== null &&
        f.ip !== "internal",
    )
    .map((f) => ({
      event_time: stamp(f.time),
      actor: f.actor,
      event_name: f.canonical,
      workflow: f.text("resource_name") ?? f.text("resource_id") ?? f.path ?? "not recorded",
      ip_address: f.ip,
      user_id: f.userId,
      account: null,
    }));
  return sort(rows, "event_time actor event_name workflow ip_address user_id account");
};
