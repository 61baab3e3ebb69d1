// The five fields of a schedule (seed 002, Scheduled result export, rules 2 and 3).

/** The values of a field, ascending; null for the bare `*`, which matches everything. */
export type CronField = readonly number[] | null;

export type CronFields = {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  readonly dayOfWeek: CronField;
};

type Form = {
  readonly key: keyof CronFields;
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
};

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const weekdays = "sun mon tue wed thu fri sat".split(" ");

const forms: readonly Form[] = [
  { key: "minute", label: "minute", min: 0, max: 59, names: [] },
  { key: "hour", label: "hour", min: 0, max: 23, names: [] },
  { key: "dayOfMonth", label: "day of month", min: 1, max: 31, names: [] },
  { key: "month", label: "month", min: 1, max: 12, names: months },
  { key: "dayOfWeek", label: "day of week", min: 0, max: 6, names: weekdays },
];

/** Thrown for an invalid schedule; the message names the field, what was found and what is expected. */
export class CronError extends Error {
  override name = "CronError";
}

/** The fields of a cron text such as `15 2 * * mon-fri`; throws CronError. */
export function parseCron(text: string): CronFields {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== forms.length)
    throw new CronError(
      `${JSON.stringify(text)} has ${parts.length} ${parts.length === 1 ? "field" : "fields"}; expected five (minute, hour, day of month, month, day of week), @daily or @hourly`,
    );
  const fields = forms.map((form, i) => [form.key, parseField(parts[i]!, form)]);
  return Object.fromEntries(fields) as CronFields;
}

function parseField(text: string, form: Form): CronField {
  if (text === "*") return null;
  const values = text.split(",").flatMap((item) => parseValues(item, text, form));
  return [...new Set(values)].toSorted((a, b) => a - b);
}

function parseValues(item: string, field: string, form: Form): number[] {
  const step = /^\*\/(\d{1,4})$/.exec(item)?.[1];
  if (step !== undefined) return listSteps(Number(step), field, form);
  const [first, last, ...more] = item.split("-");
  if (item === "*" || more.length > 0) throw newFieldError(field, form);
  const from = parseValue(first!, field, form);
  const to = last === undefined ? from : parseValue(last, field, form);
  if (from > to) throw newFieldError(field, form, `the range ${item} is reversed`);
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function listSteps(step: number, field: string, form: Form): number[] {
  const { min, max } = form;
  if (step === 0) throw newFieldError(field, form, "a step of 0 is invalid");
  if (step > max) throw newFieldError(field, form, `a step of ${step} exceeds the field`);
  return Array.from({ length: Math.floor((max - min) / step) + 1 }, (_, i) => min + i * step);
}

function parseValue(text: string, field: string, form: Form): number {
  const named = form.names.indexOf(text.toLowerCase());
  const value = /^\d{1,4}$/.test(text) ? Number(text) : named < 0 ? NaN : form.min + named;
  if (value >= form.min && value <= form.max) return value;
  throw newFieldError(field, form);
}

function newFieldError(field: string, { label, min, max, names }: Form, why?: string): CronError {
  const known = names.length === 0 ? "" : ` or ${names[0]} to ${names.at(-1)}`;
  const rule = `expected *, */n, or values and ranges a-b from ${min} to ${max}${known}, separated by commas`;
  return new CronError(
    `${label}: found ${JSON.stringify(field)}; ${why === undefined ? "" : `${why}; `}${rule}`,
  );
}
