import { clockAt, isWeekendAt } from "./clock.ts";
import { listChanges, type Change } from "./changes.ts";
import { accountOrAddressOf, numberIn } from "./hits.ts";
import { isFullAccess } from "./permissions.ts";
import { managesAt, membersAt } from "./policies.ts";
import { listFacts, shownBy, type Fact, type RawRecord, type User } from "./record.ts";
import {
  dayMs,
  hourMs,
  distinct,
  largestId,
  rowsBy,
  sort,
  span,
  stamp,
  within,
  type Cell,
  type Oracle,
  type Params,
  type Row,
} from "./rows.ts";

type Read = { readonly facts: readonly Fact[]; readonly changes: readonly Change[] };

function read(records: readonly RawRecord[], users: readonly User[], params: Params): Read {
  const facts = listFacts(records, users);
  return { facts, changes: listChanges(facts, users).filter((c) => within(params, c.fact.time)) };
}

const getSubject = (c: Change): string =>
  c.subjectName ?? (c.subjectId === null ? "unknown" : `${c.subjectKind} ${c.subjectId}`);
const buildObject = (c: Change): Cell => c.objectName ?? c.objectId;
const isToSelf = (c: Change): boolean =>
  c.subjectKind === "user" &&
  ((c.subjectId !== null && c.subjectId === c.fact.userId) ||
    (c.fact.email !== null && c.subjectName?.toLowerCase() === c.fact.email.toLowerCase()));

// The columns that most of these reports share.
const base = (c: Change) => ({
  event_time: stamp(c.fact.time),
  actor: c.fact.actor,
  subject: getSubject(c),
  ip_address: c.fact.ip,
  subject_id: c.subjectId,
  user_id: c.fact.userId,
});

/** Every right moved; an edit of rights that moves none is listed once as `other`. */
export const permissionChangesList: Oracle = (records, users, params) => {
  const { facts, changes } = read(records, users, params);
  const moved = new Set(changes.map((c) => c.fact));
  const edits = ["permission_policy_modify", "permission_modify", "database_permission_modify"];
  const others = facts.filter(
    (f) =>
      within(params, f.time) &&
      f.outcome === "succeeded" &&
      edits.includes(f.canonical ?? "") &&
      !moved.has(f),
  );
  const rows = [...changes.map(listRow), ...others.map((f) => listRow(otherEdit(f)))];
  return sort(
    rows,
    "event_time actor subject change resource_kind operation object object_id subject_kind subject_id event_name ip_address old_value new_value user_id",
  );
};

function listRow(c: Omit<Change, "change"> & { change: string }): Row {
  const change = c as Change;
  return {
    ...base(change),
    change: c.change,
    operation: c.operation,
    object: buildObject(change),
    resource_kind: c.kind,
    event_name: c.fact.canonical,
    subject_kind: c.subjectKind,
    object_id: c.objectId,
    old_value: c.change === "unparsed" ? getValue(c.fact, "old_value") : null,
    new_value: c.change === "unparsed" ? getValue(c.fact, "new_value") : null,
  };
}

const getValue = (fact: Fact, name: string): string | null =>
  fact.text(name) ?? fact.text(`${name}s`);

function otherEdit(fact: Fact): Omit<Change, "change"> & { change: string } {
  const isPolicy = fact.canonical === "permission_policy_modify";
  const isShare = fact.canonical === "database_permission_modify";
  return {
    fact,
    change: "other",
    kind: null,
    operation: null,
    subjectKind: isPolicy ? "policy" : "user",
    origin: isPolicy ? "policy" : isShare ? "share" : "set",
    subjectId: fact.text(isPolicy ? "resource_id" : "affected_user_id"),
    subjectName: fact.text(isPolicy ? "resource_name" : "affected_user"),
    objectId: isShare ? fact.text("resource_id") : null,
    objectName: isShare ? fact.text("resource_name") : null,
  };
}

/** Rights moved, by who moved them. */
export const permissionChangesByActor: Oracle = (records, users, params) => {
  const { changes } = read(records, users, params);
  const rows = rowsBy(
    changes,
    (c) => [c.fact.actor],
    (group) => ({
      actor: group[0].fact.actor,
      granted: group.filter((c) => c.change === "granted").length,
      revoked: group.filter((c) => c.change === "revoked").length,
      full_access: group.filter((c) => c.change === "granted" && isFullAccess(c)).length,
      edits: new Set(group.map((c) => c.fact)).size,
      unparsed: new Set(group.filter((c) => c.change === "unparsed").map((c) => c.fact)).size,
      subjects: distinct(
        group.map((c) => (c.subjectId === null ? null : `${c.subjectKind} ${c.subjectId}`)),
      ),
      ...span(group.map((c) => c.fact.time)),
      user_id: largestId(group.map((c) => c.fact.userId)),
    }),
  );
  return sort(rows, "-granted -revoked actor");
};

/** Every way to full access: manage granted, a policy with manage joined, a promotion. */
export const fullAccessGranted: Oracle = (records, users, params) => {
  const { facts, changes } = read(records, users, params);
  const granted = changes.filter((c) => c.change === "granted");
  const rows = granted.flatMap((c): Row[] => {
    const how = howFullAccess(c, facts);
    if (how === null) return [];
    return [
      {
        ...base(c),
        how,
        object: buildObject(c),
        to_self: isToSelf(c),
        subject_kind: c.subjectKind,
        account: accountOrAddressOf(c.fact),
      },
    ];
  });
  return sort(
    rows,
    "event_time actor how subject object ip_address subject_kind subject_id user_id account",
  );
};

