const source = Symbol("source");

/** A number as it was written, so that big ones keep their digits. */
type WrittenNumber = { readonly [source]: string };

// Short numbers, whole or with a fraction, read the same either way; the slower reading is for the others. A number ends
// before white space, a comma or a bracket, which the seconds of a time in a text do not.
const needsSource =
  /[[:,]\s*(?!-?\d{1,9}\.\d{0,3}[1-9][\s,\]}])(?:-?\d{16}|-?\d+(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)[\s,\]}]|-0)/;

/** JSON with its numbers as WrittenNumber where a number could not give back what was written. */
export function parseKeepingNumbers(json: string): unknown {
  if (!needsSource.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === "number" ? { [source]: context?.source ?? String(value) } : value,
  );
}

/** Returns the digits of a number as written; undefined for any other value. */
export function readDigits(value: unknown): string | undefined {
  return typeof value === "object" && value !== null && source in value
    ? (value as WrittenNumber)[source]
    : undefined;
}

/** JSON without white space, keys in order at every depth, numbers as they were written. */
export function writeCompactJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const digits = readDigits(value);
  if (digits !== undefined) return digits;
  if (Array.isArray(value)) return `[${value.map(writeCompactJson).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeCompactJson(member)}`).join(",")}}`;
}

/** A JSON number as the database writes it: whole ones by their digits, others as the nearest double. */
export function formatNumber(written: string): string {
  if (/^-?\d+$/.test(written)) return written === "-0" ? "0" : written;
  const value = Number(written);
  if (!Number.isFinite(value)) return written;
  const [mantissa = "", power = ""] = value.toExponential().split("e");
  if (Math.abs(Number(power)) > 15 || Number(power) < -4)
    return `${mantissa}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.includes(".") ? text : `${text}.0`;
}

/** JSON with its keys in the order they came and numbers as they were written. */
export function writeJson(value: unknown, indent?: number): string {
  const keepNumber = (_key: string, part: unknown): unknown => {
    const digits = readDigits(part);
    return digits === undefined ? part : rawJson(digits);
  };
  return JSON.stringify(value, keepNumber, indent);
}

// The compiler's library does not know it yet (github.com/microsoft/TypeScript/issues/61330).
/** What `JSON.stringify` writes as the number that the text is. */
export const { rawJSON: rawJson } = JSON as unknown as { rawJSON: (text: string) => unknown };
