import { parse } from "csv-parse/sync";
import { readdirSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { newLeads } from "../../../../pipeline/adapters/serve/leads.ts";

// Every person, address and job in a cell of any report has a page. Known people are taken from the records
// themselves.
const golden = fileURLToPath(new URL("../../../../fixtures/golden/", import.meta.url));
const recorded = readFileSync(`${golden}records.ndjson`, "utf8").trim().split("\n");
const records = recorded.map((line) => JSON.parse(line) as Record<string, unknown>);
const { users } = JSON.parse(readFileSync(`${golden}users.json`, "utf8")) as {
  users: { email: string }[];
};
const people = new Set(users.map(({ email }) => email.toLowerCase()));
const addresses = new Set(records.map(({ ip_address: address }) => String(address)).filter(isIP));
const jobs = new Set(
  records
    .filter(({ event_name: name }) => name === "job_issue")
    .map(({ resource_id: id }) => String(id)),
);

const range = { since: "2026-03-01", until: "2026-03-05" };
const leads = newLeads(range);

function getLead(name: string, text: string): string | undefined {
  return leads({ name, type: "VARCHAR", kind: "text" }, text, []);
}

const files = readdirSync(golden).filter((name) => name.endsWith(".csv"));

it.each(files)("links every person, address and job in %s to its page", (file) => {
  const rows = parse(readFileSync(golden + file), { columns: true }) as Record<string, string>[];
  for (const row of rows)
    for (const [name, text] of Object.entries(row)) {
      const to = new URL(getLead(name, text) ?? "/none", "http://x");
      const folder = people.has(text.toLowerCase())
        ? "people"
        : addresses.has(text)
          ? "addresses"
          : name.startsWith("job") && jobs.has(text)
            ? "jobs"
            : undefined;
      if (folder === undefined) continue;
      expect(decodeURIComponent(to.pathname), `${name} ${text}`).toBe(`/${folder}/${text}`);
      expect(to.searchParams.get("since")).toBe(range.since);
    }
});

describe("a table cell", () => {
  it.each([
    ["actor", "user 17", "/people/17"],
    ["subject", "user 17", "/people/17"],
    ["subject", "Full access", "/objects/Full%20access"],
    ["database_name", "sales", "/objects/sales"],
    // A value in place of an object has a page if it is a person or a job, under any name.
    ["resource_name", "a@example.com", "/people/a%40example.com"],
    ["target", "192.0.2.1", "/addresses/192.0.2.1"],
    ["actor", "192.0.2.1", "/people/192.0.2.1"],
    ["job_name", "a@example.com", "/jobs/a%40example.com"],
    ["ip_address", "a@example.com", "/addresses/a%40example.com"],
    ["who_ever", "a@example.com", "/people/a%40example.com"],
    ["from_where", "2001:db8::1", "/addresses/2001%3Adb8%3A%3A1"],
    ["ip_address", "internal", "/events?since=2026-03-01&until=2026-03-05&address=internal"],
    ["table_name", "orders", "/reports/table_readers?since=2026-03-01"],
    ["event_key", "0a", "/events/0a"],
    ["event_name", "job_kill", "/events?since=2026-03-01"],
  ])("%s %s links to %s", (name, text, to) => {
    expect(getLead(name, text)?.startsWith(to)).toBe(true);
  });

  it.each([
    ["actor", "unknown"],
    ["ip_address", "not recorded"],
    ["tables_read", "a.b, c.d"],
    ["excerpt", "select 1"],
    ["actor", "x".repeat(1001)],
    // A browser takes these for a place in the path.
    ["resource_name", ".."],
  ])("%s %s has no link", (name, text) => {
    expect(getLead(name, text)).toBeUndefined();
  });
});
