import { isDenial } from "./classify.ts";
import { listFacts, type Fact } from "./record.ts";
import {
  dayMs,
  largestId,
  rowsBy,
  sort,
  span,
  stamp,
  within,
  type Oracle,
  type Row,
} from "./rows.ts";

const isAddress = (ip: string | null): boolean => ip !== null && ip !== "internal";
const isNamed = (f: Fact): boolean => f.email !== null || f.userId !== null;

/** Addresses that an actor used in the range and not in the days before it. */
export const newAddresses: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const around = { ...params, since: params.since - Number(params["days"] ?? 30) * dayMs };
  const uses = facts.filter((f) => within(around, f.time) && isAddress(f.ip) && isNamed(f));
  const rows = rowsBy(
    uses,
    (f) => [f.actor, f.ip],
    (group) => {
      if (group.some((f) => f.time < params.since)) return null;
      const { first_at, last_at } = span(group.map((f) => f.time));
      const everywhere = facts.filter((f) => f.ip === group[0].ip).map((f) => f.time);
      return {
        first_at,
        actor: group[0].actor,
        ip_address: group[0].ip,
        events: group.length,
        new_to_all: span(everywhere).first_at === first_at,
        last_at,
        user_id: largestId(group.map((f) => f.userId)),
      };
    },
  );
  return sort(rows, "first_at actor ip_address");
};

/** Users of the list whom no event of the range shows. */
export const inactiveUsers: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const seen = facts.filter((f) => within(params, f.time));
  const rows = users.flatMap((user): Row[] => {
    const [id, email] = [String(user.id), user.email.toLowerCase()];
    const isTheirs = (f: Fact): boolean =>
      f.userId === null ? f.email?.toLowerCase() === email : f.userId === id;
    if (seen.some(isTheirs)) return [];
    const times = facts.filter(isTheirs).map((f) => f.time);
    return [
      {
        actor: email,
        administrator: user.administrator ?? null,
        account_owner: user.account_owner ?? null,
        last_seen_at: times.length === 0 ? null : span(times).last_at,
        user_id: id,
      },
    ];
  });
  return sort(rows, "last_seen_at actor user_id");
};

/** Sign-ins, and attempts of them, by actor, address and kind. */
export const signInsByAddress: Oracle = (records, users, params) => {
  const attempts = listFacts(records, users).filter(
    (f) =>
      within(params, f.time) &&
      (f.denialKind === "failed_sign_in" ||
        /^(sign_in|sign_in_reporting|paas_sign_in)$/.test(f.canonical ?? "")),
  );
  const rows = rowsBy(
    attempts,
    (f) => [f.actor, f.ip ?? "not recorded", f.canonical ?? f.name],
    (group) => ({
      actor: group[0].actor,
      ip_address: group[0].ip ?? "not recorded",
      event_name: group[0].canonical ?? group[0].name,
      sign_ins: group.filter((f) => f.outcome === "succeeded").length,
      failures: group.filter(isDenial).length,
      ...span(group.map((f) => f.time)),
      user_id: largestId(group.map((f) => f.userId)),
    }),
  );
  return sort(rows, "actor ip_address event_name");
};

/** Events about API keys. */
export const apiKeyEvents: Oracle = (records, users, params) => {
  const names = /^(apikey_modify|user_apikey_(generate|download|delete))$/;
  const rows = listFacts(records, users)
    .filter((f) => within(params, f.time) && names.test(f.canonical ?? ""))
    .map((f) => {
      const id = f.text("affected_user_id");
      return {
        event_time: stamp(f.time),
        actor: f.actor,
        event_name: f.canonical,
        affected: f.text("affected_user") ?? (id === null ? null : `user ${id}`),
        outcome: f.outcome,
        ip_address: f.ip,
        resource_id: f.text("resource_id"),
        user_id: f.userId,
      };
    });
  return sort(rows, "event_time actor event_name affected outcome ip_address resource_id user_id");
};
