import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomOf, type Random } from "../../../fixtures/random.ts";
import { bodyOf, textOf } from "./body.ts";
import { faultOf } from "./disturb.ts";
import type { SimEvent } from "./events.ts";
import type { Plan } from "./plan.ts";
import { nextOf, offsetOf } from "./position.ts";
import { newWalk, type Walk } from "./walks.ts";

/** A simulated source over HTTP, with what it has shown. */
export type Simulated = {
  readonly walks: Walk[];
  /** Answers the requests of a night until the next is begun; `interrupt` is called where the plan says so. */
  readonly begin: (night: number, interrupt: () => void) => void;
  readonly answer: (url: URL, response: ServerResponse) => void;
};

/** The service of a plan. */
export function simulate(plan: Plan): Simulated {
  const walks: Walk[] = [];
  const current = new Map<string, Walk>();
  let night = 0;
  let requests = 0;
  let interrupt = (): void => undefined;
  let random: Random = randomOf(plan.seed, "night 0");
  return {
    walks,
    begin: (next, onInterrupt) => {
      [night, requests, interrupt] = [next, 0, onInterrupt];
      random = randomOf(plan.seed, `night ${next}`);
      current.clear();
    },
    answer: (url, response) => {
      requests += 1;
      const { atMs, end, faultRate } = plan.nights[night]!;
      const nowMs = atMs + requests * plan.tickMs;
      response.setHeader("Date", new Date(nowMs).toUTCString());
      if (end?.atRequest === requests) {
        if (end.how === "interrupted") interrupt();
        return void response.writeHead(end.how === "refused" ? 401 : 503).end();
      }
      if (random.chance(faultRate)) return faultOf(random, plan.manners)(response);
      const walk = walkOf(plan, url, night, current, walks);
      answerPage(plan, walk, url, nowMs, random, response);
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
function walkOf(
  plan: Plan,
  url: URL,
  night: number,
  current: Map<string, Walk>,
  walks: Walk[],
): Walk {
  const [from, to] = [url.searchParams.get("from"), url.searchParams.get("to")];
  const window = `${from} ${to}`;
  const known = current.get(window);
  const isFirst = offsetOf(plan, url) === 0;
  if (known !== undefined && (!isFirst || known.pages.size === 0)) return known;
  const walk = newWalk(night, msOf(from, -Infinity), msOf(to, Infinity));
  current.set(window, walk);
  walks.push(walk);
  return walk;
}

function msOf(text: string | null, whenAbsent: number): number {
  if (text === null) return whenAbsent;
  return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
}

function answerPage(
  plan: Plan,
  walk: Walk,
  url: URL,
  nowMs: number,
  random: Random,
  response: ServerResponse,
): void {
  const { manners } = plan;
  if (walk.pages.size === 0) {
    walk.startMs = nowMs;
    walk.dateMs = Math.floor(nowMs / 1000) * 1000;
  }
  const position = url.searchParams.get("page") ?? "";
  const offset = offsetOf(plan, url);
  const found = visible(plan, walk, manners.isPinned ? walk.startMs : nowMs);
  const isGap = manners.hasEmptyPages && position.startsWith("c") && offset % 2 === 0;
  const size = manners.style === "none" ? Infinity : Math.min(manners.pageCap, sizeOf(url));
  const repeats = walk.pages.size > 0 && !isGap ? plan.nights[walk.night]!.repeats : undefined;
  const whole = isGap ? [] : found.slice(offset, offset + size);
  const isShort = whole.length > 1 && random.chance(plan.nights[walk.night]!.shortRate);
  const page =
    repeats === "page" ? [...walk.pages.values()][0]! : isShort ? whole.slice(0, -1) : whole;
  const next = nextOf(plan, url, {
    offset,
    size,
    total: found.length,
    isGap,
    isOwn: repeats === "cursor",
  });
  note(walk, position, page, plan, next.isEnd);
  if (repeats === "page" && page.length > 0) walk.isPoisoned = true;
  if (next.isOwn) walk.isPoisoned = true;
  const texts = page.map((event) => textOf(event, manners, `${walk.night} ${walk.startMs}`));
  const { headers, bytes } = bodyOf(texts, manners, next.inBody);
  if (next.link !== undefined) response.setHeader("Link", `<${next.link}>; rel="next"`);
  response.writeHead(200, { ...headers, "Content-Length": bytes.length }).end(bytes);
}

function note(
  walk: Walk,
  position: string,
  page: readonly SimEvent[],
  plan: Plan,
  isEnd: boolean,
): void {
  const text = page.map((event) => textOf(event, plan.manners, "")).join("\n");
  if (page.length > 0 && walk.texts.includes(text)) walk.isDoubtful = true;
  walk.texts.push(text);
  walk.pages.set(position, page);
  walk.isComplete = isEnd;
}

function sizeOf(url: URL): number {
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
    shuffled: ({ shuffle }) => (shuffle * (seed + walk.night + 7)) % 1,
  };
  const by = key[manners.order];
  return found.sort((a, b) => by(a) - by(b) || a.shuffle - b.shuffle);
}
