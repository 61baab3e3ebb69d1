import { z } from "zod";

const text = z.string().nullable();

/** What a person holds, and by which way: `policy`, `set` (their own), `share`, `flag` or `member`. */
export const holding = z.object({
  userId: z.string(),
  person: z.string(),
  way: z.string(),
  policyId: text,
  policyName: text,
  kind: z.string(),
  operation: text,
  objectId: text,
  objectName: text,
  reach: text,
});

export type Holding = z.infer<typeof holding>;

/** A holding as it stands in a review, with what its reviewer should know of it. */
export const item = holding.extend({
  /** Names it within its review, as `r17`. */
  row: z.string(),
  owner: z.string(),
  since: text,
  givenBy: text,
  evidence: z.string(),
  /** Null where the log cannot tell. Without a use `never`, or what of its time was read at all. */
  lastUse: text,
});

export type Item = z.infer<typeof item>;

/** The same for the same holding at any moment. */
export function keyOf(holding: Holding): string {
  return JSON.stringify([holding.userId, holding.way, rightKeyOf(holding)]);
}

/** What all members of a policy have together by it. */
export function rightKeyOf({ policyId, kind, operation, objectId, objectName }: Holding): string {
  return JSON.stringify([policyId, kind, operation, ...objectOf({ objectId, objectName })]);
}

/** What tells objects apart: their ids, and where a set names them instead, their names. */
export function objectOf({
  objectId,
  objectName,
}: Pick<Holding, "objectId" | "objectName">): (string | null)[] {
  return [objectId, objectId === null ? objectName : null];
}

/** What is held, in words. */
export function rightText({ kind, operation, objectId, objectName, reach, way }: Holding): string {
  const named = objectId === null ? objectName : nameWithId(objectName, objectId);
  if (way === "member")
    return `${kind === "Policies" ? "member of policy" : "role"} ${named ?? ""}`;
  const what = (operation ?? "what is not understood").replaceAll("_", " ");
  if (kind === "Account") return `${what} of the account`;
  if (kind !== "Databases") return [kind, what, named].filter((part) => part !== null).join(" ");
  if (reach === "databases not shown") return `${what}, databases not shown`;
  return `${what} on ${named ?? reach ?? "databases not shown"}`;
}

const ways: Readonly<Record<string, string>> = { set: "own set" };

/** By which way it is held, in words. */
export function wayText({ way, policyId, policyName }: Holding): string {
  if (way !== "policy" || policyId === null) return ways[way] ?? way;
  return `policy ${nameWithId(policyName, policyId)}`;
}

function nameWithId(name: string | null, id: string): string {
  return name === null || name === id ? id : `${name} (${id})`;
}
