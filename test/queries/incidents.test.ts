import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listUsers } from "../../fixtures/company.ts";
import type { IncidentKind } from "../../fixtures/incidents/incident.ts";
import { makeTraffic } from "../../fixtures/traffic.ts";
import { loadRecords } from "../support/load-records.ts";
import { reports, runReport, type ReportResult } from "./run.ts";

// Each planted incident is found by the reports that are meant for it, with their defaults, for any seed.
const to = Date.UTC(2026, 3, 20);
const seeds = [7, Number(process.env["INCIDENT_SEED"] ?? 99)];

describe.each(seeds)("seed %i", (seed) => {
  const traffic = makeTraffic({ seed, from: to - 14 * 86_400_000, to, eventsPerDay: 300 });
  let database: Awaited<ReturnType<typeof loadRecords>>;

  beforeAll(async () => {
    const records = [...traffic.events()].map((event) => event.record);
    database = await loadRecords(records, listUsers(traffic.company));
  }, 60_000);
  afterAll(() => database.close());

  const buildTruth = (kind: IncidentKind) => traffic.incidents.find((each) => each.kind === kind)!;

  /** The rows that a report gives for the last week, with its defaults, about the user of an incident. */
  async function rowsAbout(name: string, kind: IncidentKind): Promise<ReportResult["rows"]> {
    const report = reports.find((each) => each.name === name)!;
    const range = new Map([
      ["since", new Date(to - 7 * 86_400_000).toISOString()],
      ["until", new Date(to).toISOString()],
    ]);
    const { rows } = await runReport(database.connection, report, range);
    return rows.filter((row) => row["user_id"] === String(buildTruth(kind).userId));
  }

  test("password guessing shows as failed sign-ins before a success", async () => {
    const truth = buildTruth("password_guessing");
    const rows = await rowsAbout("failed_sign_ins_then_success", "password_guessing");
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      actor: truth.userEmail,
      ip_address: truth.address,
      account_failures: String(truth.events["sign_in_failed"]),
      success_event: "sign_in",
    });
  });

  test("a self-grant appears as such, as full access and with the downloads that follow", async () => {
    const truth = buildTruth("self_grant_download");
    const grants = await rowsAbout("self_grants", "self_grant_download");
    expect(grants.map((row) => row["operation"])).toContain("member");
    const full = await rowsAbout("full_access_granted", "self_grant_download");
    expect(full.map((row) => row["how"])).toEqual([
      "manage granted to policy",
      "attached to policy with manage",
    ]);
    const downloads = await rowsAbout("self_grant_then_download", "self_grant_download");
    expect(downloads.at(-1)).toMatchObject({
      downloads: String(truth.events["job_result_download"]),
      bytes: String(truth.bytes),
      megabytes: String(Math.floor(truth.bytes! / 1e6)),
    });
  });

  test("an opened address list appears with the sign-in from abroad", async () => {
    const rows = await rowsAbout("address_list_changes", "address_list_change");
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      new_address: buildTruth("address_list_change").address,
      sign_ins: "1",
    });
  });

  test("probing of hidden columns appears by column and as a burst", async () => {
    const truth = buildTruth("column_probing");
    const rows = await rowsAbout("column_visibility_denials", "column_probing");
    expect(new Set(rows.map((row) => row["column_id"])).size).toBe(truth.eventCount);
    const report = await rowsAbout("new_denials", "column_probing");
    expect(report.length).toBeGreaterThan(0);
  });
});
