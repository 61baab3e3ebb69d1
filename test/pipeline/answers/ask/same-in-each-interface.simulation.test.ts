import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { readFileSync } from "node:fs";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { mcpClient } from "../../../support/mcp-client.ts";
import { type Served, serving } from "../../../support/serve.ts";

// The same questions of the command line, of the browser and of the tools of a program.

let home: TestHome;
let served: Served;
let client: Client;
beforeAll(async () => {
  home = newHome();
  await home.load(readFileSync("fixtures/golden/records.ndjson", "utf8").trimEnd().split("\n"));
  served = await serving(home);
  client = await mcpClient(home);
});
afterAll(async () => {
  await client.close();
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

type Params = Readonly<Record<string, string>>;

/** A refusal in words, or how many rows there are and notes about the names. */
type Answer = { readonly refused: string } | { readonly rows: number; readonly notes: string };

const isNote = /^(?:user|address) |^\w+: no |^no query|^permissions of/;

async function byCommand(name: string, params: Params): Promise<Answer> {
  const pairs = Object.entries(params).flatMap(([key, text]) => ["--param", `${key}=${text}`]);
  const { code, out, err } = await home.run(["report", "run", name, ...pairs, "--format", "json"]);
  if (code === 2) return { refused: /^error: (?:report \w+: )?(.*)$/m.exec(err)![1]! };
  const lines = err.split("\n").map((line) => line.replace(/^note: (?=permissions of)/, ""));
  const notes = lines.filter((line) => isNote.test(line));
  return { rows: (JSON.parse(out) as unknown[]).length, notes: notes.join() };
}

async function byMcp(name: string, params: Params): Promise<Answer> {
  const asked = { name: "run_report", arguments: { name, params } };
  const { content } = (await client.callTool(asked)) as CallToolResult;
  const text = content[0]?.type === "text" ? content[0].text : "";
  const data = JSON.parse(text.split(/\n<\/?data>(?:\n|$)/)[1]!) as {
    error?: string;
    rows: unknown[];
    notes?: string[];
  };
  if (data.error !== undefined) return { refused: data.error };
  return { rows: data.rows.length, notes: (data.notes ?? []).join() };
}

const plain = (page: string): string => page.replaceAll("&quot;", '"').replaceAll("&#39;", "'");

async function byBrowser(name: string, params: Params): Promise<Answer> {
  const query = new URLSearchParams(params).toString();
  const csv = await served.get(`/reports/${name}/rows.csv?${query}`);
  const page = plain(await served.text(`/reports/${name}?${query}`));
  if (csv.status >= 400) {
    const [, refused = ""] = /role="alert">([^<]*)</.exec(plain(await csv.text())) ?? [];
    // A field is beside its own error, so the page need not name the parameter.
    expect(page).toContain(refused.replace(/^parameter \w+: /, ""));
    return { refused };
  }
  const quiet = [...page.matchAll(/<p class="small muted mt8">([^<]*)</g)].map(([, text]) => text!);
  // A page writes sentences.
  const lines = quiet.map((line) => `${line[0]!.toLowerCase()}${line.slice(1).replace(/\.$/, "")}`);
  const notes = lines.filter((line) => isNote.test(line));
  // No value of these reports has a line break.
  return { rows: (await csv.text()).trimEnd().split("\n").length - 1, notes: notes.join() };
}

const march = { since: "2026-03-01", until: "2026-04-01" };
const on = "2026-03-31";

it.each<[string, Params, RegExp]>([
  ["off_hours_activity", { ...march, timezone: "Asia/Tokyo" }, /not in the published data/],
  ["off_hours_activity", { ...march, timezone: "Nowhere/None" }, /is not a time zone/],
  ["user_permissions", { on, user: "unknown@x.com" }, /^no person "unknown@x.com"/],
  ["user_permissions", { on, user: "1000" }, /did you mean .*10007/],
  ["database_access", { on, database: "nosuch" }, /^no database "nosuch"/],
  ["user_timeline", { ...march, user: "unknown@x.com" }, /^no user .* in the data/],
  ["user_timeline", { ...march, user: "10007, unknown@x.com" }, /^no user .* in the data/],
  ["user_permissions", { on, user: "10007,unknown@x.com" }, /^no person "unknown@x.com"/],
  [
    "use_outside_networks",
    { ...march, networks: "10.0.0.0/8,office" },
    /^parameter networks: "office" is not a network/,
  ],
  ["user_timeline", { ...march, user: "@example.com" }, /matches \d+ users/],
  ["address_timeline", { ...march, address: "192.0.2.254" }, /^no address .* in the data/],
])("%s %o is refused by each interface in the same words", async (name, params, words) => {
  const answer = await byCommand(name, params);
  expect(answer).toEqual({ refused: expect.stringMatching(words) as string });
  expect([await byBrowser(name, params), await byMcp(name, params)]).toEqual([answer, answer]);
});

it.each<[string, Params, RegExp]>([
  ["off_hours_activity", { ...march, timezone: "UTC" }, /^$/],
  ["user_permissions", { on, user: "10007" }, /^$/],
  ["user_permissions", { on, user: "10007, 11269" }, /^$/],
  ["user_timeline", { ...march, user: "ingrid.cas,10007" }, /^user ingrid.castro@.*,10007/],
  ["database_access", { on, database: "Consent_Log" }, /^permissions of 3 /],
  ["full_access_holders", { on }, /^permissions of 3 /],
  ["user_timeline", { ...march, user: "ingrid.cas" }, /^user ingrid.castro@/],
  ["resource_timeline", { ...march, resource: "nosuch thing" }, /^resource_timeline: no resource/],
  ["table_readers", { ...march, table: "no_such_table" }, /^no query text .* "no_such_table"/],
])("%s %o has the same rows and notes in each interface", async (name, params, notes) => {
  const answer = await byCommand(name, params);
  expect(answer).toMatchObject({ notes: expect.stringMatching(notes) as string });
  expect([await byBrowser(name, params), await byMcp(name, params)]).toEqual([answer, answer]);
});
