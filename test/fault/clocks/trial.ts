import { AuditlakeError, getMessage } from "../../../pipeline/base/errors.ts";
import type { Report } from "../../../pipeline/core/ingest/report.ts";
import type { Bed, Player } from "../bed.ts";
import { isSure, lost, notFinal, tooFinal, type Stored } from "./judge.ts";
import type { Plan, Run } from "./plan.ts";

/** Carries out the runs of a plan; returns what is wrong, one line each. */
export async function tryRuns(plan: Plan, bed: Bed): Promise<string[]> {
  const complaints: string[] = [];
  for (const [i, run] of plan.runs.entries()) {
    bed.players.set(plan.name, playAt(plan, run));
    const said = await runOnce(plan, run, bed);
    if (typeof said === "string" && i !== plan.wrong) complaints.push(`run ${i}: ${said}`);
    const stored = await readStored(plan, bed);
    if (isSure(plan, i))
      complaints.push(...tooFinal(plan, run, stored).map((line) => `run ${i}: ${line}`));
    if (i === plan.runs.length - 1)
      complaints.push(...lost(plan, stored), ...notFinal(plan, stored));
  }
  bed.players.delete(plan.name);
  return complaints;
}

async function runOnce({ name, source }: Plan, { ourMs }: Run, bed: Bed): Promise<Report | string> {
  try {
    const ingested = await bed.ingest(name, source, ourMs);
    const [failure] = ingested.failures;
    return failure === undefined ? ingested : `failed: ${failure.message}`;
  } catch (error) {
    if (!(error instanceof AuditlakeError)) throw error;
    return `failed: ${getMessage(error)}`;
  }
}

// A service that honours the range and pages to an empty page; it shows what there is at the true moment.
function playAt({ events, pageSize }: Plan, { trueMs, dateMs }: Run): Player {
  return (url, response) => {
    const number = (name: string): number => Number(url.searchParams.get(name));
    const [fromMs, toMs] = [number("from") * 1000, number("to") * 1000];
    const held = events.filter(
      ({ timeMs, visibleMs }) => visibleMs <= trueMs && timeMs >= fromMs && timeMs < toMs,
    );
    const offset = (number("page") - 1) * pageSize;
    const page = held.slice(offset, offset + pageSize);
    if (dateMs === undefined) response.sendDate = false;
    else response.setHeader("Date", new Date(dateMs).toUTCString());
    const records = page.map(({ id, timeMs }) => ({
      time: timeMs / 1000,
      event_name: "job_kill",
      id,
    }));
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ audits: records }));
  };
}

async function readStored({ name }: Plan, { ask }: Bed): Promise<Stored> {
  const events = await ask(`select id from events where source = '${name}' order by id`);
  const windows = await ask(
    `select epoch_ms(window_start) as start_ms, epoch_ms(window_end) as end_ms, state, reason
     from ingest_windows where source = '${name}' order by window_start`,
  );
  return {
    ids: new Set(events.map(({ id }) => String(id))),
    windows: windows.map((row) => ({
      startMs: Number(row["start_ms"]),
      endMs: Number(row["end_ms"]),
      state: String(row["state"]),
    })),
  };
}
