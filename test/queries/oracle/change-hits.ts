import { listChanges, type Change } from "./changes.ts";
import { accountOrAddressOf, idIn, numberIn, windowsOf } from "./hits.ts";
import { isHeldAt, membersAt } from "./policies.ts";
import { listHoldings, type Holding } from "./holdings.ts";
import { listFacts, type Fact, type User } from "./record.ts";
import { hourMs, minuteMs, sort, stamp, within, type Oracle, type Row } from "./rows.ts";

// Detections of changes to rights, accounts and sign-in rules.

/** Changes of permissions by people who made many of them. */
export const massPermissionChanges: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const changed = new Set(listChanges(facts, users).map(({ fact }) => fact));
  const events = [...changed].filter(({ canonical }) => canonical !== "user_delete");
  const keyOf = (f: Fact): string => f.userId ?? `${accountOrAddressOf(f)}`;
  const rows = windowsOf(events, keyOf, numberIn(params, "minutes", 60) * minuteMs, params)
    .filter(({ own }) => own.length >= numberIn(params, "changes", 25))
    .map(({ last, own, firstAt }) => ({
      event_time: stamp(last.time),
      actor: last.actor,
      changes: own.length,
      first_at: stamp(firstAt),
      event_name: last.canonical,
      ip_address: last.ip,
      user_id: last.userId,
      account: accountOrAddressOf(last),
    }));
  return sort(rows, "event_time actor changes first_at event_name ip_address user_id account");
};

/** Changes of the account and of its password policy that took place. */
export const signInRulesChanged: Oracle = (records, users, params) => {
  const rows = listFacts(records, users)
    .filter((f) => within(params, f.time) && f.outcome === "succeeded")
    .flatMap((f): Row[] => {
      const settings: Readonly<Record<string, string>> = {
        password_policy_modify: "the password policy",
        account_modify: f.text("attribute_name") ?? "a setting",
      };
      const setting = settings[f.canonical ?? ""];
      if (setting === undefined) return [];
      return [
        {
          event_time: stamp(f.time),
          actor: f.actor,
          setting,
          event_name: f.canonical,
          attribute_name: f.text("attribute_name"),
          old_value: f.text("old_value") ?? f.text("old_values"),
          new_value: f.text("new_value") ?? f.text("new_values"),
          ip_address: f.ip,
          user_id: f.userId,
          account: accountOrAddressOf(f),
        },
      ];
    });
  return sort(
    rows,
    "event_time actor setting event_name attribute_name old_value new_value ip_address user_id account",
  );
};

/** The first time that a person downloaded the audit log. */
export const auditLogRead: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const start = facts.reduce((first, { time }) => Math.min(first, time), Infinity);
  const quietUntil = start + numberIn(params, "learning_hours", 720) * hourMs;
  const downloads = facts.filter(
    (f) => f.canonical === "audit_log_download" && f.outcome === "succeeded",
  );
  const whoOf = (f: Fact): string =>
    idIn(users, f.userId, f.email) ?? f.email?.toLowerCase() ?? "unknown";
  const rows = downloads
    .filter((f) => within(params, f.time) && f.time >= quietUntil)
    .filter((f) => !downloads.some((d) => d.time < f.time && whoOf(d) === whoOf(f)))
    .map((f) => {
      const userId = idIn(users, f.userId, f.email);
      const account = userId === null ? (f.email?.toLowerCase() ?? "unknown") : null;
      return {
        event_time: stamp(f.time),
        actor: f.actor,
        ip_address: f.ip,
        user_id: userId,
        account,
      };
    });
  return sort(rows, "event_time actor ip_address user_id account");
};

