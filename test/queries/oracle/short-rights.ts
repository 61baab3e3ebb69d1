import { read, type Read } from "./access-rows.ts";
import { listHoldings, listMarks, type Holding, type Mark } from "./holdings.ts";
import { isHeldAt } from "./policies.ts";
import type { Right } from "./permissions.ts";
import { getName } from "./record.ts";
import { hourMs, sort, stamp, within, type Oracle, type Row } from "./rows.ts";
import { isUseOf, usesIn } from "./uses.ts";

type Whose = Pick<Mark, "subjectKind" | "subjectId" | "origin">;

const listCells = ({ subjectKind, subjectId, origin }: Whose, right: Right): Row => ({
  subject_kind: subjectKind,
  subject_id: subjectId,
  origin,
  resource_kind: right.kind,
  operation: right.operation,
  object_id: right.objectId,
  object_name: right.objectName,
});

/** What was given and taken back within hours, also within one second. */
export const shortRights: Oracle = (records, users, params) => {
  const { facts } = read(records, users);
  const limitMs = Number(params["hours"] ?? 24) * hourMs;
  const holdings = listHoldings(facts);
  const rows = holdings.flatMap((held): Row[] => {
    const { from, to, grantedBy, right } = held;
    if (from === null || to === null || grantedBy === null) return [];
    if (!within(params, from) || to - from > limitMs) return [];
    return [
      {
        ...listCells(held, right),
        granted_at: stamp(from),
        taken_at: stamp(to),
        granted_by: grantedBy,
        is_uncertain: !held.isSure,
      },
    ];
  });
  const moves = listMarks(facts)
    .filter((mark) => mark.isStatement && mark.subjectId && within(params, mark.fact.time))
    .flatMap(listMoves);
  const seconds = Map.groupBy(moves, ({ time, text }) => `${time} ${text}`);
  const keptBy = Map.groupBy(holdings, (h) => JSON.stringify(listCells(h, h.right)));
  return sort(
    [
      ...rows,
      ...[...seconds.values()].flatMap((own) => withinSecond(own, keptBy.get(own[0]!.text) ?? [])),
    ],
    "granted_at taken_at subject_kind subject_id origin resource_kind operation object_id object_name granted_by is_uncertain",
  );
};

type Move = {
  readonly time: number;
  /** Whose and which right it is. */
  readonly text: string;
  readonly isGiven: boolean;
  readonly actor: string | null;
};

function listMoves(mark: Mark): Move[] {
  const { before, after, fact } = mark;
  if (before === undefined) return [];
  const listTexts = (rights: readonly Right[]): Set<string> =>
    new Set(rights.map((right) => JSON.stringify(listCells(mark, right))));
  const [old, now] = [listTexts(before), listTexts(after)];
  const move = (isGiven: boolean) => (text: string) => ({
    time: fact.time,
    text,
    isGiven,
    actor: fact.actor,
  });
  return [
    ...[...now.difference(old)].map(move(true)),
    ...[...old.difference(now)].map(move(false)),
  ];
}

// What is granted in a second and missing after it, or granted and revoked in some possible order.
function withinSecond(moves: readonly Move[], holdings: readonly Holding[]): Row[] {
  const { time, text } = moves[0]!;
  const given = moves.filter(({ isGiven }) => isGiven);
  const taken = moves.length - given.length;
  const near = holdings.filter(({ from, to }) => (from ?? time) <= time && (to ?? time) >= time);
  const isKept = near.some((h) => isHeldAt(h, time));
  const isKnownBefore = near.some((h) => h.isSure && isHeldAt(h, time - 1));
  // A user who has it must lose it first: one change each way restores it.
  const isGivenBack = isKnownBefore && (given.length < 2 || taken < 2);
  if (given.length === 0 || (isKept && (taken === 0 || isGivenBack))) return [];
  return [
    {
      ...(JSON.parse(text) as Row),
      granted_at: stamp(time),
      taken_at: stamp(time),
      granted_by: given
        .map(({ actor }) => actor!)
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))[0]!,
      is_uncertain: near.some((h) => !h.isSure),
    },
  ];
}

/** Rights that were given, used and taken back within hours, by who used them. */
export const shortRightsUsed: Oracle = (records, users, params) => {
  const all = read(records, users);
  const limitMs = Number(params["hours"] ?? 4) * hourMs;
  const uses = usesIn(all, { ...params, since: params.since - limitMs });
  const rows = listHoldings(all.facts).flatMap((short): Row[] => {
    const { from, to, grantedBy, right } = short;
    if (from === null || to === null || grantedBy === null) return [];
    if (!within(params, to) || to - from > limitMs) return [];
    const own = listParts(all, short).flatMap((part) =>
      uses
        .filter((use) => use.userId === part.userId && isUseOf(use, part.right, all))
        .filter(({ time }) => time >= Math.max(part.from ?? from, from))
        .filter(({ time }) => time <= Math.min(part.to ?? to, to)),
    );
    return [...Map.groupBy(own, ({ userId }) => userId!)].map(([userId, used]) => {
      const email = users.find(({ id }) => String(id) === userId)?.email ?? null;
      const times = used.map(({ time }) => time);
      const policy = all.policies.get(right.objectId ?? "")?.name ?? `policy ${right.objectId}`;
      return {
        event_time: stamp(to),
        person: getName(email, userId),
        operation: right.operation,
        object: right.kind === "Policies" ? policy : (right.objectName ?? right.objectId),
        granted_at: stamp(from),
        granted_by: grantedBy,
        first_used_at: stamp(Math.min(...times)),
        last_used_at: stamp(Math.max(...times)),
        user_id: userId,
      };
    });
  });
  return sort(
    rows,
    "event_time person operation object granted_at granted_by first_used_at last_used_at user_id",
  );
};

type Part = Pick<Holding, "right" | "from" | "to"> & { readonly userId: string | null };

// Who could do what by a right: a user by their own, the members of a policy by its rights.
function listParts(all: Read, short: Holding): Part[] {
  const { right, subjectId, subjectKind } = short;
  const holdings = listHoldings(all.facts);
  if (right.kind === "Policies")
    return holdings
      .filter((h) => h.subjectKind === "policy" && h.subjectId === right.objectId)
      .filter((h) => h.right.kind === "Databases")
      .map((h) => ({ right: h.right, from: h.from, to: h.to, userId: subjectId }));
  if (right.kind !== "Databases" && right.kind !== "Account") return [];
  if (subjectKind === "user") return [{ right, from: null, to: null, userId: subjectId }];
  return holdings
    .filter((h) => h.scope === `Policies ${subjectId}`)
    .map((h) => ({ right, from: h.from, to: h.to, userId: h.subjectId }));
}
