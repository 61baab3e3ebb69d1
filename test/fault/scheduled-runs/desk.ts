import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";
import type { Outcome } from "../../support/command.ts";
import { testKey } from "../../support/key.ts";
import { dayMs, hourMs } from "../../support/remote.ts";

/** The runs start after this moment; they read the day before it. */
export const start = Date.UTC(2026, 2, 1);
export const day = start - dayMs;

/** What a request asks for. */
export type Ask = {
  /** Epoch seconds. */
  readonly from: number;
  readonly to: number;
  readonly page: string | null;
  readonly size: number;
  readonly query: URLSearchParams;
};
/** What is answered: a body, or one with a link. */
export type Body = object | { readonly link: string; readonly body: object };
export type Event = { readonly time: number; readonly id?: string; readonly event_name: string };

/** A service that is a source of its own: how it is read, and what it answers. */
type Played = { readonly audits: object; readonly serve: (ask: Ask) => Body };

/** A home whose sources are services of its own. */
export type Desk = AsyncDisposable & {
  readonly home: TestHome;
  /** One more run of all sources over the day, an hour after the one before. */
  readonly read: (...argv: string[]) => Promise<Outcome>;
  /** The status of the day in each source: its state, the reason, evidence and signs. */
  readonly states: () => Promise<string[]>;
};

/** The name of the service at a place. */
export const getSource = (place: number): string => `s${String(place).padStart(2, "0")}`;
const stateOfDay =
  "select concat_ws(' ', state, reason, nullif(array_to_string(evidence, ' '), ''), nullif(array_to_string(signs, ' '), '')) as state_text from ingest_windows where window_start = timestamp '2026-02-28' order by source";

/** How a service is read that pages by a style, so many records at a time. */
export function buildPaging(style: "page" | "offset" | "cursor", size: number): object {
  const first = style === "page" ? 1 : 0;
  const next = style === "cursor" ? { next_at: "next", param: "page" } : { first };
  return { paging: { style, size, ...next } };
}

/** Starts the services, and makes a home that has each as a source. */
export async function openDesk(services: readonly Played[]): Promise<Desk> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://x");
    response.setHeader("Content-Type", "application/json");
    const [, source, ...path] = url.pathname.split("/");
    if (path.join("/") !== "v4/audits") return void response.end('{"users":[{"id":1}]}');
    const { searchParams: query } = url;
    const answer = services[Number(source!.slice(1))]!.serve({
      from: Number(query.get("from") ?? 0),
      to: Number(query.get("to") ?? Infinity),
      page: query.get("page"),
      size: Number(query.get("per_page") ?? 1000),
      query,
    });
    if ("link" in answer) response.setHeader("Link", answer.link);
    response.end(JSON.stringify("link" in answer ? answer.body : answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const sources = services.map(({ audits }, place) => {
    const name = getSource(place);
    return [name, { audits, base_url: `http://127.0.0.1:${port}/${name}` }] as const;
  });
  const home = await homeWithWarehouse();
  const config = home.write("c.json", JSON.stringify({ sources: Object.fromEntries(sources) }));
  const env = { AUDITLAKE_API_KEY: testKey };
  let nowMs = start + 2 * hourMs;
  return {
    home,
    read: async (...argv) => {
      nowMs += hourMs;
      const range = argv.includes("accept") ? [] : ["--from", "2026-02-28", "--to", "2026-03-01"];
      return home.run(["--config", config, "ingest", ...argv, ...range], { env, now: () => nowMs });
    },
    states: async () => (await home.rows(stateOfDay)).map(({ state_text }) => String(state_text)),
    [Symbol.asyncDispose]: async () => {
      home[Symbol.dispose]();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What a query with one row per source gives, in their order. */
export async function perSource({ home }: Desk, what: string): Promise<number[]> {
  const sql = `select ${what} as n from events group by source order by source`;
  return (await home.rows(sql)).map(({ n }) => Number(n));
}
