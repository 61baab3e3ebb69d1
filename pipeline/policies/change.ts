import type { PermissionSet } from "../../schemas/policies.ts";
import { AuditlakeError, messageOf } from "../errors.ts";
import { compareSets, isSameSet } from "../records/permissions.ts";
import type { Client } from "../source/client.ts";
import type { ClockCheck } from "../source/clock.ts";
import { readPolicy, sendPolicy } from "../source/policies.ts";
import { withUnnamed } from "./with-unnamed.ts";

/** What came of a change; `why` tells why the answer to the PATCH does not say it, or that the service refused it. */
export type ChangeOutcome =
  /** Somebody changed the set since it was read; nothing was sent. */
  | { readonly kind: "changed_meanwhile"; readonly now: PermissionSet }
  /** Read back, it is as wanted. */
  | { readonly kind: "in_place"; readonly why?: string; readonly isRefused?: true }
  /** As wanted, but the service keeps kinds of resources that the body does not name. */
  | {
      readonly kind: "kept_further";
      readonly kinds: readonly string[];
      readonly why?: string;
      readonly isRefused?: true;
    }
  /** Read back, it is as before. */
  | { readonly kind: "not_in_place"; readonly why?: string; readonly isRefused?: true }
  /** Read back, it is neither as wanted nor as before. */
  | {
      readonly kind: "differs";
      readonly now: PermissionSet;
      readonly why?: string;
      readonly isRefused?: true;
    }
  /** It could not be read back. */
  | {
      readonly kind: "not_read_back";
      readonly error: string;
      readonly why?: string;
      readonly isRefused?: true;
    };

/** The permission set of a policy; throws AuditlakeError where there is no such policy. `check` looks at the clock. */
export async function currentSet(
  client: Client,
  id: string,
  check?: ClockCheck,
): Promise<PermissionSet> {
  const read = await readPolicy(client, id, check);
  if (read === undefined)
    throw new AuditlakeError(
      `policy ${id} does not exist: the service answered 404; check the id and base_url`,
    );
  return read.set;
}

/**
 * Makes `wanted` the permission set of a policy that held `before` (seed 000, Endpoints, rule 2). It reads the set once
 * more, sends one PATCH, and reads it back. Whatever happens, nothing is sent twice.
 */
export async function changePolicy(
  client: Client,
  id: string,
  before: PermissionSet,
  wanted: PermissionSet,
): Promise<ChangeOutcome> {
  const now = await currentSet(client, id);
  if (!isSameSet(before, now)) return { kind: "changed_meanwhile", now };
  const sent = await sendPolicy(client, id, wanted);
  const { accepted: _accepted, ...unanswered } = sent;
  try {
    return { ...judge(before, wanted, await currentSet(client, id)), ...unanswered };
  } catch (error) {
    return { kind: "not_read_back", error: messageOf(error), ...unanswered };
  }
}

function judge(before: PermissionSet, wanted: PermissionSet, now: PermissionSet): ChangeOutcome {
  if (isSameSet(wanted, now)) return { kind: "in_place" };
  if (isSameSet(withUnnamed(before, wanted), now)) {
    const { added } = compareSets(wanted, now);
    return { kind: "kept_further", kinds: [...new Set(added.map((grant) => grant.kind))] };
  }
  return isSameSet(before, now) ? { kind: "not_in_place" } : { kind: "differs", now };
}
