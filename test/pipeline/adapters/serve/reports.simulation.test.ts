import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { readSaveToken, type Served, serving } from "../../../support/serve.ts";

let home: TestHome;
let served: Served;
let queries: string;
beforeAll(async () => {
  home = newHome();
  await home.load(
    Array.from({ length: 20 }, (_, i) => ({
      id: `${i}`,
      time: Date.UTC(2026, 0, 5) / 1000 + i * 3600,
      event_name: "user_signed_in",
      event_result: "denied",
      user_email: `=p${i % 3}@example.com`,
    })),
  );
  queries = join(home.folder, "queries");
  home.write(
    "queries/peek.sql",
    "-- title: Peek\n-- grain: one row\nselect content from read_text('/etc/passwd')\n",
  );
  served = await serving(home, "--queries", queries, "--timeout", "2s");
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const range = "since=2026-01-01&until=2026-02-01";

it("returns the same rows as the command line", async () => {
  const argv = ["--since", "2026-01-01", "--until", "2026-02-01", "--format", "csv"];
  const { out } = await home.run(["report", "run", "denials_by_actor", ...argv]);
  expect(await served.text(`/reports/denials_by_actor/rows.csv?${range}`)).toBe(out);
  const page = await served.text(`/reports/denials_by_actor?${range}`);
  expect(page.match(/<tr>/g)).toHaveLength(out.trim().split("\r\n").length);
  expect(page).toContain("<figure");
  expect(page).toContain("/people/%3Dp0%40example.com?since=2026-01-01T00%3A00%3A00Z&amp;until=");
});

it("sorts all rows by any column in both directions, and shows only the table on request", async () => {
  const read = async (query: string): Promise<string[]> => {
    const page = await served.text(`/reports/denials_list?${range}${query}`);
    return [...page.matchAll(/<time[^>]*datetime="([^"]*)"/g)].map(([, time]) => time!);
  };
  const up = await read("&sort=event_time");
  expect(up.length).toBeGreaterThan(10);
  const rows = up.filter((time) => time.startsWith("2026-01-05"));
  expect(rows).toEqual(rows.toSorted());
  const down = await read("&sort=-event_time");
  expect(down.filter((time) => time.startsWith("2026-01-05"))).toEqual(rows.toReversed());
  const unknown = await served.text(`/reports/denials_list?${range}&sort=no"such`);
  expect(unknown).not.toContain("<tbody>");
  const table = await served.text(`/reports/denials_by_actor?${range}&view=table`);
  expect(table).not.toContain("<figure");
  expect(table).toContain("<h2>20 denials</h2>");
});

it("links a search to the page of its subject, with the timeline that investigate shows", async () => {
  const search = await served.text(
    `/events?${range}&person=${encodeURIComponent("=p1@example.com")}`,
  );
  const [, to = ""] = /href="(\/people\/[^"]*p1%40[^"]*)"/.exec(search) ?? [];
  const page = await served.text(to.replaceAll("&amp;", "&"));
  const [, csv = ""] = /href="(\/reports\/user_timeline\/rows\.csv[^"]*)"/.exec(page) ?? [];
  const asked = ["--since", "2026-01-01", "--until", "2026-02-01", "--format", "csv"];
  const { out } = await home.run(["investigate", "--user", "=p1@example.com", ...asked]);
  expect(out.trim().split("\n").length).toBeGreaterThan(5);
  expect(await served.text(csv.replaceAll("&amp;", "&"))).toBe(out);
  expect(page).toContain("/events?person=%3Dp1%40example.com&amp;since=2026-01-01");
});

it("shows invalid input beside the form", async () => {
  const page = await served.text("/reports/denials_by_actor?since=soon");
  expect(page).toMatch(/role="alert">[^]*soon[^<]*is not a time/);
});

it("runs user reports and statements in the sandbox", async () => {
  expect(await served.text("/reports/peek")).not.toContain("root:");
  for (const sql of [
    "select content from read_text('/etc/passwd')",
    "attach '/tmp/x.duckdb'",
    "copy (select 1) to '/tmp/x.csv'",
    "select 1; select 2",
  ]) {
    const page = await served.text("/sql", { sql });
    expect(page, sql).toContain('role="alert"');
    expect(page.includes("root:x:0"), sql).toBe(false);
  }
  const page = await served.text("/sql", {
    sql: "select '<i>' || count(*) || '</i>' as n from events",
  });
  expect(page).toContain("&lt;i&gt;20&lt;/i&gt;");
});

