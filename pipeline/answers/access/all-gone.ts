import { AuditlakeError } from "../../base/errors.ts";
import { grantsOf, parseSet } from "../../core/records/permissions.ts";
import type { KnownPolicy } from "../../core/store/policies.ts";
import type { PoliciesRead } from "../../core/load/policy-snapshot.ts";

/**
 * Throws AuditlakeError where all policies seem to be gone, or all rights of several. A wrong base_url makes every
 * policy look deleted, and a faulty answer every set look empty, which must not be recorded as their end.
 */
export function refuseAllGone(
  { policies, failures }: PoliciesRead,
  known: ReadonlyMap<string, KnownPolicy>,
): void {
  if (policies.length > 1 && failures.length === 0 && policies.every(({ body }) => body === null))
    throw new AuditlakeError(
      `the service knows none of the ${policies.length} policies (404 each); nothing was stored; check base_url, or name the ids if they are all gone`,
    );
  const losing = policies.filter(({ policy_id: id }) => known.get(id)?.hasRights);
  if (losing.length > 1 && policies.every(({ body }) => isEmpty(body)))
    throw new AuditlakeError(
      `every right of ${losing.length} policies would end at once, expected some to stay; nothing was stored; look with policy get, and name the ids if they hold nothing`,
    );
}

function isEmpty(body: string | null): boolean {
  return body === null || grantsOf(parseSet(body)).length === 0;
}
