import type { PermissionSet } from "../../../schemas/policies.ts";
import { AuditlakeError, getMessage } from "../../base/errors.ts";
import { compareSets, isSameSet } from "../../core/records/permissions.ts";
import type { Client, PatchResult, Refusal } from "../../core/source/client.ts";
import type { ClockCheck } from "../../core/source/clock.ts";
import {
  readPolicy,
  readPolicyTimed,
  sendPolicy,
  type TimedRead,
} from "../../core/source/policies.ts";

/** Why the answer to the PATCH does not show the outcome, and what the service claims to have refused. */
type UndecidedOutcome = { readonly why?: string; readonly refused?: Refusal };

export type ChangeOutcome =
  /** Another client changed the set since it was read; nothing was sent. */
  | { readonly kind: "changed_meanwhile"; readonly now: PermissionSet }
  /** Read back, it is as wanted. */
  | ({ readonly kind: "in_place" } & UndecidedOutcome)
  /** As wanted, but the service keeps kinds of resources that the body does not name. */
  | ({ readonly kind: "kept_further"; readonly kinds: readonly string[] } & UndecidedOutcome)
  /** The service refused; the set read back is unchanged, or the policy no longer exists. */
  | { readonly kind: "refused"; readonly why: string; readonly refused: Refusal }
  /** Read back, it is as before. */
  | ({ readonly kind: "not_in_place" } & UndecidedOutcome)
  /** Read back, it equals neither the wanted set nor the previous one. */
  | ({ readonly kind: "differs"; readonly now: PermissionSet } & UndecidedOutcome)
  | ({ readonly kind: "not_read_back"; readonly error: string } & UndecidedOutcome);

/** A change, and between which moments of the service's clock it was made, where its answers have a time. */
export type ChangeResult = {
  readonly outcome: ChangeOutcome;
  readonly fromMs: number | undefined;
  readonly untilMs: number | undefined;
};

/** Reads the permission set of a policy; throws AuditlakeError for an unknown policy. `check` compares the clocks. */
export async function readCurrentSet(
  client: Client,
  id: string,
  check?: ClockCheck,
): Promise<PermissionSet> {
  const read = await readPolicy(client, id, check);
  if (read === undefined) throw new AuditlakeError(formatMissing(id));
  return read.set;
}

const formatMissing = (id: string): string =>
  `policy ${id} does not exist: the service answered 404; check the id and base_url`;

/**
 * Makes `wanted` the permission set of a policy that had `before` (seed 000, Endpoints, rule 2). It re-reads the set,
 * sends one PATCH, and reads it back. Nothing is ever sent twice. `now` measures the requests.
 */
export async function changePolicy(
  client: Client,
  id: string,
  before: PermissionSet,
  wanted: PermissionSet,
  now: () => number,
): Promise<ChangeResult> {
  const { read, moment } = await readPolicyTimed(client, id, now);
  if (read === undefined) throw new AuditlakeError(formatMissing(id));
  const fromMs = moment?.fromMs;
  if (!isSameSet(before, read.set))
    return { outcome: { kind: "changed_meanwhile", now: read.set }, fromMs, untilMs: undefined };
  const sent = await sendPolicy(client, id, wanted);
  const back = await readBack(client, id, now);
  const untilMs = "error" in back ? undefined : back.moment?.untilMs;
  return { outcome: decideOutcome(id, sent, judgeBack(back, before, wanted)), fromMs, untilMs };
}

function decideOutcome(
  id: string,
  sent: PatchResult,
  found: ChangeOutcome | "missing",
): ChangeOutcome {
  if (!sent.accepted && sent.refused !== undefined && isAsBefore(found))
    return { kind: "refused", why: sent.why, refused: sent.refused };
  const { accepted: _accepted, ...unanswered } = sent;
  return found === "missing"
    ? { kind: "not_read_back", error: formatMissing(id), ...unanswered }
    : { ...found, ...unanswered };
}

type ReadBack = TimedRead | { readonly error: string };

async function readBack(client: Client, id: string, now: () => number): Promise<ReadBack> {
  try {
    return await readPolicyTimed(client, id, now);
  } catch (error) {
    return { error: getMessage(error) };
  }
}

function judgeBack(
  back: ReadBack,
  before: PermissionSet,
  wanted: PermissionSet,
): ChangeOutcome | "missing" {
  if ("error" in back) return { kind: "not_read_back", error: back.error };
  return back.read === undefined ? "missing" : judgeChange(before, wanted, back.read.set);
}

const isAsBefore = (found: ChangeOutcome | "missing"): boolean =>
  found === "missing" || found.kind === "not_in_place";

function judgeChange(
  before: PermissionSet,
  wanted: PermissionSet,
  now: PermissionSet,
): ChangeOutcome {
  if (isSameSet(wanted, now)) return { kind: "in_place" };
  if (isSameSet(withUnnamed(before, wanted), now)) {
    const { added } = compareSets(wanted, now);
    return { kind: "kept_further", kinds: [...new Set(added.map((grant) => grant.kind))] };
  }
  return isSameSet(before, now) ? { kind: "not_in_place" } : { kind: "differs", now };
}

/** What a policy holds at a service that keeps the kinds of resources which the set that is sent does not name. */
export function withUnnamed(before: PermissionSet, wanted: PermissionSet): PermissionSet {
  const unnamed = Object.entries(before).filter(([kind]) => !Object.hasOwn(wanted, kind));
  return { ...wanted, ...Object.fromEntries(unnamed) };
}
