import type { Interval } from "../../base/time/periods.ts";
import type { Cell } from "../../base/rows/row.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { askFor } from "../../core/detect/run.ts";
import { readLimits } from "../../core/store/limits.ts";
import { openPublished } from "../../core/store/open.ts";
import type { Detection } from "../../core/detect/detections.ts";
import { type Ask, findHits, type Hit } from "../../core/detect/hits.ts";

// A rule is evaluated day by day, as scheduled runs do, and once over the whole time. A hit that only the second finds
// needs events that no single run reads: the rule would miss it in operation.

const dayMs = 86_400_000;

/** Columns of a comparison: where hits of a key were found, and how many. */
export const backtestColumns = ["found", "key", "first_at", "last_at", "hits"] as const;

/** The current version of a rule and another one; either is optional. */
type Rules = { readonly before?: Detection; readonly after?: Detection };

/** Compares the keys of a rule with those of another version of it, over the published file. */
export async function backtestRules(
  rules: Rules,
  during: Interval,
  settings: Settings,
  world: World,
): Promise<readonly Cell[][]> {
  const { home, config } = settings;
  await using database = await openPublished(home.published, readLimits(config));
  return await compareRules(askFor(database.connection, settings, world), rules, during);
}

async function compareRules(
  ask: Ask,
  { before, after }: Rules,
  during: Interval,
): Promise<readonly Cell[][]> {
  const [old, current] = [
    await findDaily(ask, before, during),
    await findDaily(ask, after, during),
  ];
  const [oldKeys, newKeys] = [old, current].map((hits) => new Set(hits.map(({ key }) => key)));
  const tested = after ?? before;
  const daily = new Set((after === undefined ? old : current).map(nameHit));
  const whole = tested === undefined ? [] : await findRaising(ask, tested, during);
  return [
    ...summarizeKeys(
      "in both",
      current.filter(({ key }) => oldKeys!.has(key)),
    ),
    ...summarizeKeys(
      "only old",
      old.filter(({ key }) => !newKeys!.has(key)),
    ),
    ...summarizeKeys(
      "only new",
      current.filter(({ key }) => !oldKeys!.has(key)),
    ),
    ...summarizeKeys(
      "only in one go",
      whole.filter((hit) => !daily.has(nameHit(hit))),
    ),
  ];
}

async function findDaily(
  ask: Ask,
  detection: Detection | undefined,
  { startMs, endMs }: Interval,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  if (detection === undefined) return hits;
  for (let dayStart = startMs; dayStart < endMs; dayStart += dayMs)
    hits.push(
      ...(await findRaising(ask, detection, {
        startMs: dayStart,
        endMs: Math.min(dayStart + dayMs, endMs),
      })),
    );
  return hits;
}

async function findRaising(ask: Ask, detection: Detection, during: Interval): Promise<Hit[]> {
  return (await findHits(ask, detection, during)).filter(({ isKnown }) => !isKnown);
}

function nameHit({ key, at }: Hit): string {
  return `${at} ${key}`;
}

// A row for each key, with the times of its first and last hit.
function summarizeKeys(found: string, hits: readonly Hit[]): Cell[][] {
  const byKey = new Map<string, string[]>();
  for (const { key, at } of hits) byKey.set(key, [...(byKey.get(key) ?? []), at]);
  return [...byKey]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, times]) => {
      const ordered = times.toSorted();
      return [found, key, ordered[0]!, ordered.at(-1)!, String(times.length)];
    });
}
