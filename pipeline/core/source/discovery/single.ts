import type { Paging } from "../../../../schemas/config.ts";
import type { Asker } from "./asking.ts";
import { askFor, type Ground } from "./ground.ts";
import type { Audits } from "./opening.ts";
import type { SeenRecord } from "./seen.ts";
import { sameRecords, within } from "./intervals.ts";
import type { Interval } from "../../../base/time/interval.ts";

// More than services usually put on a page.
const usualPage = 1000;
const reachMs = 30 * 86_400_000;

/**
 * Whether a service puts everything into one answer. No answer can show that none is ever cut off. One is taken for it
 * that is longer than pages usually are, and the same as the answers for its two parts.
 */
export async function findSingle(
  asker: Asker,
  { audits, window, sizeParam }: Ground,
  paging: Paging,
): Promise<Single> {
  const unknown = { audits: undefined, text: noWay, hasTooLittle: false };
  if (audits.window_params === null || sizeParam !== null) return unknown;
  const wide = { startMs: Math.max(0, window.startMs - reachMs), endMs: window.endMs };
  const ask = async (part: Interval): Promise<readonly SeenRecord[] | undefined> =>
    (await askFor(asker, audits, part, {}))?.records;
  const whole = (await ask(wide)) ?? [];
  const splitMs = medianMs(whole);
  const [older, newer] = [
    await ask({ ...wide, endMs: splitMs }),
    await ask({ ...wide, startMs: splitMs }),
  ];
  if (older === undefined || newer === undefined) return unknown;
  const parts = [...within(older, { ...wide, endMs: splitMs }), ...newer];
  if (!sameRecords(parts, whole))
    return { ...unknown, text: `an answer lacks records that its parts have, and ${noWay}` };
  if (whole.length <= usualPage)
    return {
      ...unknown,
      hasTooLittle: true,
      text: `all ${whole.length} records came in one answer, so nothing tells whether more than ${usualPage} would come in pages`,
    };
  return {
    audits: { ...audits, paging: { ...paging, style: "none" } },
    text: `${whole.length} records in one answer, the same as in the two parts of the time`,
    hasTooLittle: false,
  };
}

type Single = {
  readonly audits: Audits | undefined;
  readonly text: string;
  readonly hasTooLittle: boolean;
};

const noWay =
  "no way to a next page was found: no Link header, nothing in the body that leads on, no known name of a page or an offset";

function medianMs(records: readonly SeenRecord[]): number {
  const times = records
    .flatMap(({ ms }) => (ms === undefined ? [] : [ms]))
    .toSorted((a, b) => a - b);
  return Math.floor((times[times.length >> 1] ?? 0) / 1000) * 1000;
}
