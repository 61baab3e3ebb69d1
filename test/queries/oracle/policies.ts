import { rightsOf } from "./permissions.ts";
import type { Fact } from "./record.ts";

const isMembership = (f: Fact): boolean =>
  f.outcome === "succeeded" &&
  (f.canonical === "permission_policy_attach_user" ||
    f.canonical === "permission_policy_detach_user");

/** The ids of the users who belong to the policy at the moment, as far as the log tells. */
export function membersAt(facts: readonly Fact[], policyId: string | null, time: number): string[] {
  if (policyId === null) return [];
  const own = facts.filter((f) => isMembership(f) && f.text("resource_id") === policyId);
  const users = [
    ...new Set(own.map((f) => f.text("affected_user_id")).filter((id) => id !== null)),
  ];
  return users.filter((user) => {
    const edits = own.filter((f) => f.text("affected_user_id") === user);
    const latest = latestUntil(edits, time);
    if (latest.length > 0)
      return latest.some((f) => f.canonical === "permission_policy_attach_user");
    // Whoever is taken out first had been a member before.
    return earliest(edits).every((f) => f.canonical === "permission_policy_detach_user");
  });
}

/** Whether the policy holds `manage` on databases at the moment, as far as the log tells. */
export function managesAt(facts: readonly Fact[], policyId: string | null, time: number): boolean {
  if (policyId === null) return false;
  const edits = facts.filter(
    (f) =>
      f.canonical === "permission_policy_modify" &&
      f.outcome === "succeeded" &&
      f.text("resource_id") === policyId &&
      rightsOf(f, "before").length + rightsOf(f, "after").length > 0,
  );
  const manages = (side: "before" | "after") => (f: Fact) =>
    rightsOf(f, side).some((r) => r.kind === "Databases" && r.operation === "manage");
  const latest = latestUntil(edits, time);
  return latest.length > 0
    ? latest.some(manages("after"))
    : earliest(edits).some(manages("before"));
}

// Several edits in one second stand together: their order is unknown.
function latestUntil(edits: readonly Fact[], time: number): Fact[] {
  const past = edits.filter((f) => f.time <= time);
  const last = Math.max(...past.map((f) => f.time));
  return past.filter((f) => f.time === last);
}

function earliest(edits: readonly Fact[]): Fact[] {
  const first = Math.min(...edits.map((f) => f.time));
  return edits.filter((f) => f.time === first);
}