function howFullAccess(c: Change, facts: readonly Fact[]): string | null {
  if (c.kind === "Account" && isFullAccess(c)) return `made ${c.operation?.replaceAll("_", " ")}`;
  if (isFullAccess(c)) return `manage granted to ${c.subjectKind}`;
  const isAttach = c.fact.canonical === "permission_policy_attach_user";
  return isAttach && managesAt(facts, c.objectId, c.fact.time)
    ? "attached to policy with manage"
    : null;
}

const memberships: Readonly<Record<string, string>> = {
  permission_policy_attach_user: "attached",
  permission_policy_detach_user: "detached",
  permission_policy_delete: "policy deleted",
  user_delete: "user deleted",
};

/** Users attached to policies and detached from them, also by the deletion of either. */
export const policyMembership: Oracle = (records, users, params) => {
  const rows = read(records, users, params)
    .changes.filter((c) => c.origin === "member" && c.kind === "Policies")
    .map((c) => ({
      ...base(c),
      change: memberships[c.fact.canonical ?? ""] ?? "unknown",
      policy: buildObject(c) ?? "unknown",
      policy_id: c.objectId,
    }));
  return sort(
    rows,
    "event_time actor change subject policy ip_address policy_id subject_id user_id",
  );
};

/** Rights on single databases given to users and taken back. */
export const databaseShares: Oracle = (records, users, params) => {
  const rows = read(records, users, params)
    .changes.filter((c) => c.origin === "share" && c.change !== "unparsed")
    .map((c) => ({
      ...base(c),
      change: c.change,
      operation: c.operation,
      database_name: buildObject(c) ?? "unknown",
      database_id: c.objectId,
    }));
  return sort(
    rows,
    "event_time actor change operation database_name subject ip_address database_id subject_id user_id",
  );
};

/** Rights that actors gave to themselves or to a policy of their own. */
export const selfGrants: Oracle = (records, users, params) => {
  const { facts, changes } = read(records, users, params);
  const rows = changes
    .filter((c) => c.change === "granted")
    .flatMap((c): Row[] => {
      const { subject_id: _, ...shared } = base(c);
      const row = {
        ...shared,
        operation: c.operation,
        object: buildObject(c),
        resource_kind: c.kind,
        event_name: c.fact.canonical,
        account: accountOrAddressOf(c.fact),
      };
      if (c.subjectKind === "user") return isToSelf(c) ? [{ ...row, how: "to self" }] : [];
      const members = membersAt(facts, c.subjectId, c.fact.time);
      const ids = shownBy(c.fact, users);
      return members.some((id) => ids.includes(id)) ? [{ ...row, how: "to own policy" }] : [];
    });
  return sort(
    rows,
    "event_time actor operation object how subject resource_kind ip_address event_name user_id account",
  );
};

/** Administrators and account owners made and unmade. */
export const administratorChanges: Oracle = (records, users, params) => {
  const rows = read(records, users, params)
    .changes.filter((c) => c.kind === "Account" && isFullAccess(c))
    .map((c) => ({ ...base(c), change: c.change, role: c.operation, to_self: isToSelf(c) }));
  return sort(rows, "event_time actor change role subject ip_address subject_id user_id");
};

/** Rights given to users of whom the log shows nothing in the days before. */
export const dormantUserGrants: Oracle = (records, users, params) => {
  const { facts, changes } = read(records, users, params);
  const start = facts.reduce((first, { time }) => Math.min(first, time), Infinity);
  const quietUntil = start + numberIn(params, "learning_hours", 720) * hourMs;
  const rows = changes
    .filter((c) => c.change === "granted" && c.subjectKind === "user" && c.subjectId !== null)
    .flatMap((c): Row[] => {
      const before = facts
        .filter((f) => f.time < c.fact.time && shownBy(f, users).includes(c.subjectId))
        .map((f) => f.time);
      const last = before.length === 0 ? null : Math.max(...before);
      if (last === null && c.fact.time < quietUntil) return [];
      if (last !== null && c.fact.time - last <= Number(params["days"]) * dayMs) return [];
      return [
        {
          ...base(c),
          operation: c.operation,
          object: buildObject(c),
          last_seen_at: last === null ? null : stamp(last),
          resource_kind: c.kind,
          account: accountOrAddressOf(c.fact),
        },
      ];
    });
  return sort(
    rows,
    "event_time actor subject operation object last_seen_at resource_kind ip_address subject_id user_id account",
  );
};

/** Changes at night and at weekends, one row each. */
export const offHoursPermissionChanges: Oracle = (records, users, params) => {
  const { changes } = read(records, users, params);
  const rows = [...Map.groupBy(changes, (c) => c.fact)].flatMap(([fact, group]): Row[] => {
    const atWeekend = isWeekendAt(fact.time, params);
    const { hour } = clockAt(fact.time, params);
    const atNight = hour < Number(params["from_hour"]) || hour >= Number(params["to_hour"]);
    if (!atWeekend && !atNight) return [];
    const subjects = group.map(getSubject);
    return [
      {
        event_time: stamp(fact.time),
        actor: fact.actor,
        event_name: fact.canonical,
        subject: subjects.reduce((a, b) => (Buffer.from(a).compare(Buffer.from(b)) < 0 ? a : b)),
        subjects: new Set(subjects).size,
        granted: group.filter((c) => c.change === "granted").length,
        revoked: group.filter((c) => c.change === "revoked").length,
        at_weekend: atWeekend,
        at_night: atNight,
        ip_address: fact.ip,
        user_id: fact.userId,
      },
    ];
  });
  return sort(
    rows,
    "event_time actor event_name subject subjects granted revoked at_weekend at_night ip_address user_id",
  );
};
