import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalog as reference } from "../../../schemas/generated/catalog.ts";
import { insertEvents, writePublished } from "../published-file.ts";
import { newHome } from "../../support/home.ts";
import { runCli } from "./run-cli.ts";

const tableCreate = { name: "table_create", match: "undocumented_operation", verb: "POST" };
const columnQuery = { name: "column_query", canonical: null, match: "unknown_event", verb: "GET" };

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "auditlake-test-"));
});
afterAll(() => rmSync(home, { recursive: true }));

const listNames = (area: string): string[] =>
  reference.entries.filter((entry) => entry.area === area).map(({ event }) => event);

function catalog(...argv: string[]) {
  return runCli(["--home", home, "catalog", ...argv], { columns: 80 });
}

describe("catalog list", () => {
  it("lists every entry, with everything in a format for machines", async () => {
    const { code, stdout } = await catalog("list", "--format", "json");
    const entries = JSON.parse(stdout) as Record<string, string | null>[];
    expect(code).toBe(0);
    expect(entries).toHaveLength(reference.entries.length);
    expect(entries.find((e) => e["event"] === "query_delete")).toEqual({
      event: "query_delete",
      variant: null,
      area: "Queries",
      generation: null,
      denial_kind: null,
      operations: "POST /v3/schedule/delete/:name; DELETE /v4/queries/:id; DELETE /queries/:id",
      aliases: "schedule_delete",
    });
  });

  it("prints one area, in any case of letters, within 80 columns", async () => {
    const { code, stdout } = await catalog("list", "--area", "queries");
    const lines = stdout.trimEnd().split("\n");
    const names = lines.slice(2).map((line) => line.split(" ")[0]);
    expect([code, names]).toEqual([0, listNames("Queries")]);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
  });

  it("names the areas similar to a wrong one", async () => {
    const outcome = await catalog("list", "--area", "audience");
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toMatch(/similar: Audience area \(current\), Audience area \(legacy\)/);
  });
});

describe("catalog show", () => {
  it("shows what causes an event and what it records", async () => {
    const { code, stdout } = await catalog("show", "query_run");
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "query_run",
        "  area        Queries",
        "  also named  schedule_run",
        "  caused by   POST /v3/schedule/run/:name/:time",
        "              POST /v4/queries/:id/jobs",
        "              POST /query_forms/submit",
        "              POST /queries/:id/run",
        "  columns     id, resource_id, resource_name, query_text",
        "",
      ].join("\n"),
    );
  });

  it("understands an old name", async () => {
    const { code, stdout } = await catalog("show", "schedule_run");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^schedule_run is an old or alternative name\.\n\nquery_run\n/);
  });

  it("shows both events of an alternative name", async () => {
    const { stdout } = await catalog("show", "engage_email_sender_delete");
    expect(stdout).toContain("\ndelivery_email_domain_delete\n");
    expect(stdout).toContain("(where the path fits)");
    expect(stdout).toContain("\ndelivery_email_sender_delete\n");
  });

  it("shows variants, both generations, deduced paths and denials", async () => {
    const [variants, generations, deduced, denial] = await Promise.all(
      ["ip_whitelist_modify", "segment_create", "syndication_lock_release", "sign_in_failed"].map(
        (name) => catalog("show", name),
      ),
    );
    expect(variants!.stdout).toMatch(/^ip_whitelist_modify \(add address\)$/m);
    expect(variants!.stdout).toMatch(/^ip_whitelist_modify \(remove address\)$/m);
    expect(generations!.stdout).toMatch(/generation {2}current[\s\S]*generation {2}legacy/);
    expect(generations!.stdout).toContain("folder_permission_denial where event_result is denied");
    expect(deduced!.stdout).toMatch(/\/lock †\n/);
    expect(deduced!.stdout).toContain("† deduced from an abbreviated path");
    expect(denial!.stdout).toMatch(/denial +failed_sign_in\n/);
  });

  it("gives the entries as JSON", async () => {
    const { stdout } = await catalog("show", "schedule_run", "--format", "json");
    expect(JSON.parse(stdout)).toMatchObject({
      name: "schedule_run",
      isAlias: true,
      entries: [{ event: "query_run", area: "Queries" }],
    });
  });

  it("names the events similar to a wrong one", async () => {
    const outcome = await catalog("show", "query_runs");
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("similar: query_run");
    expect((await catalog("show", "zzzzzzzzzzz")).stderr).toContain("catalog list");
  });

  it("takes the path of a request, with or without its verb", async () => {
    const find = async (text: string): Promise<string[]> => {
      const { code, stdout, stderr } = await catalog("show", text, "--format", "json");
      expect(code, stderr).toBe(0);
      const { entries } = JSON.parse(stdout) as { entries: { event: string }[] };
      return entries.map(({ event }) => event);
    };
    const all = await find("/v4/queries/12");
    const deleted = await find("delete v4/queries/12.json?x=1");
    expect(deleted).toEqual(["query_delete"]);
    expect(all.length).toBeGreaterThan(1);
    expect(all).toContain("query_delete");
    expect(await find("/v4/queries/:id")).toEqual(all);
    const none = await catalog("show", "GET /v9/nothing");
    expect(none).toMatchObject({ code: 2, stdout: "" });
    expect(none.stderr).toContain('no event of the reference is caused by "GET /v9/nothing"');
  });

  it("shows user events", async () => {
    const extra = { area: "House", events: [{ event: "house_event", columns: ["resource_id"] }] };
    writeFileSync(join(home, "extra.json"), JSON.stringify(extra));
    writeFileSync(
      join(home, "auditlake.json"),
      JSON.stringify({ catalog: { extra: "extra.json" } }),
    );
    const config = ["--config", join(home, "auditlake.json")];
    const { code, stdout } = await runCli([...config, "catalog", "show", "house_event"]);
    expect([code, stdout]).toEqual([
      0,
      "house_event\n  area        House\n  caused by   none listed\n  columns     resource_id\n",
    ]);
    writeFileSync(join(home, "extra.json"), JSON.stringify({ area: "House", evnts: [] }));
    const wrong = await runCli([...config, "catalog", "list"]);
    expect(wrong).toMatchObject({
      code: 6,
      stdout: expect.stringContaining("sign_in"),
      stderr: expect.stringContaining("extra.json"),
    });
  });
});

