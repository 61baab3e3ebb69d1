import type { PermissionSet } from "../../../schemas/policies.ts";

/** What a policy holds at a service that keeps the kinds of resources which the set that is sent does not name. */
export function withUnnamed(before: PermissionSet, wanted: PermissionSet): PermissionSet {
  const unnamed = Object.entries(before).filter(([kind]) => !Object.hasOwn(wanted, kind));
  return { ...wanted, ...Object.fromEntries(unnamed) };
}
