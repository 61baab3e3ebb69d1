import type { SimEvent } from "./events.ts";
import type { Plan } from "./plan.ts";

/** The range of a request, milliseconds; everything where it names none. */
export type Asked = { readonly fromMs: number; readonly toMs: number };

/** Reads the range of a request. */
export function buildAsked(url: URL, { source }: Plan): Asked {
  const params = source.audits.window_params;
  const [from, to] = [params?.from ?? "from", params?.to ?? "to"].map((name) =>
    url.searchParams.get(name),
  );
  return { fromMs: computeMs(from, -Infinity), toMs: computeMs(to, Infinity) };
}

function computeMs(text: string | null | undefined, whenAbsent: number): number {
  if (text === null || text === undefined) return whenAbsent;
  return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
}

/** What a service returns for a range at a moment: as it interprets the range, and as far as it retains data. */
export function choose({ manners, events }: Plan, asked: Asked, nowMs: number): SimEvent[] {
  const { fromMs, toMs } = understood(manners.range, asked);
  return events.filter(
    ({ timeMs, visibleMs }) =>
      visibleMs <= nowMs &&
      timeMs >= fromMs &&
      (timeMs < toMs || (manners.isEndIncluded && timeMs === toMs)),
  );
}

function understood(range: Plan["manners"]["range"], asked: Asked): Asked {
  if (!("unitMs" in range))
    return range.how === "honoured" ? asked : { fromMs: -Infinity, toMs: Infinity };
  const { unitMs } = range;
  const down = (ms: number): number => Math.floor(ms / unitMs) * unitMs;
  const up = (ms: number): number => Math.ceil(ms / unitMs) * unitMs;
  const fromMs = down(asked.fromMs);
  return { fromMs, toMs: range.how === "outward" ? up(asked.toMs) : down(asked.toMs) };
}
