import { describe, expect, test } from "vitest";
import { formatFindings } from "../../../../pipeline/answers/status/findings.ts";
import { writePrometheus } from "../../../../pipeline/answers/status/prometheus.ts";
import { newHome } from "../../../support/home.ts";

const counts = [
  { severity: "critical", state: "open", findings: 1 },
  { severity: "high", state: "suppressed", findings: 4 },
  { severity: "medium", state: "closed", findings: 5 },
  { severity: "medium", state: "open", findings: 2 },
];
const failed = [{ detection: "own_rule", error: "no column \u001b[2J" }];

describe("the status line of findings", () => {
  test("counts only the open ones", () => {
    expect(formatFindings({ counts, failed: [] }, 80)).toBe(
      "  findings            3 open (1 critical, 2 medium)\n",
    );
    expect(formatFindings({ counts: counts.slice(1, 3), failed: [] }, 80)).toBe(
      "  findings            none open\n",
    );
  });

  test("is followed by the detections that failed", () => {
    const text = formatFindings({ counts: [], failed }, 200);
    expect(text).toMatch(/^warning: the detection own_rule failed in the last run: no column /);
    expect(text).not.toContain("\u001b");
  });

  test("is missing before anything is found", () => {
    expect(formatFindings({ counts: [], failed: [] }, 80)).toBe("");
  });
});

test("status shows what a run found, as text, JSON and samples", async () => {
  using home = newHome();
  const denials = Array.from({ length: 25 }, (_, n) => ({
    id: `d${n}`,
    time: Date.UTC(2026, 2, 3, 4, n) / 1000,
    event_name: "job_create_unauthorized",
    user_id: 17,
  }));
  const { code, err } = await home.load(denials, { env: { AUDITLAKE_FINDINGS: "on" } });
  expect(code, err).toBe(0);
  expect((await home.run(["status"])).out).toContain("\n  findings            1 open (1 medium)\n");
  const { out } = await home.run(["status", "--json"]);
  expect(JSON.parse(out)).toMatchObject({
    findings: { counts: [{ severity: "medium", state: "open", findings: 1 }], failed: [] },
  });
  const samples = (await home.run(["status", "--format", "prometheus"])).out;
  expect(samples).toContain('\nauditlake_findings{severity="medium",state="open"} 1\n');
});

test("each severity and state is a sample, and each failed detection", () => {
  const files = { published: null, warehouse: null, landing: { files: 0, bytes: 0 } };
  const text = writePrometheus(files as unknown as Parameters<typeof writePrometheus>[0], {
    sources: [],
    findings: { counts, failed },
  });
  expect(text.match(/^auditlake_f\w+\{.*$/gm)).toEqual([
    'auditlake_file_bytes{file="landing"} 0',
    'auditlake_findings{severity="critical",state="open"} 1',
    'auditlake_findings{severity="high",state="suppressed"} 4',
    'auditlake_findings{severity="medium",state="closed"} 5',
    'auditlake_findings{severity="medium",state="open"} 2',
    'auditlake_failed_detections{detection="own_rule"} 1',
  ]);
});