/** Invitations of people whose domain no user has, or that is not among those given. */
export const outsideInvitation: Oracle = (records, users, params) => {
  const given = params["internal_domains"];
  const domainOf = (email: string): string => email.trim().toLowerCase().split("@")[1]!;
  const domainsBeside = (invited: string, id: string | null): string[] =>
    users
      .filter((user) => user.email.toLowerCase() !== invited && String(user.id) !== id)
      .map(({ email }) => domainOf(email));
  const rows = listFacts(records, users)
    .filter((f) => within(params, f.time) && f.canonical === "user_invite")
    .filter((f) => f.outcome === "succeeded" && /^.*.@.+/.test(f.text("resource_name") ?? ""))
    .flatMap((f): Row[] => {
      const invited = f.text("resource_name")!.toLowerCase();
      const domain = domainOf(invited);
      const known =
        given === undefined
          ? domainsBeside(invited, f.text("resource_id"))
          : String(given).toLowerCase().split(/ *, */);
      if (known.length === 0 || known.includes(domain)) return [];
      return [
        {
          event_time: stamp(f.time),
          actor: f.actor,
          invited,
          domain,
          ip_address: f.ip,
          user_id: f.userId,
          account: accountOrAddressOf(f),
        },
      ];
    });
  return sort(rows, "event_time actor invited domain ip_address user_id account");
};

/** Downloads by people who had given a right to themselves. */
export const selfGrantThenDownload: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const windowMs = numberIn(params, "hours", 4) * hourMs;
  const grants = listChanges(facts, users).filter(({ change }) => change === "granted");
  const isOf = (a: Fact, b: Fact): boolean => whoIs(users, a) === whoIs(users, b);
  const downloads = facts.filter(
    (f) =>
      f.canonical === "job_result_download" &&
      f.outcome === "succeeded" &&
      whoIs(users, f) !== "unknown",
  );
  const rows = downloads
    .filter((f) => within(params, f.time))
    .flatMap((f): Row[] => {
      const totals = grants
        .filter(({ fact }) => isOf(fact, f) && f.time - fact.time <= windowMs)
        .map((grant) => ({
          grantedAt: grant.fact.time,
          heldFrom: heldFrom(users, facts, grant),
        }))
        .filter(({ heldFrom: from }) => from.some((time) => time <= f.time))
        .map(({ grantedAt, heldFrom: from }) => {
          const own = downloads.filter(
            (d) => isOf(d, f) && d.time <= f.time && from.some((time) => time <= d.time),
          );
          const bytes = own.reduce((sum, d) => sum + (d.number("bytesize") ?? 0), 0);
          return { grantedAt, count: own.length, bytes };
        })
        .filter(
          ({ count, bytes }) =>
            count >= numberIn(params, "downloads", 4) ||
            bytes >= numberIn(params, "megabytes", 500) * 1e6,
        );
      if (totals.length === 0) return [];
      const userId = idIn(users, f.userId, f.email);
      return [
        {
          event_time: stamp(f.time),
          actor: f.actor,
          downloads: Math.max(...totals.map(({ count }) => count)),
          bytes: Math.max(...totals.map(({ bytes }) => bytes)),
          megabytes: Math.floor(Math.max(...totals.map(({ bytes }) => bytes)) / 1e6),
          first_at: stamp(Math.min(...totals.map(({ grantedAt }) => grantedAt))),
          ip_address: f.ip,
          user_id: userId,
          account: userId === null ? f.email!.toLowerCase() : null,
        },
      ];
    });
  return sort(
    rows,
    "event_time actor downloads bytes megabytes first_at ip_address user_id account",
  );
};

const whoIs = (users: readonly User[], f: Fact): string =>
  idIn(users, f.userId, f.email) ?? f.email?.toLowerCase() ?? "unknown";

