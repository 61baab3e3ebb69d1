import { afterEach, beforeEach, expect, it } from "vitest";
import { toLoggedEvent, type AuditRecord } from "../../../../fixtures/record.ts";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../../support/remote.ts";

// One record that cannot be read must not keep its window from being read, day after day.

const start = Date.UTC(2026, 2, 1);
let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start + 2 * hourMs);
});
afterEach(() => remote[Symbol.asyncDispose]());

it.each(["envelope", "array", "ndjson", "csv"] as const)(
  "a poisonous record is quarantined, and its window is finalized nevertheless (%s)",
  async (answer) => {
    const config = remote.home.write(
      "auditlake.json",
      JSON.stringify({ sources: { s: { limits: { max_record_bytes: 2000 } } } }),
    );
    const at = start - hourMs;
    const second = at / 1000;
    const poison = [
      { time: second, event_name: "too_large", query_text: "x".repeat(5000) },
      { event_name: "no_time" },
      { time: "never", event_name: "bad_time" },
    ].map((record) => ({ ...toLoggedEvent(record as AuditRecord, at), time: second }));
    await remote.serve([eventAt(at - 1000), ...poison, eventAt(at + 1000)], { answer });
    for (const run of [0, 1]) {
      remote.clock.nowMs = start + 2 * hourMs + run * hourMs;
      const { code, err } = await remote.home.run(["--config", config, "ingest"], {
        env: remote.env(),
        now: () => remote.clock.nowMs,
      });
      expect([code, err]).toEqual([0, expect.stringContaining("3 quarantined")]);
    }
    expect(await remote.home.count("select count(*) from events")).toBe(2);
    expect(await remote.home.rows("select reason from quarantine order by reason")).toEqual(
      ["bad_time", "no_time", "too_large"].map((reason) => ({ reason })),
    );
    const states = "select state from ingest_windows where window_start = '2026-02-28'";
    expect(await remote.home.rows(states)).toEqual([{ state: "finalized" }]);
  },
);

it.each([
  [[], "closed"],
  [["unreadable"], "finalized"],
])(
  "reads that agree only on unreadable records, with %j ignored, leave their window %s",
  async (ignored, state) => {
    const source = { audits: { ignore_signs: ignored } };
    const config = remote.home.write("auditlake.json", JSON.stringify({ sources: { s: source } }));
    const at = start - hourMs;
    const bad = Array.from({ length: 300 }, (_, i) => ({
      ...toLoggedEvent(
        { time: "never", event_name: "bad_time", id: `${i}` } as unknown as AuditRecord,
        at,
      ),
      time: at / 1000,
    }));
    await remote.serve([eventAt(at), ...bad]);
    const errors: string[] = [];
    for (const run of [0, 1, 2]) {
      remote.clock.nowMs = start + (2 + run) * hourMs;
      const { err } = await remote.home.run(["--config", config, "ingest"], {
        env: remote.env(),
        now: () => remote.clock.nowMs,
      });
      errors.push(err);
    }
    const states = "select state from ingest_windows where window_start = '2026-02-28'";
    expect(await remote.home.rows(states)).toEqual([{ state }]);
    if (state === "closed") expect(errors.at(-1)).toContain("could not be read");
    expect((await remote.home.run(["rebuild"], { now: () => remote.clock.nowMs })).code).toBe(0);
    expect(await remote.home.rows(states)).toEqual([{ state }]);
  },
);

it("a poisonous record that fills a page does not block its window either", async () => {
  const at = start - hourMs;
  const alone = { ...toLoggedEvent({ event_name: "no_time" } as AuditRecord, at), time: at / 1000 };
  await remote.serve([alone, eventAt(start - 2 * dayMs)], { answer: "ndjson" });
  const { code, err } = await remote.ingest();
  expect([code, err]).toEqual([0, expect.stringContaining("1 quarantined")]);
});

it.each(["nul", '"caf\u00e9"'])(
  "a poisonous record in a truncated last line does not block its window either (%s)",
  async (value) => {
    const second = start / 1000 - 3600;
    const line = `{"time":${second},"event_name":"bulk","task_duration":${value}}`;
    const body = Buffer.from(`{"time":${second},"event_name":"a"}\n${line}`, "latin1");
    await remote.serve([], { answer: "ndjson" });
    remote.fault((request, response) => {
      const query = new URL(request.url!, "http://localhost").searchParams;
      const isAsked = Number(query.get("from")) <= second && Number(query.get("to")) > second;
      if (query.get("page") !== "1" || !isAsked) return false;
      response.setHeader("content-type", "application/x-ndjson");
      response.setHeader("content-length", body.length).end(body);
      return true;
    });
    const { code, err } = await remote.ingest();
    expect([code, err]).toEqual([0, expect.stringContaining("1 quarantined")]);
    expect(await remote.home.count("select count(*) from events")).toBe(1);
  },
);
