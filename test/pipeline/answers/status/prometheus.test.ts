import { afterAll, beforeAll, expect, test } from "vitest";
import type { SourceFacts } from "../../../../pipeline/core/completeness/ledger-facts.ts";
import { writePrometheus } from "../../../../pipeline/answers/status/prometheus.ts";
import { newHome, type TestHome } from "../../../support/home.ts";

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  await home.load([
    { time: 1_767_225_600, event_name: "sign_in", id: "a" },
    { time: 1_767_225_601, event_name: "sign_in", id: "a" },
    {
      time: 1_767_225_602,
      event_name: "job_issue",
      id: "b",
      resource_id: "7",
      query_text: "select 1",
    },
    "no record",
  ]);
});
afterAll(() => home[Symbol.dispose]());

const line = /^(auditlake_[a-z_]+)(?:\{([a-z]+)="((?:[^"\\]|\\.)*)"\})? (-?\d+(?:\.\d+)?)$/;

function listSamples(text: string): Map<string, number> {
  expect(text).toMatch(/\n$/);
  const samples = new Map<string, number>();
  let [helped, typed] = ["", ""];
  for (const each of text.trimEnd().split("\n")) {
    const [, help] = /^# HELP (\S+) \S.*$/.exec(each) ?? [];
    const [, type] = /^# TYPE (\S+) gauge$/.exec(each) ?? [];
    if (help !== undefined) helped = help;
    else if (type !== undefined) typed = type;
    else {
      const [, name, , label, value] = line.exec(each) ?? expect.fail(`no sample: ${each}`);
      expect([helped, typed]).toEqual([name, name]);
      samples.set(`${name} ${label ?? ""}`.trim(), Number(value));
    }
  }
  return samples;
}

test("the samples have the same facts as the JSON", async () => {
  const { code, out, err } = await home.run(["status", "--format", "prometheus"]);
  expect(code, err).toBe(0);
  const samples = listSamples(out);
  const json = JSON.parse((await home.run(["status", "--format", "json"])).out) as {
    published: { bytes: number; written_at: string };
    sources: { source: string; totals: Record<string, string | number> }[];
  };
  const [only] = json.sources;
  const { source, totals } = only!;
  expect(samples.get("auditlake_file_bytes published")).toBe(json.published.bytes);
  expect(samples.get("auditlake_published_timestamp_seconds")).toBe(
    Date.parse(json.published.written_at) / 1000,
  );
  expect(samples.get(`auditlake_events ${source}`)).toBe(3);
  expect(samples.get(`auditlake_id_conflicts ${source}`)).toBe(1);
  expect(samples.get(`auditlake_last_run_quarantined ${source}`)).toBe(1);
  expect(samples.get(`auditlake_gaps ${source}`)).toBe(0);
  expect(samples.get("auditlake_query_texts waiting")).toBe(1);
  expect(samples.get("auditlake_query_texts parsed")).toBe(0);
  expect(samples.get(`auditlake_last_event_timestamp_seconds ${source}`)).toBe(1_767_225_602);
  expect(Date.parse(String(totals["last_event"])) / 1000).toBe(1_767_225_602);
  expect(samples.has(`auditlake_final_up_to_timestamp_seconds ${source}`)).toBe(false);
});

test("an empty home has a sample for the missing database", async () => {
  using empty = newHome();
  const { code, out } = await empty.run(["status", "--format", "prometheus"]);
  expect(code).toBe(0);
  expect([...listSamples(out)]).toEqual([["auditlake_file_bytes landing", 0]]);
});

test("the number of windows that are not final includes those of a merged row", () => {
  const facts: Partial<SourceFacts> = {
    source: "s",
    totals: {},
    gaps: [],
    backfills: [],
    unfinalized: [{ reason: "once" }, { reason: "differs", windows: 3 }],
  };
  const files = { published: undefined, warehouse: undefined, landing: { bytes: 0 } };
  const text = writePrometheus(files as never, { sources: [facts as SourceFacts] });
  expect(text).toContain('auditlake_unfinalized_windows{source="s"} 4\n');
});
