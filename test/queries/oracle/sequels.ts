import { exportedJob } from "./downloads.ts";
import { isDenial } from "./classify.ts";
import { listFacts, type Fact } from "./record.ts";
import {
  dayMs,
  hourMs,
  rowsBy,
  sort,
  span,
  stamp,
  within,
  type Cell,
  type Oracle,
} from "./rows.ts";

// Reports on what somebody did soon after something else.

const findNamed = (names: string) => {
  const known = new Set(names.split(" "));
  return (f: Fact): boolean => known.has(f.canonical ?? "");
};

/** Keys, and addresses that their actors used after them and never in the days before. */
export const apiKeyThenNewAddress: Oracle = (records, users, params) => {
  const [hours, days] = [Number(params["hours"] ?? 24), Number(params["days"] ?? 30)];
  const facts = listFacts(records, users).filter((f) => f.userId !== null);
  const isKey = findNamed("user_apikey_generate user_apikey_download");
  const keys = facts.filter((f) => isKey(f) && f.outcome === "succeeded");
  const distinctKeys = rowsBy(
    keys,
    (f) => [f.userId, f.time, f.canonical, f.actor, f.ip],
    ([f]) => ({ user: f.userId, time: f.time, name: f.canonical, actor: f.actor, ip: f.ip }),
  );
  const rows = distinctKeys.flatMap((key) => {
    const at = Number(key["time"]);
    const own = facts.filter((f) => f.userId === key["user"]);
    const known = new Set(
      own.filter((f) => f.time <= at && f.time >= at - days * dayMs).map((f) => f.ip),
    );
    const after = own.filter((f) => f.time > at && f.time <= at + hours * hourMs);
    const fresh = after.filter(
      (f) => !isDenial(f) && f.ip !== null && f.ip !== "internal" && !known.has(f.ip),
    );
    return rowsBy(
      fresh,
      (f) => [f.ip],
      (group) => {
        const firstUse = Math.min(...group.map(({ time }) => time));
        if (!within(params, firstUse)) return null;
        return {
          key_at: stamp(at),
          actor: key["actor"]!,
          event_name: key["name"]!,
          key_address: key["ip"]!,
          new_address: group[0].ip,
          first_use_at: stamp(firstUse),
          events: group.length,
          user_id: key["user"]!,
        };
      },
    );
  });
  return sort(rows, "key_at actor event_name key_address new_address user_id");
};

/** Connections that their makers used within some hours. */
export const connectionsUsedAtOnce: Oracle = (records, users, params) => {
  const reach = Number(params["hours"] ?? 24) * hourMs;
  const all = listFacts(records, users).filter((f) => f.outcome === "succeeded");
  const uses = all.filter(
    (f) =>
      findNamed("job_result_export data_transfer_create data_transfer_run")(f) &&
      f.time >= params.since &&
      f.time < params.until + reach,
  );
  const made = all.filter(
    (f) =>
      within(params, f.time) &&
      f.actor !== "unknown" &&
      findNamed("connection_create paas_create")(f),
  );
  const rows = rowsBy(
    made,
    (f): Cell[] => [f.userId, f.time, f.actor, f.text("resource_id"), f.text("resource_name")],
    ([f]) => {
      const own = uses.filter(
        (use) => use.actor === f.actor && use.time >= f.time && use.time <= f.time + reach,
      );
      if (own.length === 0) return null;
      const target = (use: Fact): string | null => {
        const second = use.text("target_resource_id");
        return use.text("target_connection") || (second === exportedJob(use) ? null : second);
      };
      const id = f.text("resource_id");
      const names = [id, f.text("resource_name")].filter((name) => name !== null) as Cell[];
      return {
        made_at: stamp(f.time),
        actor: f.actor,
        connection: f.text("resource_name"),
        connection_id: id,
        uses: own.length,
        uses_that_name_it: own.filter((use) => names.includes(target(use))).length,
        first_use_at: span(own.map((use) => use.time)).first_at,
        user_id: f.userId,
      };
    },
  );
  return sort(rows, "made_at actor connection connection_id user_id");
};
