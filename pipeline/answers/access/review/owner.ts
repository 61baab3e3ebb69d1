import type { ConfigFile } from "../../../../schemas/config.ts";
import type { Holding } from "./item.ts";

type Owners = ConfigFile["reviews"]["owners"];

/**
 * Who decides on a holding: the owner that the configuration names for the policy it comes through, else for the
 * database it is on. Else it is who made the database, as far as the directory lists them, else the owner of the
 * account.
 */
export function ownerOf(
  { policyId, policyName, kind, objectId, objectName }: Holding,
  creator: string | null,
  owners: Owners,
): string {
  const database =
    kind === "Databases" ? named(owners.databases, [objectId, objectName]) : undefined;
  return named(owners.policies, [policyId, policyName]) ?? database ?? creator ?? owners.account;
}

function named(
  owners: Readonly<Record<string, string>>,
  names: readonly (string | null)[],
): string | undefined {
  const wanted = names.flatMap((name) => (name === null ? [] : [name.toLowerCase()]));
  return Object.entries(owners).find(([name]) => wanted.includes(name.toLowerCase()))?.[1];
}

/** A file name for each owner, also where they differ in letters that no file name should have. */
export function fileNamesOf(owners: readonly string[]): Map<string, string> {
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
