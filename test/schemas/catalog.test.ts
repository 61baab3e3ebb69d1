import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { getAssetPath } from "../../pipeline/base/home/assets.ts";
import type { Entry } from "../../schemas/catalog.ts";
import { catalog, columnSets } from "../../schemas/generated/catalog.ts";

// The reference counted again from seed 001, and single rows of it written out by hand. Later additions to the
// catalog are not in reference.tsv, and not checked here.

const listed = readFileSync(new URL("reference.tsv", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");
const getRow = (e: Entry): string => [e.area, e.event, e.variant ?? ""].join("\t");
const listRows = (e: Entry): string[] =>
  (e.operations.length === 0 ? [""] : e.operations.map((o) => `${o.verb} ${o.path}`)).map(
    (operation) => `${getRow(e)}\t${operation}`,
  );
const known = new Set(listed);
const knownEntries = new Set(listed.map((line) => line.slice(0, line.lastIndexOf("\t"))));
const entries = catalog.entries
  .filter((e) => knownEntries.has(getRow(e)))
  .map((e) => ({
    ...e,
    operations: e.operations.filter((o) => known.has(`${getRow(e)}\t${o.verb} ${o.path}`)),
  }));
// What seed 000 shows besides (Endpoints).
const ofPolicies = [
  "permission_policy_modify\tPATCH\t/v3/access_control/policies/:policy_id/permissions",
  "role_create\tPATCH\t/v4/roles",
  "role_delete\tPATCH\t/v4/roles",
];
const operations = [
  ...new Set(entries.flatMap((e) => e.operations.map((o) => [e.event, o.verb, o.path].join("\t")))),
];
const audited = operations.filter((operation) => !ofPolicies.includes(operation));
const folderDenials = "Permission denial records for folder permissions";
const findNamed = (event: string, area?: string): Entry => {
  const found = entries.filter((e) => e.event === event && (area ?? e.area) === e.area);
  expect(found).toHaveLength(1);
  return found[0]!;
};
const calls = (entry: Entry): string[] => entry.operations.map((o) => `${o.verb} ${o.path}`);
const columns = (entry: Entry): string =>
  entry.columns.map((c) => (c.optional ? `${c.name}?` : c.name)).join(" ");

it("the catalog has every event of the reference", () => {
  const there = new Set(catalog.entries.flatMap(listRows));
  expect(listed.filter((row) => !there.has(row))).toEqual([]);
});

describe("counts", () => {
  it("has 24 area headings, one file each", () => {
    const areas = new Set(entries.map((e) => e.area)).add(folderDenials);
    const folder = getAssetPath("schemas/catalog");
    const headings = readdirSync(folder).map(
      (file) => (JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as { area: string }).area,
    );
    expect(new Set(headings.filter((area) => areas.has(area))).size).toBe(24);
    const denialsOnly = new Set(headings).difference(new Set(catalog.entries.map((e) => e.area)));
    expect([...denialsOnly]).toEqual([folderDenials]);
  });

  it("has 332 names in 350 entries, 477 operations and 56 record fields, and three operations of seed 000", () => {
    expect(new Set(entries.map((e) => e.event)).size).toBe(332);
    expect(new Set(entries.map((e) => [e.area, e.event, e.variant].join("\t"))).size).toBe(350);
    expect(entries).toHaveLength(350);
    expect(operations).toHaveLength(477 + ofPolicies.length);
    expect(operations).toEqual(expect.arrayContaining(ofPolicies));
    expect(Object.keys(catalog.fields).length).toBeGreaterThanOrEqual(56);
    expect(Object.keys(columnSets).length).toBeGreaterThanOrEqual(11);
  });

  it("has 427 keys of name, verb and length, 30 of them with several templates, 10 at most", () => {
    const keys = Map.groupBy(audited, (operation) => {
      const [event, verb, path] = operation.split("\t");
      return [event, verb, path!.replace(/\/+$/, "").split("/").length].join("\t");
    });
    const sizes = [...keys.values()].map((templates) => templates.length);
    expect(sizes).toHaveLength(427);
    expect(sizes.filter((size) => size > 1)).toHaveLength(30);
    expect(Math.max(...sizes)).toBe(10);
  });

  it("shares 17 names between the legacy and the current audience area", () => {
    const of = (generation: string): Set<string> =>
      new Set(entries.filter((e) => e.generation === generation).map((e) => e.event));
    const shared = [...of("legacy").intersection(of("current"))].sort();
    expect(shared).toHaveLength(17);
    expect(shared.every((name) => /^(predictive_segment|segment|syndication)_/.test(name))).toBe(
      true,
    );
    expect([...new Set(entries.filter((e) => e.generation).map((e) => e.area))].sort()).toEqual([
      "Audience area (current)",
      "Audience area (legacy)",
    ]);
  });

  it("has 61 (verb, path) pairs, parameters unnamed, that belong to several events", () => {
    const pairs = Map.groupBy(audited, (operation) => {
      const [, verb, path] = operation.split("\t");
      return `${verb} ${path!.replaceAll(/:[^/]+|\{[^/]+\}/g, ":")}`;
    });
    const shared = [...pairs.values()].filter(
      (of) => new Set(of.map((o) => o.split("\t")[0])).size > 1,
    );
    expect(shared).toHaveLength(61);
  });
});

describe("names", () => {
  const aliases = entries.flatMap((e) =>
    e.aliases.map((a) => `${a.name}${a.onlyWithPath ? " (path)" : ""} -> ${e.event}`),
  );

  it("resolve the five renamed schedule events", () => {
    expect(aliases.filter((alias) => alias.startsWith("schedule_"))).toEqual(
      ["clone", "create", "delete", "modify", "run"].map((v) => `schedule_${v} -> query_${v}`),
    );
  });

  it("are decided by the path if one bracketed name is beside two events", () => {
    expect(aliases.filter((alias) => alias.startsWith("engage_"))).toEqual([
      "engage_email_domain_create -> delivery_email_domain_create",
      "engage_email_sender_delete (path) -> delivery_email_domain_delete",
      "engage_email_domain_deploy -> delivery_email_domain_deploy",
      "engage_email_sender_modify (path) -> delivery_email_domain_modify",
      "engage_email_sender_create -> delivery_email_sender_create",
      "engage_email_sender_delete -> delivery_email_sender_delete",
      "engage_email_sender_modify -> delivery_email_sender_modify",
    ]);
  });

  it("keep misspelt names as recorded", () => {
    expect(calls(findNamed("streaming_tasks_create"))).toEqual(["POST /v4/streaming_tasks"]);
    const dashboard = findNamed("segment_insight_dashboards.create.column_visibility_violation");
    expect(calls(dashboard)).toEqual(["POST /audiences/:audience.id/segment_insights"]);
  });

  it("split the address-list event into its two variants", () => {
    const variants = entries.filter((e) => e.event === "ip_whitelist_modify");
    expect(variants.map((e) => e.variant)).toEqual(["add address", "remove address"]);
    expect(entries.filter((e) => e.variant !== null)).toEqual(variants);
  });
});

describe("causes", () => {
  it("have abbreviated paths written out and marked", () => {
    const deduced = entries.flatMap((e) => e.operations.filter((o) => o.written !== null));
    expect(deduced).toHaveLength(24);
    expect(deduced.every((o) => !/\.\.\.|…/.test(o.path))).toBe(true);
    expect(findNamed("insufficient_permission").operations).toContainEqual({
      verb: "POST",
      path: "/api/schedules/{id}/enable",
      written: "/enable",
    });
    expect(calls(findNamed("syndication_lock_release"))).toEqual(
      ["POST", "DELETE"].map(
        (verb) =>
          `${verb} /audiences/{audience_id}/segments/{segment_id}/syndications/{syndication_id}/lock`,
      ),
    );
    expect(calls(findNamed("syndication_delete", "Audience area (legacy)"))).toEqual([
      "DELETE /audiences/:audience_id/segments/:segment_id/syndications/:id",
    ]);
  });

  it("include triggers that are not HTTP calls and the operations not shown", () => {
    const triggered = entries.filter((e) => e.trigger !== null && e.operations.length === 0);
    expect(triggered.map((e) => e.event)).toEqual([
      "custom_script_task_ends",
      "custom_script_task_starts",
      "session_invalidation",
      "sign_in_failed_by_ipwhitelist",
      "sign_in_failed_by_private_connect",
      "workflow_email_send",
      "workflow_http_call",
      "workflow_schedule_backfill",
    ]);
    expect(findNamed("llm_chat_create").trigger).not.toBeNull();
    expect(entries.filter((e) => e.operationNotShown).map((e) => e.event)).toEqual([
      "customer_show",
      "unauthorized",
    ]);
    const causeless = entries.filter(
      (e) => e.operations.length === 0 && e.trigger === null && !e.operationNotShown,
    );
    expect(causeless).toEqual([]);
  });
});

describe("columns", () => {
  it("expand the sets in order", () => {
    expect(columns(findNamed("funnel_modify"))).toBe(
      "resource_type resource_id resource_name resource_path attribute_name old_value new_value",
    );
    expect(columns(findNamed("bulk_import_error_records_download"))).toBe(
      "id resource_id resource_name target_table size",
    );
    expect(columns(findNamed("reporting_build_stop"))).toBe(
      "id ip_address user_id user_email account_id requested_http_verb requested_path_info resource_id",
    );
    expect(columns(findNamed("engage_campaign_modify"))).toBe(
      "user_id user_email account_id ip_address resource_id resource_name requested_http_verb requested_path_info attribute_name old_values new_values",
    );
  });

  it("mark optional columns", () => {
    expect(columns(findNamed("job_issue"))).toBe(
      "id resource_id resource_name job_type query_text target_table? scheduled_time?",
    );
    expect(entries.filter((e) => e.columns.some((c) => c.optional)).map((e) => e.event)).toEqual([
      "job_issue",
    ]);
  });

  it("differ between the generations as in the reference", () => {
    expect(columns(findNamed("predictive_segment_features", "Audience area (legacy)"))).toContain(
      "count",
    );
    expect(
      columns(findNamed("predictive_segment_features", "Audience area (current)")),
    ).not.toContain("count");
  });
});

describe("denials", () => {
  it("follow the list of errors", () => {
    const kinds = Map.groupBy(
      entries.filter((e) => e.denialKind !== null),
      (e) => e.denialKind,
    );
    const events = (kind: Entry["denialKind"]): string[] =>
      (kinds.get(kind) ?? []).map((e) => e.event);
    expect(events("failed_sign_in")).toEqual([
      "password_revalidate_failed",
      "sign_in_failed",
      "sign_in_failed_by_ipwhitelist",
      "sign_in_failed_by_private_connect",
      "sign_in_failed_reporting",
      "sign_in_failed_sso",
    ]);
    expect(events("denied_job_result_download")).toEqual(["job_result_download_denied"]);
    expect(events("failed_result_export")).toEqual(["job_result_export_failed"]);
    expect(events("unauthorized_action")).toEqual([
      "insufficient_permission",
      "permission_unauthorized_access",
      "unauthorized",
    ]);
    expect(events("folder_permission_denial")).toEqual([]);
    const hidden = events("column_visibility_denial");
    expect(hidden).toHaveLength(37);
    expect(hidden.every((name) => name.endsWith(".column_visibility_violation"))).toBe(true);
  });

  it("are folder denials in either audience area", () => {
    expect(catalog.deniedResults).toEqual([
      {
        eventResult: "denied",
        denialKind: "folder_permission_denial",
        areas: ["Audience area (current)", "Audience area (legacy)"],
      },
    ]);
  });
});
