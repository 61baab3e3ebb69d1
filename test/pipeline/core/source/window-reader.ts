import { onTestFinished } from "vitest";
import { configSchema, type SourceConfig } from "../../../../schemas/config.ts";
import { readWindow, type AuditPage } from "../../../../pipeline/core/source/audits.ts";
import {
  answer,
  rawService,
  newReader,
  type RawService,
  type Reader,
  type Script,
} from "./raw-service.ts";

export const startMs = Date.UTC(2026, 0, 1);
const window = { startMs, endMs: startMs + 86_400_000 };

let service: RawService | undefined;
let reader: Reader | undefined;

/** Ends what the last reading used; the next one does so by itself. */
async function close(): Promise<void> {
  await reader?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  reader = service = undefined;
}

export type Settings = { readonly audits?: object; readonly limits?: object };

function buildSource({ audits = {}, limits = {} }: Settings): SourceConfig {
  return configSchema.parse({ sources: { a: { audits, limits } } }).sources["a"]!;
}

/** The pages of a window that a service answers with the scripts. */
export async function read(
  settings: Settings,
  scripts: readonly Script[],
  over = window,
): Promise<AuditPage[]> {
  await close();
  onTestFinished(close);
  service = await rawService(...scripts);
  reader = newReader(service.url, { maxAttempts: 2 });
  const pages: AuditPage[] = [];
  for await (const page of readWindow(reader.client, buildSource(settings), over)) pages.push(page);
  return pages;
}

/** Path and query of each request of the last reading, in their order; the usual path is left out. */
export function queries(): string[] {
  return service!.heads.map((head) => /^GET (\S+)/.exec(head)![1]!.replace("/v4/audits", ""));
}

/** What the client of the last reading counted. */
export function countReads(): object {
  return reader!.client.counts;
}

/** Settings for a paging style, with two records to a page and no window parameters. */
export function newPaged(style: string, more: object = {}): Settings {
  return { audits: { window_params: null, paging: { style, size: 2, ...more } } };
}

let number = 0;
/** Records that no other page has, as a JSON array. */
export function records(count: number): string {
  return JSON.stringify(Array.from({ length: count }, () => ({ time: (number += 1) })));
}

/** A page that is a bare array. */
export function list(count: number, headers: Readonly<Record<string, string>> = {}): Script {
  return answer(records(count), headers);
}

/** A page in an envelope with further keys. */
export function body(count: number, more: object): Script {
  return answer(JSON.stringify({ audits: JSON.parse(records(count)), ...more }));
}

export function counts(pages: readonly AuditPage[]): number[] {
  return pages.map((page) => page.records);
}
