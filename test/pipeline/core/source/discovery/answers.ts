import type { HttpAnswer } from "../../../../../pipeline/base/http/exchange.ts";
import type { Asker } from "../../../../../pipeline/core/source/discovery/asker.ts";
import type { Ground } from "../../../../../pipeline/core/source/discovery/ground.ts";
import {
  readSeen,
  type SeenAnswer,
} from "../../../../../pipeline/core/source/discovery/read-answer.ts";
import { buildSource } from "./found.ts";

/** The answer with a body, as it comes from a client. */
export function buildAnswer(body: object): HttpAnswer {
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json" };
  const answer = { status: 200, headers, url: "http://x", text, body: Buffer.from(text) };
  return { ...answer, isFramed: true } as unknown as HttpAnswer;
}

/** Records of a log, of which no two are the same. */
export const records = Array.from({ length: 40 }, (_, i) => ({
  time: 1_772_000_000 - i,
  id: `r${i}`,
}));

/** What a service answers to parameters. */
export type Service = (parameters: Readonly<Record<string, string>>) => object;

/** Asks a service of which the answers are made here, as often as one likes. */
export function newAsker(service: Service): Asker {
  return {
    requests: () => 0,
    ask: async (_, parameters) => {
      await Promise.resolve();
      return buildAnswer(service(parameters));
    },
  };
}

/** The ground to try paging on with a service that takes no window. */
export function groundOn(service: Service, more: Partial<Ground> = {}): Ground {
  const { audits } = buildSource({ audits: { window_params: null } });
  const first = readSeen(buildAnswer(service({})), null) as SeenAnswer;
  const size = first.records.length;
  const window = { startMs: 0, endMs: 1 };
  const seen = { first, size, reference: first.records, isWhole: false, sizeParam: null };
  return { audits, window, isStrict: false, ...seen, ...more };
}
