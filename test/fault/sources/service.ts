import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { newRandom, type Random } from "../../../fixtures/random.ts";
import { buildBody, formatText } from "./body.ts";
import { makeFault } from "./disturb.ts";
import type { SimEvent } from "./events.ts";
import type { Plan } from "./plan.ts";
import { isFarBeyond, buildNext, computeOffset } from "./position.ts";
import { type Broken, newWalk, type Range, type Walk } from "./walks.ts";

/** A simulated source over HTTP, with what it has shown. */
export type Simulated = {
  readonly walks: Walk[];
  readonly broken: Broken[];
  /** Answers the requests of a run until the next one starts; calls `interrupt` where planned. */
  readonly begin: (runIndex: number, interrupt: () => void) => void;
  readonly answer: (url: URL, response: ServerResponse) => void;
};

/** The service of a plan. */
export function simulate(plan: Plan): Simulated {
  const walks: Walk[] = [];
  const broken: Broken[] = [];
  const current = new Map<string, Walk>();
  const failing = new Map<string, number>();
  let runIndex = 0;
  let requests = 0;
  let interrupt = (): void => undefined;
  let random: Random = newRandom(plan.seed, "night 0");
  return {
    walks,
    broken,
    begin: (next, onInterrupt) => {
      [runIndex, requests, interrupt] = [next, 0, onInterrupt];
      random = newRandom(plan.seed, `night ${next}`);
      current.clear();
      failing.clear();
    },
    answer: (url, response) => {
      requests += 1;
      const { atMs, end, faultRate } = plan.runs[runIndex]!;
      const nowMs = atMs + requests * plan.tickMs;
      response.setHeader("Date", new Date(nowMs).toUTCString());
      if (end?.atRequest === requests) {
        if (end.how === "interrupted") interrupt();
        return void response.writeHead(end.how === "refused" ? 401 : 503).end();
      }
      const failed = random.chance(faultRate) ? (failing.get(url.search) ?? 0) + 1 : 0;
      failing.set(url.search, failed % plan.source.limits.max_attempts);
      if (failed === plan.source.limits.max_attempts) broken.push({ runIndex, ...buildRange(url) });
      if (failed > 0) return makeFault(random, plan.manners)(response);
      const walk = buildWalk(plan, url, runIndex, current, walks);
      answerPage(plan, walk, { url, nowMs }, random, response);
    },
  };
}

/** A server on loopback that routes each request to the source it is for. */
export async function listen(
  route: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<AsyncDisposable & { readonly origin: string }> {
  const server = createServer(route);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

// The first position begins another walk, unless the one before got no answer to it yet.
function buildWalk(
  plan: Plan,
  url: URL,
  runIndex: number,
  current: Map<string, Walk>,
  walks: Walk[],
): Walk {
  const { fromMs, toMs } = buildRange(url);
  const range = `${fromMs} ${toMs}`;
  const known = current.get(range);
  const isFirst = computeOffset(plan, url) === 0;
  if (known !== undefined && (!isFirst || known.pages.size === 0)) return known;
  const walk = newWalk(runIndex, fromMs, toMs);
  current.set(range, walk);
  walks.push(walk);
  return walk;
}

function buildRange({ searchParams: asked }: URL): Range {
  return {
    fromMs: computeMs(asked.get("from"), -Infinity),
    toMs: computeMs(asked.get("to"), Infinity),
  };
}

function computeMs(text: string | null, whenAbsent: number): number {
  if (text === null) return whenAbsent;
  return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
}

function answerPage(
  plan: Plan,
  walk: Walk,
  { url, nowMs }: { readonly url: URL; readonly nowMs: number },
  random: Random,
  response: ServerResponse,
): void {
  const { manners } = plan;
  if (walk.pages.size === 0) {
    walk.startMs = nowMs;
    walk.dateMs = Math.floor(nowMs / 1000) * 1000;
  }
  walk.endMs = nowMs;
  const position = url.searchParams.get("page") ?? "";
  const offset = computeOffset(plan, url);
  const found = visible(plan, walk, manners.isPinned ? walk.startMs : nowMs);
  const isGap = manners.hasEmptyPages && position.startsWith("c") && offset % 2 === 0;
  const size = manners.style === "none" ? Infinity : Math.min(manners.pageCap, computeSize(url));
  const repeats = walk.pages.size > 0 && !isGap ? plan.runs[walk.runIndex]!.repeats : undefined;
  const whole = isGap ? [] : found.slice(offset, offset + size);
  const isShort = whole.length > 1 && random.chance(plan.runs[walk.runIndex]!.shortRate);
  const page =
    repeats === "page" ? [...walk.pages.values()][0]!.events : isShort ? whole.slice(0, -1) : whole;
  const next = buildNext(plan, url, {
    offset,
    size,
    total: found.length,
    isGap,
    isOwn: repeats === "cursor",
  });
  if (repeats === "page" && page.length > 0) walk.isPoisoned = true;
  if (next.isOwn) walk.isPoisoned = true;
  if (isShort) walk.isShort = true;
  const texts = page.map((event) => formatText(event, manners, `${walk.runIndex} ${walk.startMs}`));
  const { headers, bytes, text } = buildBody(texts, manners, next.inBody);
  // What shows that the position is honoured is no page of the walk.
  if (!isFarBeyond(offset)) {
    const sha256 = createHash("sha256").update(text).digest("hex");
    walk.pages.set(position, { events: page, sha256 });
    walk.isComplete = next.isEnd;
  }
  if (next.link !== undefined) response.setHeader("Link", `<${next.link}>; rel="next"`);
  response.writeHead(200, { ...headers, "Content-Length": bytes.length }).end(bytes);
}

function computeSize(url: URL): number {
  return Number(url.searchParams.get("per_page") ?? Infinity);
}

function visible({ events, manners, seed }: Plan, walk: Walk, atMs: number): SimEvent[] {
  const isAsked = ({ timeMs }: SimEvent): boolean =>
    timeMs >= walk.fromMs && (manners.isToIncluded ? timeMs <= walk.toMs : timeMs < walk.toMs);
  const found = events.filter((e) => isAsked(e) && e.visibleMs <= atMs && e.hiddenMs > atMs);
  const key: Record<typeof manners.order, (event: SimEvent) => number> = {
    oldest_first: ({ timeMs }) => timeMs,
    newest_first: ({ timeMs }) => -timeMs,
    by_arrival: ({ visibleMs }) => visibleMs,
    shuffled: ({ shuffle }) => (shuffle * (seed + walk.runIndex + 7)) % 1,
  };
  const by = key[manners.order];
  return found.sort((a, b) => by(a) - by(b) || a.shuffle - b.shuffle);
}
