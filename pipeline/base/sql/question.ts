/** Types that a report may declare for a parameter. */
export const paramTypes = ["timestamp", "date", "text", "integer", "number", "boolean"] as const;

export type ParamType = (typeof paramTypes)[number];

/**
 * The value of a parameter in a form that travels between processes. A timestamp is in milliseconds and a date in days
 * since the epoch, an integer its digits.
 */
export type ParamValue = {
  readonly type: ParamType;
  readonly value: string | number | boolean | null;
};

/** SQL with named parameters (`$since`) and their values; the two never become one text. */
export type Question = {
  readonly sql: string;
  readonly values: Readonly<Record<string, ParamValue>>;
};
