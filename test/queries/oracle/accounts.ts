import { toMoment, read } from "./access-rows.ts";
import { listChanges, type Change } from "./changes.ts";
import { fullAccessHolders } from "./access.ts";
import { accountOrAddressOf } from "./hits.ts";
import type { Fact } from "./record.ts";
import { dayMs, sort, stamp, within, type Oracle, type Row } from "./rows.ts";

const signIns = ["sign_in", "sign_in_reporting", "paas_sign_in"];

/** Full access of accounts that no person works with. */
export const serviceAccountAccess: Oracle = (records, users, params) => {
  const { facts } = read(records, users);
  const on = toMoment(params);
  const since = on - Number(params["days"] ?? 30) * dayMs;
  const rows = fullAccessHolders(records, users, params).flatMap((row): Row[] => {
    const address = users.find(({ id }) => String(id) === row["user_id"])?.email.toLowerCase();
    const own = facts.filter(
      ({ userId, email, time }) =>
        time >= since &&
        time < on &&
        (userId === null
          ? email !== null && email.toLowerCase() === address
          : userId === row["user_id"]),
    );
    const isNamed = /^svc/i.test(address ?? "");
    const isSigning = own.some(
      (f) => signIns.includes(f.canonical ?? "") && f.outcome === "succeeded",
    );
    const why = isNamed ? "by its name" : own.length > 0 && !isSigning ? "without a sign-in" : null;
    if (why === null) return [];
    const { valid_from, valid_to: _to, is_listed: _is, ...rest } = row;
    const last = own.length === 0 ? null : stamp(Math.max(...own.map(({ time }) => time)));
    return [{ ...rest, why, held_since: valid_from ?? null, last_seen_at: last }];
  });
  return sort(
    rows,
    "holder operation way policy why held_since granted_by last_seen_at known_from user_id policy_id",
  );
};

// By the user whose right it is, by the id or the e-mail.
const isBy = ({ userId, email }: Fact, { subjectId, subjectName }: Change): boolean =>
  (userId !== null && userId === subjectId) ||
  (email !== null && email.toLowerCase() === subjectName?.toLowerCase());

/** Who was attached by another one to a policy that they had changed themselves. */
export const twoStepGrants: Oracle = (records, users, params) => {
  const { facts } = read(records, users);
  const changes = listChanges(facts, users);
  const windowMs = Number(params["days"] ?? 30) * dayMs;
  const rows = changes
    .filter((c) => c.fact.canonical === "permission_policy_attach_user" && c.change === "granted")
    .filter((c) => within(params, c.fact.time) && c.subjectId !== null && c.objectId !== null)
    .filter((c) => !isBy(c.fact, c))
    .flatMap((c): Row[] => {
      const own = changes.filter(
        ({ fact, subjectKind, subjectId, change }) =>
          subjectKind === "policy" &&
          subjectId === c.objectId &&
          (fact.userId === null ? isBy(fact, c) : fact.userId === c.subjectId) &&
          (change === "granted" || change === "created") &&
          fact.time <= c.fact.time &&
          fact.time >= c.fact.time - windowMs,
      );
      if (own.length === 0) return [];
      const given = own.filter(({ change }) => change === "granted");
      return [
        {
          event_time: stamp(c.fact.time),
          actor: c.fact.actor,
          member: c.subjectName ?? `user ${c.subjectId}`,
          policy: c.objectName ?? c.objectId,
          is_maker: own.length > given.length,
          rights_given: given.length,
          gave_manage: given.some(({ operation }) => operation === "manage"),
          first_changed_at: stamp(Math.min(...own.map(({ fact }) => fact.time))),
          ip_address: c.fact.ip,
          policy_id: c.objectId,
          subject_id: c.subjectId,
          user_id: c.fact.userId,
          account: accountOrAddressOf(c.fact),
        },
      ];
    });
  return sort(
    rows,
    "event_time actor member policy is_maker rights_given gave_manage first_changed_at ip_address policy_id subject_id user_id account",
  );
};

/** Administrators and account owners made. */
export const administratorGranted: Oracle = (records, users, params) => {
  const rows = listChanges(read(records, users).facts, users)
    .filter((c) => c.change === "granted" && c.kind === "Account" && within(params, c.fact.time))
    .filter(({ operation }) => ["administrator", "account_owner"].includes(operation ?? ""))
    .map((c) => ({
      event_time: stamp(c.fact.time),
      actor: c.fact.actor,
      role: c.operation === "account_owner" ? "account owner" : "administrator",
      subject: c.subjectName ?? (c.subjectId === null ? "unknown" : `user ${c.subjectId}`),
      ip_address: c.fact.ip,
      subject_id: c.subjectId,
      user_id: c.fact.userId,
      account: accountOrAddressOf(c.fact),
    }));
  return sort(rows, "event_time actor role subject ip_address subject_id user_id account");
};
