import type { DuckDBConnection } from "@duckdb/node-api";
import {
  count,
  nullable,
  oneOf,
  queryRows,
  text,
  type TypedRow,
} from "../../base/sql/typed-rows.ts";
import { formatDay, fromTimestamp, toTimestamp } from "../../base/time/text.ts";
import type { Finding } from "./find.ts";

/** What a person or an address does on a day. */
export const dayMeasures = [
  "downloads",
  "bytes",
  "denials",
  "failed_sign_ins",
  "grants",
  "events",
] as const;
export type DayMeasure = (typeof dayMeasures)[number];

const number = (value: unknown): number => Number(value);

const shape = {
  measure: oneOf(dayMeasures),
  own: number,
  median: nullable(number),
  highest: nullable(number),
  days: count,
  bins: nullable(text),
};

/** A measure of a day: the most of the subject, the median and the highest of others, and others' days by amount. */
export type UsualDay = Omit<TypedRow<typeof shape>, "bins"> & {
  /** Days of others by bin; bin `n` has amounts from 10^(n/2). */
  readonly bins: ReadonlyMap<number, number>;
};

const dayMs = 86_400_000;
const daysBefore = 30;

/** Reads usual values of days of people or addresses, with the days of a finding. Empty for other subjects. */
export async function readUsualDays(
  connection: DuckDBConnection,
  finding: Finding,
): Promise<UsualDay[]> {
  const { subjectKind: kind, subject, source, firstMoment, lastMoment } = finding;
  if (kind !== "user" && kind !== "address") return [];
  const { user_id: userId } = JSON.parse(finding.key) as { readonly user_id?: string | null };
  const firstMs = Math.floor(fromTimestamp(firstMoment) / dayMs) * dayMs;
  const lastMs = (Math.floor(fromTimestamp(lastMoment) / dayMs) + 1) * dayMs;
  const rows = await queryRows(connection, "queries/pages/usual_days.sql", shape, {
    kind,
    source,
    subject: kind === "user" && userId ? `user ${userId}` : subject,
    email: subject,
    first_day: formatDay(firstMs),
    since: toTimestamp(firstMs - daysBefore * dayMs),
    until: toTimestamp(lastMs),
  });
  return rows.map(({ bins, ...row }) => ({ ...row, bins: parseBins(bins ?? "") }));
}

function parseBins(stored: string): Map<number, number> {
  const pairs = stored.split(",").filter((pair) => pair !== "");
  return new Map(
    pairs.map((pair) => {
      const [bin, days] = pair.split(":");
      return [Number(bin), Number(days)] as const;
    }),
  );
}

const measuresOfDays: Readonly<Record<string, DayMeasure>> = {
  bytes: "bytes",
  megabytes: "bytes",
  downloads: "downloads",
  denials: "denials",
  columns: "denials",
  failures: "failed_sign_ins",
  blocked: "failed_sign_ins",
  accounts: "failed_sign_ins",
  changes: "grants",
};

/**
 * Chooses the measure of a picture: a measure of the detection, else the measure in which the subject stands out most.
 */
export function chooseDayMeasure(
  measures: readonly { readonly name: string }[],
  days: readonly UsualDay[],
): UsualDay | undefined {
  const wanted = measures.flatMap(({ name }) => measuresOfDays[name] ?? []);
  const candidates = days.filter(({ measure }) => wanted.includes(measure));
  const standOut = ({ own, highest }: UsualDay): number => own / Math.max(1, highest ?? 0);
  return (candidates.length > 0 ? candidates : days)
    .filter(({ own, bins }) => own > 0 && bins.size > 0)
    .toSorted((a, b) => standOut(b) - standOut(a))[0];
}
