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

/** A number of a finding, its limit, and what is usual. */
export type Measured = z.infer<typeof measured>;

/** Reads the measures that are stored with a finding. */
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

/** What is usual for the subject and for others, as the second sentence of a finding; undefined without a comparison. */
export function describeUsual(measures: readonly Measured[]): string | undefined {
  const compared = measures.filter(({ name }) => name !== "times_usual");
  if (compared.length === 0) return undefined;
  const parts = compared.map(({ name, usual, others }) => {
    const own =
      usual === null
        ? "none in the 30 days before"
        : `at most ${formatMeasure(name, usual)} in the 30 days before`;
    const rest = others === null ? "" : `, others ${formatMeasure(name, others)} (median)`;
    return `${nameMeasure(name).toLowerCase()} ${own}${rest}`;
  });
  return `Usual: ${parts.join("; ")}.`;
}

/** A part of a sentence; limits are set in bold. */
export type SentencePart = { readonly text: string; readonly isLimit: boolean };

/** The sentence that says when a detection fires, with the limits in force. */
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
