import type { IncomingMessage, ServerResponse } from "node:http";
import { toLoggedEvent, type AuditRecord, type LoggedEvent } from "../../fixtures/record.ts";
import { startService, type Service, type ServiceOptions } from "../../fixtures/service.ts";
import type { World } from "../../pipeline/base/world.ts";
import { homeWithWarehouse, type TestHome } from "./home.ts";
import type { Outcome } from "./command.ts";
import { testKey } from "./key.ts";

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

type Fault = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

/** A service and a home that share one clock, which the test sets. */
export type Remote = AsyncDisposable & {
  readonly home: TestHome;
  readonly key: string;
  readonly clock: { nowMs: number };
  /** Replaces the log of the service. */
  readonly serve: (
    events: readonly LoggedEvent[],
    options?: Partial<ServiceOptions>,
  ) => Promise<Service>;
  /** Answers requests before the service does; undefined lets it answer all. */
  readonly fault: (fault: Fault | undefined) => void;
  readonly ingest: (argv?: readonly string[], world?: Partial<World>) => Promise<Outcome>;
  /** Environment of the command line. */
  readonly env: () => Record<string, string>;
};

/**
 * A remote with its clock at `nowMs`; it serves nothing before `serve`. Its home has an empty warehouse, which a
 * first run would take half its time to make. A test of first runs uses a home without files.
 */
export async function newRemote(nowMs: number, given?: TestHome): Promise<Remote> {
  const home = given ?? (await homeWithWarehouse());
  const clock = { nowMs };
  const key = testKey;
  let fault: Fault | undefined;
  let service: Service | undefined;
  const env = (): Record<string, string> => ({
    AUDITLAKE_BASE_URL: service?.url ?? "http://127.0.0.1:9",
    AUDITLAKE_API_KEY: key,
  });
  return {
    home,
    key,
    clock,
    serve: async (events, options = {}) => {
      await service?.close();
      const before: Fault = async (request, response) =>
        (await fault?.(request, response)) ?? false;
      const now = (): number => clock.nowMs;
      return (service = await startService({
        records: events,
        users: [],
        apiKey: key,
        now,
        fault: before,
        ...options,
      }));
    },
    fault: (next) => void (fault = next),
    ingest: (argv = [], world = {}) =>
      home.run(["ingest", ...argv], { env: env(), now: () => clock.nowMs, ...world }),
    env,
    [Symbol.asyncDispose]: async () => {
      await service?.close();
      home[Symbol.dispose]();
    },
  };
}

/** An event of its own at a moment, known to the service from `visibleAt` on. */
export function eventAt(ms: number, visibleAt = ms, more: Partial<AuditRecord> = {}): LoggedEvent {
  const record = { time: Math.floor(ms / 1000), event_name: "job_kill", id: `at-${ms}`, ...more };
  return toLoggedEvent(record as AuditRecord, visibleAt);
}

/** Decides whether a request is for the day that starts there, or a part of it. */
export function asksFor(request: IncomingMessage, startMs: number): boolean {
  const from = new URL(request.url ?? "/", "http://x").searchParams.get("from");
  const fromMs = from === null ? NaN : Number(from) * 1000;
  return fromMs >= startMs && fromMs < startMs + dayMs;
}