// From when its maker has what a change gave to them, or to a policy that they are or become a member of.
function heldFrom(users: readonly User[], facts: readonly Fact[], grant: Change): number[] {
  const { fact, subjectKind, subjectId, subjectName } = grant;
  const userId = idIn(users, fact.userId, fact.email);
  const isOwn =
    (subjectId !== null && subjectId === userId) ||
    (fact.email !== null && subjectName?.toLowerCase() === fact.email.toLowerCase());
  if (subjectKind === "user") return isOwn ? [fact.time] : [];
  const isMembership = (h: Holding): boolean =>
    h.scope === `Policies ${subjectId}` && h.subjectId === userId;
  return listHoldings(facts)
    .filter((h) => isMembership(h) && (isHeldAt(h, fact.time) || (h.from ?? 0) >= fact.time))
    .map(({ from }) => Math.max(from ?? fact.time, fact.time));
}

/** Users who had full access within hours of being invited or first seen. */
export const newUserFullAccess: Oracle = (records, users, params) => {
  const facts = listFacts(records, users);
  const start = facts.reduce((first, { time }) => Math.min(first, time), Infinity);
  const quietUntil = start + numberIn(params, "learning_hours", 720) * hourMs;
  const windowMs = numberIn(params, "hours", 24) * hourMs;
  const rows = listChanges(facts, users)
    .filter(({ change, fact }) => change === "granted" && within(params, fact.time))
    .filter(({ fact }) => fact.time >= quietUntil)
    .flatMap((change) => listReceived(facts, change))
    .flatMap(({ change, how, userId, name }): Row[] => {
      const { time, actor, ip } = change.fact;
      const cameAt = findArrival(facts, users, userId);
      if (cameAt > time || time - cameAt > windowMs) return [];
      const email = users.find(({ id }) => String(id) === userId)?.email.toLowerCase();
      return [
        {
          event_time: stamp(time),
          person: name ?? email ?? `user ${userId}`,
          how,
          granted_by: actor,
          came_at: stamp(cameAt),
          ip_address: ip,
          user_id: userId,
        },
      ];
    });
  return sort(rows, "event_time person how granted_by came_at ip_address user_id");
};

type Received = {
  readonly change: Change;
  readonly how: string;
  readonly userId: string;
  readonly name: string | null;
};

function listReceived(facts: readonly Fact[], change: Change): Received[] {
  const { fact, kind, operation, subjectKind, subjectId, subjectName, objectId } = change;
  const isPromotion = ["administrator", "account_owner"].includes(operation ?? "");
  const to = (userId: string | null, name: string | null, how: string): Received[] =>
    userId === null ? [] : [{ change, how, userId, name }];
  if (kind === "Account" && isPromotion)
    return to(subjectId, subjectName, `made ${operation!.replace("_", " ")}`);
  if (kind === "Databases" && operation === "manage" && objectId === null) {
    const how = `manage granted to ${subjectKind}`;
    return subjectKind === "user"
      ? to(subjectId, subjectName, how)
      : membersAt(facts, subjectId, fact.time).flatMap((id) => to(id, null, how));
  }
  const isJoining = fact.canonical === "permission_policy_attach_user";
  const isManaging = listHoldings(facts).some(
    (h) =>
      h.subjectKind === "policy" &&
      h.subjectId === objectId &&
      h.right.kind === "Databases" &&
      h.right.operation === "manage" &&
      h.right.objectId === null &&
      isHeldAt(h, fact.time),
  );
  return isJoining && isManaging
    ? to(subjectId, subjectName, "attached to policy with manage")
    : [];
}

function findArrival(facts: readonly Fact[], users: readonly User[], userId: string): number {
  const emails = users
    .filter(({ id }) => String(id) === userId)
    .map(({ email }) => email.toLowerCase());
  const isInvitation = (f: Fact): boolean =>
    f.canonical === "user_invite" &&
    f.outcome === "succeeded" &&
    (f.text("resource_id") === userId ||
      emails.includes(f.text("resource_name")?.toLowerCase() ?? ""));
  return facts
    .filter(
      (f) =>
        f.userId === userId || emails.includes(f.email?.toLowerCase() ?? "") || isInvitation(f),
    )
    .reduce((first, { time }) => Math.min(first, time), Infinity);
}