it("stops a runaway query, and continues", async () => {
  const sql = "select count(*) from range(1000000) a, range(1000000) b where a.range + b.range < 0";
  expect(await served.text("/sql", { sql })).toMatch(/role="alert">[^]{0,400}?\b2 ?s/);
  expect((await served.get(`/reports/denials_by_actor?${range}`)).status).toBe(200);
});

// Processes of queries that this one has started.
function running(): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      const isOurs = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1];
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return isOurs === String(process.pid) && command.includes("ask/query-child");
    } catch {
      return false;
    }
  }).length;
}

it("stops a query whose client has left", async () => {
  await using patient = await serving(home, "--timeout", "10m");
  const gone = new AbortController();
  const sql = "select count(*) from range(1000000) a, range(1000000) b where a.range + b.range < 0";
  const asked = patient.get("/sql", { sql }, gone.signal).catch(() => "gone");
  await expect.poll(running, { timeout: 20_000 }).toBe(1);
  gone.abort();
  expect(await asked).toBe("gone");
  await expect.poll(running, { timeout: 20_000 }).toBe(0);
});

it("saves a statement as a report, never over another and never elsewhere", async () => {
  const token = await readSaveToken(served);
  const sql = "select count(*) as n from events";
  const draft = { token, sql, title: "How\nmany?", grain: "one row" };
  const saved = await served.get("/sql/save", { ...draft, name: "how_many" });
  expect([saved.status, saved.headers.get("location")]).toEqual([303, "/reports/how_many"]);
  expect(await served.text("/reports/how_many")).toContain("How many?");
  expect(readFileSync(join(queries, "how_many.sql"), "utf8")).toMatch(/^-- title: How many\?\n/);
  for (const name of ["how_many", "denials_by_actor", "../evil", "a/b", "A", ""]) {
    const refused = await served.get("/sql/save", { ...draft, name });
    expect([name, refused.status]).toEqual([name, 400]);
    expect(await refused.text()).toContain('role="alert"');
  }
  expect(existsSync(join(home.folder, "evil.sql"))).toBe(false);
});

it("explains a statement without running it", async () => {
  const explain = (sql: string): Promise<string> => served.text("/sql", { sql, explain: "1" });
  const page = await explain("select count(*) as n from events where 7 = 7");
  expect(page).toMatch(/<summary>Plan<\/summary>[^]*UNGROUPED_AGGREGATE[^]*<\/pre>/);
  expect(page).not.toContain("<tbody>");
  expect(await explain("select no_such_column from events")).toMatch(/role="alert">[^]*no_such/);
});

it("logs who ran what, readable by the owner only", async () => {
  const sql = "select 42 as asked";
  await served.get("/sql", { sql });
  const lines = readFileSync(join(home.home, "serve", "asked.ndjson"), "utf8")
    .trim()
    .split("\n");
  const last = JSON.parse(lines.at(-1)!) as Record<string, string>;
  expect(last).toMatchObject({ kind: "sql", what: sql });
  expect(Date.parse(last["at"]!)).toBeGreaterThan(0);
  expect(await served.text("/sql")).toContain("select 42 as asked");
});

it("reports a missing published file, and opens it once it exists", async () => {
  const published = join(home.home, "audit.duckdb");
  rmSync(published);
  const response = await served.get(`/reports/denials_by_actor?${range}`);
  expect(response.status).toBe(500);
  expect(await response.text()).toContain("nothing published yet");
  expect(await home.run(["publish"])).toMatchObject({ code: 0 });
  expect((await served.get(`/reports/denials_by_actor?${range}`)).status).toBe(200);
});

it("answers an unknown report with the existing ones", async () => {
  for (const path of ["/reports/nope", "/reports/nope/rows.csv"]) {
    const response = await served.get(path);
    expect([path, response.status]).toEqual([path, 404]);
    expect(await response.text()).toContain("No report has that name.");
  }
  const near = await served.text("/reports/denied_by_actor");
  expect(near).toContain('Did you mean <a href="/reports/denials_by_actor">denials_by_actor</a>');
});
