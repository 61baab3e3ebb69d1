import type { SimEvent } from "./events.ts";
import type { Manners, Plan } from "./plan.ts";
import type { Next } from "./position.ts";
import type { Answer } from "./misbehavior.ts";

const columns = ["time", "event_name", "id", "user_id", "resource_id", "shade"];

/** A body and its media type. */
export type Body = { readonly type: string; readonly text: string };

/** The body of an answer in the shape of the service. */
export function buildBody(
  { manners, misbehavior }: Plan,
  answer: Answer,
  next: Next["inBody"],
  logSize: number,
): Body {
  const own = misbehavior?.body?.(answer);
  if (own !== undefined) return { type: "application/json", text: JSON.stringify(own) };
  const records = answer.page.map(buildRecord);
  switch (manners.shape) {
    case "csv": {
      const rows = [columns, ...records.map((record) => columns.map((name) => record[name]))];
      return {
        type: "text/csv",
        text: rows.map((row) => `${row.map(getCell).join(",")}\n`).join(""),
      };
    }
    case "ndjson": {
      const lines = records.map((record) => `${JSON.stringify(record)}\n`);
      return { type: "application/x-ndjson", text: lines.join("") };
    }
    case "array":
      return { type: "application/json", text: JSON.stringify(records) };
    case "envelope": {
      const envelope = buildEnvelope(
        manners,
        answer,
        records,
        misbehavior?.hasTrueTotal === true,
        logSize,
      );
      for (const [at, value] of Object.entries(misbehavior?.beside?.(answer) ?? {}))
        putAt(envelope, at.split("."), value);
      if (next !== undefined) putAt(envelope, next.at.split("."), next.value);
      return { type: "application/json", text: JSON.stringify(envelope) };
    }
  }
}

type Envelope = Record<string, unknown>;

function buildEnvelope(
  { beside, listAt, total }: Manners,
  { shown, held }: Answer,
  records: readonly object[],
  isTrue: boolean,
  logSize: number,
): Envelope {
  const envelope: Envelope = structuredClone(beside);
  putAt(envelope, listAt, records);
  if (total !== undefined)
    putAt(envelope, total.at.split("."), total.of === "log" ? logSize : isTrue ? held : shown);
  return envelope;
}

/** Puts a value into nested objects, which are made where they are missing. */
export function putAt(into: Envelope, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) into[name] = value;
  else putAt((into[name] ??= {}) as Envelope, rest, value);
}

/** A record as the service writes it. */
export function buildRecord({ serial, id, timeMs, user }: SimEvent): Record<string, unknown> {
  return {
    time: timeMs / 1000,
    event_name: "job_kill",
    ...(id === null ? {} : { id }),
    user_id: user,
    resource_id: `r${serial}`,
    shade: serial % 3 === 0 ? "red" : "blue",
  };
}

function getCell(value: unknown): string {
  return value === undefined ? "" : String(value);
}
