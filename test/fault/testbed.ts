import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCompany, listUsers } from "../../fixtures/company.ts";
import { faultNames, newFaults } from "../../fixtures/faults.ts";
import { newRandom } from "../../fixtures/random.ts";
import { startService } from "../../fixtures/service.ts";
import type { PagingStyle } from "../../fixtures/service/paging.ts";
import { resolveHome, type Home } from "../../pipeline/base/home/layout.ts";
import { dayMs, hourMs } from "../support/remote.ts";
import { listEvents, markedLog, truthOfMarks, type Truth } from "./log.ts";
import { startCli, type Started } from "./process.ts";
import { testKey } from "../support/key.ts";

export const verbs = ["ingest", "rebuild", "publish", "report"] as const;
export type Verb = (typeof verbs)[number];

/** Undisturbed length of a verb: in milliseconds, and in changes of files below its folder. */
export type Length = { readonly ms: number; readonly changes: number };
export type Lengths = Readonly<Record<Verb, Length>>;

/** A home, and a service whose log grows from step to step, with late events. */
export type Testbed = AsyncDisposable & {
  readonly home: Home;
  /** Holds the home, the reports and nothing else that changes. */
  readonly folder: string;
  /** Folder that the reports go to. */
  readonly reports: string;
  /** What the service shows after the last step. */
  readonly truth: Truth;
  /** Lets the service show more of its log. */
  readonly grow: () => void;
  /** Starts a verb as a user would; reports go to `reports` unless another folder is given. */
  readonly start: (verb: Verb, folder?: string) => Started;
};

const daysBack = 3;
const keptShare = 0.4;
// The log is late already, from step to step.
const faults = faultNames.filter((name) => name !== "late");
const faultRate = 0.05;
const key = testKey;
// Some of each family: what a kill can tear is the writing of a file, not what the file answers.
const written = [
  "denials_by_actor",
  "denials_by_day",
  "denials_list",
  "permission_changes_by_actor",
  "permission_changes_list",
  "policy_membership",
  "unheld_policies",
  "activity_by_day",
  "queries_by_user",
  "queries_with_text",
];
const styles: readonly PagingStyle[] = ["page", "offset", "cursor", "next_url", "link_header"];

/**
 * A new home of its own in a temporary folder; the service has shown all of its log after `steps` steps. A
 * faulty one fails now and then in all the ways it knows.
 */
export async function newTestbed(seed: number, steps: number, isFaulty = false): Promise<Testbed> {
  const random = newRandom(seed, "testbed");
  const startMs = Date.now();
  // The service's clock hardly advances, and withheld rows of an hour arrive only when that is over.
  const range = { from: startMs - daysBack * dayMs, to: Math.floor(startMs / hourMs) * hourMs };
  const log = markedLog({ seed, ...range, eventsPerDay: 0, share: keptShare });
  const events = [...listEvents(log)].map((event) => ({
    ...event,
    visibleAt: startMs + random.int(0, steps),
  }));
  let step = 0;
  const paging = random.pick(styles);
  const service = await startService({
    records: events,
    users: listUsers(makeCompany(seed)),
    apiKey: key,
    now: () => startMs + step,
    paging,
    faults: newFaults(isFaulty ? faults : [], seed, faultRate),
  });
  const folder = mkdtempSync(join(tmpdir(), "auditlake-fault-"));
  const config = join(folder, "auditlake.json");
  writeFileSync(config, JSON.stringify(buildConfig(service.url, paging, random.int(10, 40))));
  const root = join(folder, "home");
  const reports = join(folder, "reports");
  const start = (verb: Verb, out = reports): Started => {
    const dates = ["--since", iso(range.from), "--until", iso(range.to)];
    const rest = verb === "report" ? ["run", ...written, "--out", out, ...dates] : [];
    return startCli(["--home", root, "--config", config, "--quiet", verb, ...rest], {
      AUDITLAKE_API_KEY: key,
    });
  };
  return {
    home: resolveHome(root),
    folder,
    reports,
    truth: truthOfMarks(events),
    grow: () => void (step = Math.min(step + 1, steps)),
    start,
    [Symbol.asyncDispose]: async () => {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function buildConfig(url: string, style: PagingStyle, size: number): object {
  const first = style === "offset" ? 0 : 1;
  const audits = { paging: { style, size, first } };
  const source = { base_url: url, window: "1d", lookback: `${daysBack}d`, audits };
  return { sources: { testbed: source } };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
