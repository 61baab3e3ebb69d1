import { z } from "zod";
import { countText, formatBytes, formatDuration } from "../../base/terminal/amounts.ts";

const number = z.number().nullable();
const measured = z.object({
  name: z.string(),
  value: number,
  limit: number,
  /** The most of the same key in the 30 days before, and the median of what others had at most. */
  usual: number.default(null),
  others: number.default(null),
});

/** A number of a finding, its limit, and its usual value. */
export type Measured = z.infer<typeof measured>;

export function parseMeasures(stored: string): Measured[] {
  return z.array(measured).parse(JSON.parse(stored));
}

/** Formats an amount of a measure: `25.6 GB`, `1,200`. */
export function formatMeasure(name: string, amount: number): string {
  if (name === "bytes") return formatBytes(amount);
  return name === "megabytes" ? formatBytes(amount * 1e6) : countText(amount);
}

/** The name of a measure in words: `Size`, `Silent days`. */
export function nameMeasure(name: string): string {
  if (name === "bytes" || name === "megabytes") return "Size";
  if (name === "times_usual") return "Times the usual amount";
  const words = name.replaceAll("_", " ");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/**
 * Describes the usual values for the subject and for others, as the second sentence of a finding; undefined without a
 * comparison.
 */
export function describeUsual(measures: readonly Measured[]): string | undefined {
  const compared = measures.filter(({ name }) => name !== "times_usual");
  if (compared.length === 0) return undefined;
  const own = compared.map(({ name, usual }) =>
    usual === null ? `no ${nameAmount(name)}` : `at most ${formatAmount(name, usual)}`,
  );
  const others = compared.flatMap(({ name, others }) =>
    others === null ? [] : [formatAmount(name, others)],
  );
  const rest = others.length === 0 ? "" : `; median of others ${joinUnique(others)}`;
  return `Usual: ${joinUnique(own)} in the 30 days before${rest}.`;
}

// The number and the size of downloads are both none at once.
function joinUnique(parts: readonly string[]): string {
  return [...new Set(parts)].join(" and ");
}

const amounts: Readonly<Record<string, string>> = {
  bytes: "downloads",
  megabytes: "downloads",
  failures: "failed sign-ins",
  blocked: "blocked sign-ins",
  columns: "hidden columns",
};

// What a measure counts: `failed sign-ins`, `silent days`.
function nameAmount(name: string): string {
  return amounts[name] ?? name.replaceAll("_", " ");
}

function formatAmount(name: string, amount: number): string {
  const text = formatMeasure(name, amount);
  if (name.endsWith("bytes")) return text;
  return `${text} ${amount === 1 ? nameAmount(name).replace(/s$/, "") : nameAmount(name)}`;
}

/** A part of a sentence; limits are set in bold. */
export type SentencePart = { readonly text: string; readonly isLimit: boolean };

/** Lists the parts of the sentence with the condition of a detection and its present limits. */
export function listConditionParts(
  condition: string,
  parameters: Readonly<Record<string, { readonly value: unknown }>>,
): SentencePart[] {
  const parts = condition.split(/(\{\w+(?::\w+)?\})/);
  return parts
    .filter((text) => text !== "")
    .map((text) => {
      const [, name, unit] = /^\{(\w+)(?::(\w+))?\}$/.exec(text) ?? [];
      const value = name === undefined ? undefined : parameters[name]?.value;
      if (value === undefined || value === null) return { text, isLimit: false };
      return { text: formatLimit(Number(value), unit), isLimit: true };
    });
}

function formatLimit(value: number, unit: string | undefined): string {
  if (unit === "bytes") return formatBytes(value);
  return unit === "hours" ? formatDuration(value * 3600) : countText(value);
}
