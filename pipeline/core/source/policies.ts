import { readableSet, type PermissionSet } from "../../../schemas/policies.ts";
import { AuditlakeError } from "../../base/errors.ts";
import { writeJson } from "../records/canonical.ts";
import { parseSet } from "../records/permissions.ts";
import { findRepeatedKey } from "../../base/home/json-files.ts";
import { announcesMore, namesNext, listSigns } from "../records/signs.ts";
import { markLength, parseExactly } from "../records/text.ts";
import type { Client, PatchResult } from "./client.ts";
import { type ClockCheck, boundServiceMoment, type ServiceMoment } from "./clock.ts";
import { MissingError } from "./faults.ts";

/** A permission set as the service sent it. */
export type PolicyRead = { readonly text: string; readonly set: PermissionSet };

/**
 * The permission set of a policy (`GET /v3/access_control/policies/<policy_id>/permissions`, seed 000,
 * Endpoints); undefined where the service knows no such policy. `check` takes the service's clock first.
 */
export async function readPolicy(
  client: Client,
  id: string,
  check: ClockCheck = () => undefined,
): Promise<PolicyRead | undefined> {
  try {
    return await client.get(buildPath(id), {}, ({ body, serverTimeMs }) => {
      check(serverTimeMs);
      return openSet(body, buildPath(id));
    });
  } catch (error) {
    if (!(error instanceof MissingError)) throw error;
    check(error.serverTimeMs);
    return undefined;
  }
}

/** A permission set, undefined if the policy does not exist, and when the service read it, if it sends a time. */
export type TimedRead = {
  readonly read: PolicyRead | undefined;
  readonly moment: ServiceMoment | undefined;
};

/** Reads a permission set like `readPolicy`, and when that was by the service's clock; `now` measures the request. */
export async function readPolicyTimed(
  client: Client,
  id: string,
  now: () => number,
  check: ClockCheck = () => undefined,
): Promise<TimedRead> {
  const startMs = now();
  let moment: ServiceMoment | undefined;
  const read = await readPolicy(client, id, (serverTimeMs) => {
    check(serverTimeMs);
    moment = boundServiceMoment(serverTimeMs, now() - startMs);
  });
  return { read, moment };
}

/**
 * Sends the whole wanted set (`PATCH` of the same path, seed 000, Endpoints, rule 2), once; permissions that it leaves
 * out are revoked. Throws AuditlakeError if it did not leave this machine.
 */
export function sendPolicy(client: Client, id: string, set: PermissionSet): Promise<PatchResult> {
  return client.patch(buildPath(id), writeJson(set));
}

function buildPath(id: string): string {
  return `/v3/access_control/policies/${encodeURIComponent(id)}/permissions`;
}

// Invalid JSON counts as a truncated answer and is requested again.
function openSet(body: Buffer, path: string): PolicyRead {
  const set = parseExactly(body);
  if (!readableSet.safeParse(set).success)
    throw new AuditlakeError(
      `GET ${path} is not a permission set; expected {"Databases":[{"operation":…,"ids":…}]}`,
    );
  refuseSigns(set, path);
  const text = body.subarray(markLength(body)).toString("utf8");
  const twice = findRepeatedKey(text);
  if (twice !== undefined)
    throw new AuditlakeError(
      `GET ${path} has the key ${JSON.stringify(twice)} twice in one object; it is unknown which one applies`,
    );
  return { text, set: parseSet(text) };
}

// An accepted set removes all permissions that it does not list, so a contradictory answer must be refused.
function refuseSigns(set: unknown, path: string): void {
  const signs = [
    ...listSigns(set, []),
    ...(announcesMore(set) ? ["more to come"] : []),
    ...(namesNext(set) ? ["a next page"] : []),
  ];
  if (signs.length > 0)
    throw new AuditlakeError(
      `GET ${path} has ${signs.join(", ")} beside the permission set, expected only the complete set; nothing of it was used; run again later`,
    );
}
