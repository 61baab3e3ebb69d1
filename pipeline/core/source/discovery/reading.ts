import type { SourceConfig } from "../../../../schemas/config.ts";
import { AuditlakeError, messageOf } from "../../../base/errors.ts";
import { PageError } from "../../records/error.ts";
import { readWindow } from "../audits.ts";
import type { Client } from "../client.ts";
import type { Asker } from "./asking.ts";
import type { Audits } from "./opening.ts";
import { seenIn, type Seen, type SeenRecord } from "./seen.ts";
import type { Interval } from "../../../base/time/interval.ts";

/** What a configuration reads of a window, by the reader that every run uses. */
export type Reading = {
  /** Pages that hold records. */
  readonly pages: readonly Seen[];
  readonly records: readonly SeenRecord[];
  /** Why it came to no end; undefined where it did, or was not to. */
  readonly fault: string | undefined;
  /** What speaks against its end, by the names that `ignore_signs` takes. */
  readonly signs: readonly string[];
  /** Whether it was ended after some pages. */
  readonly isPart: boolean;
};

/** Reads a window with a configuration, to the end or some pages of it; throws OutOfRequests. */
export async function readBy(
  asker: Asker,
  audits: Audits,
  limits: SourceConfig["limits"],
  window: Interval,
  mostPages = Infinity,
): Promise<Reading> {
  const pages: Seen[] = [];
  let signs: readonly string[] = [];
  const client: Pick<Client, "get"> = {
    get: async (path, parameters, open) => {
      const answer = await asker.ask(path, parameters);
      if (answer === undefined) throw new AuditlakeError("the service refuses its requests");
      const page = seenIn(answer, audits.records_at);
      const last = pages.at(-1);
      if (page !== undefined && last !== undefined && overlap(last, page))
        throw new AuditlakeError(
          "its pages overlap, as where a number of records is taken for a page",
        );
      if (page !== undefined && page.records.length > 0) pages.push(page);
      return open(answer);
    },
  };
  const done = (isPart: boolean, fault?: string): Reading => {
    return { pages, records: pages.flatMap(({ records }) => records), fault, signs, isPart };
  };
  try {
    const reading = readWindow(client, { audits, limits }, window, (ending) => {
      signs = ending.signs;
    });
    while ((await reading.next()).done !== true) if (pages.length >= mostPages) return done(true);
    return done(false);
  } catch (error) {
    if (!(error instanceof AuditlakeError) && !(error instanceof PageError)) throw error;
    return done(false, messageOf(error));
  }
}

// A page that begins inside of the one before it. Equal records, or one that is repeated at an edge, show nothing.
function overlap({ records: before }: Seen, { records: page }: Seen): boolean {
  const texts = before.map(({ text }) => text);
  const start = texts.indexOf(page[0]?.text ?? "");
  const shared = texts.slice(start);
  if (start < 1 || shared.length < 2 || new Set(texts).size < texts.length) return false;
  return shared.every((text, i) => page[i]?.text === text);
}
