import { z } from "zod";
import type { ConfigFile } from "../../../../schemas/config.ts";

const text = z.string().nullable();

/** A right of a person and its way: `policy`, `set` (their own), `share`, `flag` or `member`. */
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

/** A holding in a review, with what its reviewer should know about it. */
export const item = holding.extend({
  /** Names it within its review, as `r17`. */
  row: z.string(),
  owner: z.string(),
  since: text,
  givenBy: text,
  evidence: z.string(),
  /** Null if the log does not show it. Without a use `never`, or the part of its time that was read. */
  lastUse: text,
});

export type Item = z.infer<typeof item>;

/** The same for the same holding at any moment. */
export function buildKey(holding: Holding): string {
  return JSON.stringify([holding.userId, holding.way, buildRightKey(holding)]);
}

/** What all members of a policy have together by it. */
export function buildRightKey({
  policyId,
  kind,
  operation,
  objectId,
  objectName,
}: Holding): string {
  return JSON.stringify([policyId, kind, operation, ...getObject({ objectId, objectName })]);
}

/** Returns what identifies an object: its id, and if a set names it instead, its name. */
export function getObject({
  objectId,
  objectName,
}: Pick<Holding, "objectId" | "objectName">): (string | null)[] {
  return [objectId, objectId === null ? objectName : null];
}

export function formatRight({
  kind,
  operation,
  objectId,
  objectName,
  reach,
  way,
}: Holding): string {
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

export function formatWay({ way, policyId, policyName }: Holding): string {
  if (way !== "policy" || policyId === null) return ways[way] ?? way;
  return `policy ${nameWithId(policyName, policyId)}`;
}

function nameWithId(name: string | null, id: string): string {
  return name === null || name === id ? id : `${name} (${id})`;
}

type Owners = ConfigFile["reviews"]["owners"];

/**
 * Who decides on a holding: the owner that the configuration names for the policy it comes through, else for the
 * database it is on. Else it is who made the database, as far as the directory lists them, else the owner of the
 * account.
 */
export function findOwner(
  { policyId, policyName, kind, objectId, objectName }: Holding,
  creator: string | null,
  owners: Owners,
): string {
  const database =
    kind === "Databases" ? findNamed(owners.databases, [objectId, objectName]) : undefined;
  return (
    findNamed(owners.policies, [policyId, policyName]) ?? database ?? creator ?? owners.account
  );
}

function findNamed(
  owners: Readonly<Record<string, string>>,
  names: readonly (string | null)[],
): string | undefined {
  const wanted = names.flatMap((name) => (name === null ? [] : [name.toLowerCase()]));
  return Object.entries(owners).find(([name]) => wanted.includes(name.toLowerCase()))?.[1];
}

/** A file name for each owner, also where they differ in letters that no file name should have. */
export function chooseFileNames(owners: readonly string[]): Map<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const owner of owners.toSorted()) {
    const plain = owner
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}@._-]+/gu, "_")
      .replace(/^[._-]+/, "");
    const base = plain.slice(0, 100) || "owner";
    let name = base;
    for (let i = 2; taken.has(name); i++) name = `${base}-${i}`;
    taken.add(name);
    names.set(owner, `${name}.csv`);
  }
  return names;
}
