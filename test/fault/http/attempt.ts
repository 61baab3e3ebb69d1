import { newRandom } from "../../../fixtures/random.ts";
import { AuditlakeError } from "../../../pipeline/base/errors.ts";
import { forEachLine, readJson } from "../../../pipeline/core/records/each.ts";
import { readWindow } from "../../../pipeline/core/source/audits.ts";
import { configSchema } from "../../../schemas/config.ts";
import {
  answer,
  content,
  key,
  rawService,
  newReader,
} from "../../pipeline/core/source/raw-service.ts";
import { Turns } from "../turns.ts";
import { makeFailure, makeFault, pageSize, makePlan, rightAnswer, type Plan } from "./chaos.ts";

const timeoutMs = 80;
const maxAttempts = 4;
// What a run takes besides waiting.
const slackMs = 1000;

/** The outcome of reading one window over a faulty connection. */
export type Attempt = {
  readonly ended: "whole" | "refused";
  readonly ms: number;
  /** The longest it may take: every request until its time limit, and some slack. */
  readonly limitMs: number;
  readonly complaints: readonly string[];
};

/** Reads the log of a seed's service: all of it, or an error, and in time. */
export async function attempt(seed: number): Promise<Attempt> {
  const random = newRandom(seed, "chaos");
  const plan = makePlan(random);
  await using service = await rawService((socket, head) => {
    const url = new URL(/^GET (\S+)/.exec(head)![1]!, "http://x");
    const [body, headers] = rightAnswer(plan, url);
    if (random.chance(plan.rate / 20)) return makeFailure(random, body)(socket, head);
    if (random.chance(plan.rate)) return makeFault(random, body, headers)(socket, head);
    return answer(body, headers)(socket, head);
  });
  await using reader = newReader(service.url, { timeoutMs, maxAttempts });
  const start = performance.now();
  using turns = new Turns();
  const found = await readIds(reader.client, plan).catch((error: unknown) => error);
  const ms = performance.now() - start;
  const limitMs = reader.client.counts.requests * timeoutMs + slackMs;
  const complaints = [...listComplaints(found, plan)];
  if (turns.ms() > limitMs) complaints.push(`took ${Math.round(ms)} ms of ${limitMs}`);
  return { ended: Array.isArray(found) ? "whole" : "refused", ms, limitMs, complaints };
}

async function readIds(
  client: Parameters<typeof readWindow>[0],
  { style }: Plan,
): Promise<string[]> {
  const audits = { paging: { style, size: pageSize } };
  const source = configSchema.parse({ sources: { a: { audits } } }).sources["a"]!;
  const ids: string[] = [];
  for await (const { bytes, format } of readWindow(client, source, { startMs: 0, endMs: 1000 })) {
    const take = (start: number, end: number): void =>
      void ids.push((JSON.parse(bytes.toString("utf8", start, end)) as { id: string }).id);
    if (format === "json") readJson(bytes, null, take);
    else forEachLine(bytes, take);
  }
  return ids;
}

function listComplaints(found: unknown, { ids, rate, style, format }: Plan): string[] {
  if (Array.isArray(found))
    return found.join() === ids.join()
      ? []
      : [
          `${style}, ${format}: ${found.length} records of ${ids.length} pass for all: wrong success`,
        ];
  if (!(found instanceof AuditlakeError)) return [`an error that is not ours: ${String(found)}`];
  if (found.message.includes(key) || found.message.includes(content))
    return ["the error shows the key or a record"];
  return rate === 0 ? [`failed over a good line: ${found.message}`] : [];
}
