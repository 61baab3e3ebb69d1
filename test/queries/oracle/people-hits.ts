import { isDenial } from "./classify.ts";
import { accountOf, addressOf, idIn, numberIn } from "./hits.ts";
import { getReach, listWays } from "./reach.ts";
import { listFacts, type Fact } from "./record.ts";
import { dayMs, hourMs, sort, stamp, within, type Oracle, type Row } from "./rows.ts";

/** Holders of full access who come from an address for the first time. */
export const fullAccessNewAddress: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const named = facts.filter((f) => f.userId !== null || f.email !== null || addressOf(f) !== null);
  const start = named.reduce((least, { time }) => Math.min(least, time), Infinity);
  const learnedAt = start + numberIn(params, "learning_hours", 720) * hourMs;
  const full = listWays(facts, users).filter(
    (way) =>
      getReach(way) === "every database" &&
      ["manage", "administrator", "account_owner"].includes(way.operation),
  );
  const acts = facts.filter((f) => f.outcome === "succeeded" && addressOf(f) !== null);
  const userOf = (f: Fact): string | null => idIn(users, f.userId, f.email);
  const groups = Map.groupBy(acts, (f) => JSON.stringify([userOf(f), f.ip]));
  const rows = [...groups.values()].flatMap((group): Row[] => {
    const user = userOf(group[0]!);
    const first = Math.min(...group.map(({ time }) => time));
    const isHolder = full.some(
      ({ userId, from, to }) =>
        userId === user && (from === null || from <= first) && (to === null || to > first),
    );
    if (user === null || !isHolder || first < learnedAt || !within(params, first)) return [];
    return group
      .filter(({ time }) => time === first)
      .map((f) => ({
        event_time: stamp(first),
        actor: f.actor,
        ip_address: f.ip,
        event_name: f.canonical,
        resource_name: f.text("resource_name"),
        user_id: user,
      }));
  });
  return sort(rows, "event_time actor ip_address event_name resource_name user_id");
};

/** People who act for the first time after many days. */
export const dormantAccountActive: Oracle = (records, users, params) => {
  const silenceMs = numberIn(params, "days", 90) * dayMs;
  const facts = listFacts(records, users).filter((f) => f.userId !== null || f.email !== null);
  const userOf = (f: Fact): string | null => idIn(users, f.userId, f.email);
  const people = Map.groupBy(facts, (f) => JSON.stringify([userOf(f) ?? accountOf(f)]));
  const rows = [...people.values()].flatMap((own) => {
    const acts = own.filter((f) => !isDenial(f));
    return acts
      .filter(({ time }) => within(params, time))
      .flatMap((act): Row[] => {
        const from = act.time - silenceMs;
        const before = own.filter(({ time }) => time < from).map(({ time }) => time);
        if (before.length === 0 || acts.some(({ time }) => time >= from && time < act.time))
          return [];
        const lastSeen = before.reduce((a, b) => Math.max(a, b));
        const user = userOf(act);
        return [
          {
            event_time: stamp(act.time),
            actor: act.actor,
            silent_days: Math.floor((act.time - lastSeen) / dayMs),
            last_seen_at: stamp(lastSeen),
            event_name: act.canonical,
            ip_address: act.ip,
            user_id: user,
            account: user === null ? accountOf(act) : null,
          },
        ];
      });
  });
  return sort(
    rows,
    "event_time actor silent_days last_seen_at event_name ip_address user_id account",
  );
};

/** What users did after they were deleted. */
export const deletedUserActive: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const done = facts.filter((f) => f.outcome === "succeeded");
  const deletions = done
    .filter((f) => f.canonical === "user_delete")
    .map((f) => ({ time: f.time, id: idIn(users, deletedId(f), deletedEmail(f)) }));
  const invitations = done.filter((f) => f.canonical === "user_invite");
  const rows = facts
    .filter((f) => within(params, f.time) && !isDenial(f) && addressOf(f) !== null)
    .flatMap((f): Row[] => {
      const times = deletions
        .filter(({ id, time }) => id !== null && id === f.userId && time < f.time)
        .map(({ time }) => time);
      if (times.length === 0) return [];
      const deletedAt = Math.max(...times);
      const isInvited = invitations.some(
        (i) => i.text("resource_id") === f.userId && i.time >= deletedAt && i.time <= f.time,
      );
      if (isInvited) return [];
      return [
        {
          event_time: stamp(f.time),
          actor: f.actor,
          event_name: f.canonical,
          resource_name: f.text("resource_name"),
          ip_address: f.ip,
          deleted_at: stamp(deletedAt),
          user_id: f.userId,
        },
      ];
    });
  return sort(rows, "event_time actor event_name resource_name ip_address deleted_at user_id");
};

function deletedId(f: Fact): string | null {
  const id = f.text("resource_id") || null;
  const [, inPath] = /users\/([^?/.]*)/.exec(f.path ?? "") ?? [];
  return (id?.includes("@") ? null : id) ?? f.text("affected_user_id") ?? inPath ?? null;
}

function deletedEmail(f: Fact): string | null {
  const fields = ["resource_id", "affected_user", "resource_name"].map((name) => f.text(name));
  const [, inPath] = /\/user\/remove\/([^?/]*)/.exec(f.path ?? "") ?? [];
  return (
    fields.find((text) => text?.includes("@")) ??
    (inPath === undefined ? null : decodeURIComponent(inPath))
  );
}
