import { configSchema, type SourceConfig } from "../../../../../schemas/config.ts";
import { readWindow } from "../../../../../pipeline/core/source/audits.ts";
import { newClient, type Client } from "../../../../../pipeline/core/source/client.ts";
import { newAsker } from "../../../../../pipeline/core/source/discovery/asker.ts";
import {
  investigate,
  type Findings,
} from "../../../../../pipeline/core/source/discovery/investigate.ts";
import { testKey } from "../../../../support/key.ts";
import { testWorld } from "../../../../support/world.ts";
import { nowMs, type Plan, type Row } from "./plans.ts";

type Audits = SourceConfig["audits"];

/** The settings of a source. */
export function buildSource(source: object = {}): SourceConfig {
  return configSchema.parse({ sources: { a: source } }).sources["a"]!;
}

export function clientFor(url: string): Client {
  const { limits } = buildSource();
  const { max_page_bytes: maxPageBytes, timeout: timeoutMs } = limits;
  return newClient(
    { baseUrl: url, authScheme: "SVC1", key: testKey, timeoutMs, maxPageBytes, maxAttempts: 1 },
    testWorld(),
  );
}

/**
 * Returns the findings of an investigation of a service, starting with these settings, written by a user or the
 * default.
 */
export async function readFindings(url: string, written?: object): Promise<Findings> {
  const { audits, limits } = buildSource({ audits: written ?? {} });
  await using client = clientFor(url);
  const suspect = { audits, limits, isWritten: written !== undefined };
  return await investigate(newAsker(client, 1), suspect, nowMs);
}

/** Records that a configuration reads, by the reader of scheduled runs, of all windows of a plan. */
export async function readAll(url: string, audits: Audits, { rows }: Plan): Promise<string[]> {
  await using client = clientFor(url);
  const { limits } = buildSource();
  const firstMs = rows[0]!.time * 1000;
  const lastMs = (rows.at(-1)!.time + 1) * 1000;
  const splitMs = rows[Math.floor(rows.length / 2)]!.time * 1000;
  const windows =
    audits.window_params === null
      ? [{ startMs: 0, endMs: 1000 }]
      : [
          { startMs: firstMs, endMs: splitMs },
          { startMs: splitMs, endMs: lastMs },
        ];
  const found: string[] = [];
  for (const window of windows)
    for await (const { bytes, format } of readWindow(client, { audits, limits }, window))
      for (const row of rowsIn(bytes, format, audits.records_at))
        if (audits.window_params === null || isIn(Number(row["time"]) * 1000, window))
          found.push(getName(row));
  return found.toSorted();
}

function isIn(ms: number, { startMs, endMs }: { startMs: number; endMs: number }): boolean {
  return ms >= startMs && ms < endMs;
}

/** Returns what identifies a record, in any spelling. */
export function getName(row: Readonly<Record<string, unknown>>): string {
  return [row["id"] ?? "", row["time"], row["event_name"], row["user_id"]].map(String).join(" ");
}

export function listNames(rows: readonly Row[]): string[] {
  return rows.map(getName).toSorted();
}

function rowsIn(
  bytes: Buffer,
  format: string,
  recordsAt: string | null,
): Record<string, unknown>[] {
  const text = bytes.toString("utf8");
  if (format === "ndjson")
    return text
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  if (format === "csv") return csvRows(text);
  const body: unknown = JSON.parse(text);
  if (recordsAt !== null) {
    const at = recordsAt.split(".").reduce((v, key) => (v as Record<string, unknown>)[key], body);
    return at as Record<string, unknown>[];
  }
  return (firstList(body) ?? []) as Record<string, unknown>[];
}

function firstList(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return undefined;
  return Object.values(value)
    .map(firstList)
    .find((list) => list !== undefined);
}

// Cells hold no commas but in the last column, which is left out.
function csvRows(text: string): Record<string, unknown>[] {
  const rows = text.matchAll(/^("[^"]*")?,"(\d+)","(\w+)","(\d+)",/gm);
  return [...rows].map(([, id, time, name, user]) => ({
    id: id?.replaceAll('"', ""),
    time,
    event_name: name,
    user_id: user,
  }));
}