describe("catalog coverage", () => {
  beforeAll(async () => {
    await writePublished(join(home, "audit.duckdb"), [
      insertEvents(
        [
          { name: "sign_in" },
          { name: "schedule_run", canonical: "query_run", match: "alias" },
          {
            ...tableCreate,
            path: "/internal/tables/17?x=1",
            extra: { caller_user_id: 1, count: "many" },
          },
          {
            ...tableCreate,
            path: "/internal/tables/0f8fad5b-d9cb-469f-a165-70867728950e/",
            extra: { caller_user_id: 2 },
          },
          { ...columnQuery, path: "/v4/ann@example.com" },
          { ...columnQuery, path: "/v4/x", source: "b" },
        ].map((event) => ({ source: "a", time: "2026-11-01 10:00:00", ...event })),
      ),
    ]);
  });

  it("prints the next step if an entry of the reference is missing", async () => {
    const { stdout } = await catalog("coverage");
    expect(stdout).toMatch(/\nNext: describe them in a file .*\scatalog\.extra/s);
  });

  it("describes the known events, those missing in the reference and those that never occurred", async () => {
    const { code, stdout } = await catalog("coverage", "--format", "json");
    expect(code).toBe(0);
    const coverage = JSON.parse(stdout);
    expect(coverage.events_by_match.map((m: Record<string, unknown>) => Object.values(m))).toEqual([
      ["undocumented_operation", 2, 33.33, 1],
      ["unknown_event", 2, 33.33, 1],
      ["alias", 1, 16.67, 1],
      ["documented_operation", 1, 16.67, 1],
    ]);
    expect(coverage.unknown_events).toMatchObject([{ event_name: "column_query", events: 2 }]);
    expect(coverage.undocumented_operations).toEqual([
      { event_name: "table_create", operation: "POST /internal/tables/:id", events: 2 },
    ]);
    expect(coverage.unknown_fields).toEqual([
      {
        field: "caller_user_id",
        reason: "not in the reference",
        events: 2,
        event_names: 1,
        for_example: "table_create",
      },
      {
        field: "count",
        reason: "does not fit its type",
        events: 1,
        event_names: 1,
        for_example: "table_create",
      },
    ]);
    const never = coverage.events_never_seen.map((e: { event_name: string }) => e.event_name);
    expect(never).not.toContain("query_run");
    expect(never).toContain("query_delete");
  });

  it("lists all as JSON, and prints in a table the total and the shown number", async () => {
    using own = newHome();
    const odd = Array.from({ length: 21 }, (_, i) => ({ time: i, event_name: `odd_${i}` }));
    await own.load(odd);
    const { out } = await own.run(["catalog", "coverage"]);
    expect(out).toContain("Events missing from the reference (first 20 of 21)\n");
    expect(out).toContain("odd_8");
    expect(out).not.toContain("odd_9");
    const json = await own.run(["catalog", "coverage", "--format", "json"]);
    expect(JSON.parse(json.out).unknown_events).toHaveLength(21);
  });

  it("is limited to one source on request", async () => {
    const config = join(home, "two.json");
    writeFileSync(config, JSON.stringify({ sources: { a: {}, b: {} } }));
    const argv = ["--home", home, "--config", config, "--source", "b", "catalog", "coverage"];
    const { stdout } = await runCli([...argv, "--format", "json"]);
    expect(JSON.parse(stdout).events_by_match).toMatchObject([
      { catalog_match: "unknown_event", events: 1 },
    ]);
  });

  it("fits 80 columns", async () => {
    const { code, stdout } = await catalog("coverage");
    expect(code).toBe(0);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toContain("POST /internal/tables/:id");
    const [, never] = /\n {2}Queries\n {4}(\S[^]*?)\n {2}\S/.exec(stdout)!;
    expect(never!.split(/,\s+/)).toEqual(
      listNames("Queries").filter((name) => name !== "query_run"),
    );
  });

  it("prints what to run when nothing is published", async () => {
    const outcome = await runCli(["--home", join(home, "none"), "catalog", "coverage"]);
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing published yet"),
    });
  });
});
