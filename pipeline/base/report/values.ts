import { UsageError } from "../errors.ts";
import type { ParamType, ParamValue } from "../sql/question.ts";
import { formatDay, formatUnitMoment } from "../time/text.ts";
import { parseMoment } from "../time/times.ts";
import { isIP } from "node:net";

type Reader = {
  readonly expected: string;
  /** Reads a value of the type from a text; undefined if invalid. */
  readonly read: (text: string, nowMs: number) => ParamValue["value"] | undefined;
};

const dayMs = 86_400_000;
const maxInt64 = 2n ** 63n;

const readers: Readonly<Record<ParamType, Reader>> = {
  timestamp: { expected: "a time", read: parseMoment },
  date: {
    expected: "a date",
    read: (text, nowMs) => Math.floor(parseMoment(text, nowMs) / dayMs),
  },
  text: { expected: "text", read: (text) => text },
  integer: { expected: "a whole number of 64 bits", read: parseInteger },
  number: { expected: "a number", read: parseDecimal },
  boolean: {
    expected: "true or false",
    read: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  },
};

export const sqlTypes: Readonly<Record<ParamType, string>> = {
  timestamp: "timestamp",
  date: "date",
  text: "varchar",
  integer: "bigint",
  number: "double",
  boolean: "boolean",
};

/** The text as a value of the type; throws UsageError saying what was expected. */
export function readValue(type: ParamType, text: string, nowMs: number): ParamValue {
  const { read, expected } = readers[type];
  const value = read(text, nowMs);
  if (value === undefined) throw new UsageError(`${JSON.stringify(text)} is not ${expected}`);
  return { type, value };
}

/** A value as people read it, times as `2026-01-31T10:20:30Z`; empty for null. */
export function formatValue({ type, value }: ParamValue): string {
  if (value === null) return "";
  if (type === "timestamp") return formatUnitMoment(BigInt(value), 3) ?? "";
  if (type === "date") return formatDay(Number(value) * dayMs);
  return String(value);
}

/** Milliseconds since the epoch of a time or a date; undefined for anything else and for null. */
export function readMoment({ type, value }: ParamValue): number | undefined {
  if (typeof value !== "number") return undefined;
  if (type === "timestamp") return value;
  return type === "date" ? value * dayMs : undefined;
}

function parseInteger(text: string): string | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return value >= -maxInt64 && value < maxInt64 ? String(value) : undefined;
}

function parseDecimal(text: string): number | undefined {
  if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Throws UsageError for a list of networks that `in_network` cannot read: CIDR blocks or addresses with commas between. */
export function refuseNoNetworks(list: string): void {
  const networks = list.split(",").map((each) => each.trim());
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong !== undefined)
    throw new UsageError(
      `${JSON.stringify(wrong)} is not a network; expected CIDR blocks or addresses, separated by commas, such as 192.0.2.0/24,2001:db8::/32`,
    );
}

function isNetwork(text: string): boolean {
  const [address = "", length, ...more] = text.split("/");
  const family = isIP(address);
  // An address of a network has no zone, as in fe80::1%eth0.
  if (family === 0 || address.includes("%") || more.length > 0) return false;
  return (
    length === undefined ||
    (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128))
  );
}

const years = 50;
const most32 = 2_147_483_647;

// The statements cast whole numbers to 32 bits, and add those of time to a moment.
const most: Readonly<Record<string, number>> = {
  days: years * 365,
  hours: years * 365 * 24,
  learning_hours: years * 365 * 24,
  weeks: years * 52,
  minutes: years * 365 * 1440,
  from_hour: 24,
  to_hour: 24,
};

/** Throws UsageError for a value that no report of the package takes; those of a user's own take any. */
export function refuseOutside(
  { isBuiltIn }: { readonly isBuiltIn: boolean },
  name: string,
  { type, value }: ParamValue,
): void {
  if (isBuiltIn && name === "networks" && typeof value === "string") refuseNoNetworks(value);
  if (!isBuiltIn || type !== "integer" || value === null) return;
  const limit = most[name] ?? most32;
  const number = BigInt(value);
  if (number < 0n || number > BigInt(limit))
    throw new UsageError(`${String(number)} is out of range; expected 0 to ${limit}`);
}
