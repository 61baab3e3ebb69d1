import type { DuckDBConnection } from "@duckdb/node-api";
import { count, nullable, queryRows, text } from "../../base/sql/typed-rows.ts";
import { formatCount } from "../../base/terminal/amounts.ts";
import { fromTimestamp } from "../../base/time/text.ts";
import { toWallMs } from "../../base/time/wall.ts";
import type { Paint } from "../chart/chart.ts";

const shape = {
  findingId: text,
  eventTime: text,
  eventName: nullable(text),
  outcome: text,
  bytesize: nullable(count),
};

/** An event that the picture of a finding shows; its time to the second in UTC. */
export type PictureEvent = Omit<Awaited<ReturnType<typeof readRows>>[number], "findingId">;

// More marks than this would cover each other.
const most = 200;

function readRows(connection: DuckDBConnection, ids: readonly string[]) {
  return queryRows(connection, "queries/findings/pictures.sql", shape, {
    ids: ids.join(","),
    most,
  });
}

/** Reads the events for the pictures of findings, by id, in the order of time. */
export async function readPictureEvents(
  connection: DuckDBConnection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly PictureEvent[]>> {
  if (ids.length === 0) return new Map();
  return Map.groupBy(await readRows(connection, ids), ({ findingId }) => findingId);
}

/** How an event is drawn: a tick in a burst, a square for a change, a dot, a dot of the size of its data. */
export type MarkKind = "tick" | "square" | "dot" | "sized";

export type FindingMark = {
  /** Milliseconds since the epoch as clocks of the shown zone have them. */
  readonly at: number;
  readonly kind: MarkKind;
  readonly paint: Paint;
  /** What it is called, in the singular. */
  readonly word: string;
  readonly bytes: number;
};

/** What an event is, by its outcome, its size and its name; the first that fits counts. */
const kinds: readonly {
  readonly fits: (event: PictureEvent) => boolean;
  readonly kind: MarkKind;
  readonly paint?: Paint;
  readonly word: string;
}[] = [
  { fits: isFailed(/sign_?in|password/), kind: "tick", paint: "fail", word: "failed sign-in" },
  { fits: isFailed(/./), kind: "tick", paint: "fail", word: "failure" },
  { fits: ({ outcome }) => outcome === "denied", kind: "tick", paint: "deny", word: "denial" },
  {
    fits: ({ bytesize, eventName }) => (bytesize ?? 0) > 0 && /download/.test(eventName ?? ""),
    kind: "sized",
    word: "download",
  },
  { fits: isNamed(/download|export/), kind: "dot", paint: "c1", word: "download" },
  { fits: isNamed(/apikey|access_key|token/), kind: "square", word: "key" },
  { fits: isNamed(/whitelist|allow_?list/), kind: "square", word: "list change" },
  { fits: isNamed(/permission|polic/), kind: "square", word: "rights change" },
  { fits: isNamed(/delete|remove|destroy/), kind: "square", word: "deletion" },
  {
    fits: isNamed(/create|modify|update|change|reset|attach|detach|invite|grant|revoke/),
    kind: "square",
    word: "change",
  },
  { fits: isNamed(/sign_?in|signed_in/), kind: "dot", paint: "c1", word: "sign-in" },
];

function isFailed(name: RegExp): (event: PictureEvent) => boolean {
  return ({ outcome, eventName }) => outcome === "failed" && name.test(eventName ?? "unnamed");
}

function isNamed(name: RegExp): (event: PictureEvent) => boolean {
  return ({ eventName }) => name.test(eventName ?? "");
}

const severityPaints: Readonly<Record<string, Paint>> = {
  critical: "crf",
  high: "hgf",
  medium: "medf",
  low: "lowf",
};

/** The marks of a finding's events; what was changed or taken has the colour of the severity. */
export function listMarks(
  severity: string,
  events: readonly PictureEvent[],
  zone: string,
): FindingMark[] {
  const own = severityPaints[severity] ?? "sl";
  return events.map((event) => {
    const known = kinds.find(({ fits }) => fits(event));
    return {
      at: toWallMs(zone, fromTimestamp(event.eventTime)),
      kind: known?.kind ?? "dot",
      paint: known?.paint ?? own,
      word: known?.word ?? "event",
      bytes: event.bytesize ?? 0,
    };
  });
}

/** The marks in words, in the order of their first ones: `24 failed sign-ins, then sign-in`. */
export function writeMarks(marks: readonly FindingMark[]): string {
  const groups = [...Map.groupBy(marks, ({ word }) => word)];
  const parts = groups.map(([word, own]) =>
    own.length === 1 ? word : formatCount(own.length, word),
  );
  return parts.join(", then ");
}
