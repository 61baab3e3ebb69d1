import { UsageError } from "../../base/errors.ts";
import type { ParamValue } from "../../base/sql/question.ts";
import type { Report } from "./find.ts";
import { refuseNoNetworks } from "./networks.ts";

const years = 50;
const most32 = 2_147_483_647;

// The statements cast them to 32 bits, and add those of time to a moment.
const most: Readonly<Record<string, number>> = {
  days: years * 365,
  hours: years * 365 * 24,
  weeks: years * 52,
  minutes: years * 365 * 1440,
  from_hour: 24,
  to_hour: 24,
  megabytes: most32,
  factor: most32,
  least: most32,
  failures: most32,
  threshold: most32,
  downloads: most32,
};

/** Throws UsageError for a value that no report of the package takes; those of a user's own take any. */
export function refuseOutside(
  { isBuiltIn }: Pick<Report, "isBuiltIn">,
  name: string,
  { type, value }: ParamValue,
): void {
  if (isBuiltIn && name === "networks" && typeof value === "string") refuseNoNetworks(value);
  const limit = isBuiltIn && type === "integer" && Object.hasOwn(most, name) ? most[name] : null;
  if (typeof limit !== "number" || value === null) return;
  const number = BigInt(value);
  if (number < 0n || number > BigInt(limit))
    throw new UsageError(`${String(number)} is out of range; expected 0 to ${limit}`);
}
