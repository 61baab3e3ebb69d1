import { exportedJob } from "./downloads.ts";
import { isDenial } from "./classify.ts";
import { numberIn } from "./hits.ts";
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

// Reports on what a user did soon after something else.

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

/** Uses of connections by their makers, within some hours. */
export const connectionsUsedAtOnce: Oracle = (records, users, params) => {
  const reach = numberIn(params, "hours", 24) * hourMs;
  const all = listFacts(records, users).filter(
    (f) => f.outcome === "succeeded" && f.actor !== "unknown",
  );
  const personOf = (f: Fact): string => f.userId ?? f.actor;
  const isUse = findNamed("job_result_export data_transfer_create data_transfer_run");
  const isMaking = findNamed("connection_create paas_create");
  const rows = all
    .filter((use) => isUse(use) && within(params, use.time))
    .flatMap((use) => {
      const made = all.filter(
        (f) =>
          isMaking(f) &&
          personOf(f) === personOf(use) &&
          f.time <= use.time &&
          use.time - f.time <= reach,
      );
      const second = use.text("target_resource_id");
      const target = use.text("target_connection") || (second === exportedJob(use) ? null : second);
      return rowsBy(
        made,
        (f): Cell[] => [f.text("resource_id"), f.text("resource_name")],
        (group) => {
          const [id, connection] = ["resource_id", "resource_name"].map((name) =>
            group[0].text(name),
          );
          return {
            event_time: stamp(use.time),
            actor: use.actor,
            event_name: use.canonical,
            connection: connection!,
            connection_id: id!,
            made_at: span(group.map((f) => f.time)).last_at,
            is_named: target !== null && [id, connection].includes(target),
            ip_address: use.ip,
            user_id: use.userId,
            account: use.userId === null ? use.actor : null,
          };
        },
      );
    });
  return sort(
    rows,
    "event_time actor event_name connection connection_id made_at is_named ip_address user_id account",
  );
};
