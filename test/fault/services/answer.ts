import type { Player } from "../bed.ts";
import { buildBody } from "./body.ts";
import type { SimEvent } from "./events.ts";
import type { Manners, Plan } from "./plan.ts";
import { buildNext, buildPlace } from "./position.ts";
import { buildAsked, choose, type Asked } from "./range.ts";
import type { Answer, Walk } from "./misbehavior.ts";

/** What happened to a service while it was read: the started walks, each with the number of its run. */
export type Heard = (Asked & { readonly runIndex: number })[];

/** A service that answers over HTTP; `runIndex` returns the number of the current run. */
export function play(plan: Plan, heard: Heard, runIndex: () => number): Player {
  const walks = new Map<string, Walk>();
  return (url, response, request) => {
    const nowMs = plan.runTimes[runIndex()]!;
    const asked = buildAsked(url, plan);
    const place = buildPlace(url, plan);
    const key = `${asked.fromMs} ${asked.toMs}`;
    if (place.offset === 0 && !place.isFurther) {
      walks.set(key, begin(plan, heard, asked, runIndex()));
      heard.push({ ...asked, runIndex: runIndex() });
    }
    const walk = walks.get(key)!;
    const answer = writeAnswer(plan, asked, place, walk, nowMs);
    const own = new URL(url.pathname + url.search, `http://${request.headers.host}`);
    const next = buildNext(plan, own, answer);
    const { type, text } = buildBody(plan, answer, next.inBody, logSize(plan, nowMs));
    if (next.link !== undefined) response.setHeader("Link", `<${next.link}>; rel="next"`);
    response.setHeader("Date", new Date(nowMs).toUTCString());
    response.writeHead(200, { "Content-Type": type }).end(text);
  };
}

function begin({ source }: Plan, earlier: Heard, asked: Asked, runIndex: number): Walk {
  const isNamed = Number.isFinite(asked.fromMs);
  return {
    runIndex,
    window: isNamed ? Math.floor(asked.fromMs / source.window) : 0,
    sameEnd: earlier.filter(({ toMs }) => toMs === asked.toMs).length,
    sameStart: earlier.filter(({ fromMs }) => fromMs === asked.fromMs).length,
  };
}

function writeAnswer(
  plan: Plan,
  asked: Asked,
  { offset, size }: { readonly offset: number; readonly size: number },
  walk: Walk,
  nowMs: number,
): Answer {
  const { manners, misbehavior } = plan;
  const held = inOrder(choose(plan, asked, nowMs), manners);
  const list = misbehavior?.list?.(held, walk) ?? held;
  const page = misbehavior?.slice?.(list, offset, size, walk) ?? list.slice(offset, offset + size);
  return { page, offset, size, shown: list.length, held: held.length, walk };
}

function inOrder(events: readonly SimEvent[], { order }: Manners): SimEvent[] {
  const by = (event: SimEvent): number => {
    if (order === "shuffled") return event.shuffle;
    return order === "oldest_first" ? event.timeMs : -event.timeMs;
  };
  return [...events].sort((a, b) => by(a) - by(b) || a.shuffle - b.shuffle);
}

function logSize({ events }: Plan, nowMs: number): number {
  return events.filter(({ visibleMs }) => visibleMs <= nowMs).length;
}
