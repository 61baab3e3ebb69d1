import { accessOf, type Access } from "../../../fixtures/access.ts";
import { keysOf } from "../../../fixtures/access/keys.ts";
import { companyOf, usersOf } from "../../../fixtures/company.ts";
import type { Traffic } from "../../../fixtures/traffic.ts";
import { UsageError } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import type { Options } from "./options.ts";

const dayMs = 86_400_000;
// The first request for access control reads the log up to now. Of a busy log it reads fewer days.
const mostEvents = 300_000;

/** Access control for the company of the traffic, moved by what the log says of policies, shares and roles. */
export function accessFor(
  { seed, eventsPerDay }: Options,
  traffic: Traffic,
  apiKey: string,
  { now }: Pick<World, "now">,
): Access {
  const { company, day } = traffic;
  const oldest = now() - Math.max(mostEvents / Math.max(eventsPerDay, 1), 1) * dayMs;
  const days = traffic.days.filter((start) => start + dayMs > oldest);
  return accessOf({ seed, apiKey, now, company, traffic: { days, day } });
}

/**
 * The line that sets the API key of a user, for a service that runs with the seed and the key of the environment.
 * Throws UsageError where there is no such key or user.
 */
export function keyLine({ seed, keyOf }: Options, apiKey: string | null): string {
  if (apiKey === null)
    throw new UsageError(
      "--key-of: set AUDITLAKE_API_KEY to the key of the running service; the keys of its users follow from it",
    );
  const users = usersOf(companyOf(seed));
  const key = keysOf(users, apiKey).keyOf(keyOf ?? "");
  if (key !== undefined) return `export AUDITLAKE_API_KEY=${key}\n`;
  const some = users.slice(-4, -1).map((user) => user.email);
  throw new UsageError(
    `--key-of: nobody in the company of seed ${seed} has the e-mail ${JSON.stringify(keyOf)}; there are, for example, ${some.join(", ")}`,
  );
}
