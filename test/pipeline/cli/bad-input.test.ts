import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureLine } from "../../support/failure.ts";
import type { Outcome } from "../../support/command.ts";
import { testKey } from "../../support/key.ts";
import { eventAt, hourMs, newRemote, type Remote } from "../../support/remote.ts";

// For every fault: one line with what to do, or a place where the record is stored. Never a stack, the key, or the
// content of a record.

const start = Date.UTC(2026, 2, 1);
const time = start / 1000;
const content = "s3cr3t-content";
const good = { time, event_name: "job_kill", resource_name: content };

let remote: Remote;
let wrongKey: string;
beforeAll(async () => {
  remote = await newRemote(start);
  wrongKey = `${remote.key}-wrong`;
  await remote.serve([eventAt(start - hourMs)]);
  expect((await remote.home.load([good])).code).toBe(0);
});
afterAll(() => remote[Symbol.asyncDispose]());

const failure = (outcome: Outcome, expected: number): string =>
  failureLine(outcome, expected, [remote.key, wrongKey, content]);

type Answer = { readonly type?: string; readonly status?: number; readonly body: string };

/** An ingest of one day whose pages are all answered so. */
async function answerInput(answer: Answer): Promise<Outcome> {
  remote.fault((request, response) => {
    if (!request.url?.startsWith("/v4/audits")) return false;
    const { type = "application/json", status = 200, body } = answer;
    response.writeHead(status, { "Content-Type": type }).end(body);
    return true;
  });
  remote.clock.nowMs += 1000;
  const outcome = await remote.ingest(["--from", "2026-02-28", "--to", "2026-03-01"]);
  remote.fault(undefined);
  return outcome;
}

const audits = (...records: unknown[]): string =>
  JSON.stringify({ audits: records, next_page: null });
const importAll = (text: string): Promise<Outcome> =>
  remote.home.run(["import", remote.home.write("bad.txt", text)]);
describe("the service", () => {
  it("that refuses the key ends the run with exit code 4", async () => {
    const env = { ...remote.env(), AUDITLAKE_API_KEY: wrongKey };
    const line = failure(await remote.ingest([], { env }), 4);
    expect(line).toMatch(/401 to GET \/v4\/audits: it refused the key; check the key/);
    const [run] = await remote.home.rows(
      "select outcome, error from ingest_runs where command = 'ingest' order by started_at desc limit 1",
    );
    expect(run).toMatchObject({
      outcome: "failed",
      error: expect.stringContaining("401") as string,
    });
  });

  it("that is unreachable is named once", async () => {
    const env = { ...remote.env(), AUDITLAKE_BASE_URL: "http://127.0.0.1:9" };
    const line = failure(await remote.ingest([], { env }), 1);
    expect(line).toMatch(/127\.0\.0\.1:9.*the connection was refused.*check base_url/);
  });

  it.each([
    [
      "without a key",
      { AUDITLAKE_API_KEY: "" },
      /no API key: environment variable AUDITLAKE_API_KEY is empty; put/,
    ],
    ["with a key in two words", { AUDITLAKE_API_KEY: `${testKey} two` }, /expected one word/],
    [
      "without an address",
      { AUDITLAKE_BASE_URL: undefined },
      /has no address; set AUDITLAKE_BASE_URL/,
    ],
    [
      "over plain http",
      { AUDITLAKE_BASE_URL: "http://audits.example.com" },
      /plain http, which would expose the key; expected https/,
    ],
    [
      "at no address",
      { AUDITLAKE_BASE_URL: "audits.example.com" },
      /base_url is not a web address; expected https/,
    ],
    [
      "with the key in the address",
      { AUDITLAKE_BASE_URL: `https://jo:${testKey}@a.example` },
      /contains a user name or password/,
    ],
  ])("receives no request %s", async (_what, env, message) => {
    const outcome = await remote.ingest([], { env: { ...remote.env(), ...env } });
    expect(failure(outcome, 2)).toMatch(message);
  });
});

describe("a page", () => {
  it.each<[string, Answer, RegExp]>([
    [
      "of HTML",
      { type: "text/html", body: `<html>${content}</html>` },
      /HTML page; expected JSON.*check the address/,
    ],
    ["cut off", { body: audits(good, good).slice(0, -20) }, /truncated/],
    [
      "without records",
      { body: JSON.stringify({ status: content }) },
      /no array of records; expected/,
    ],
    ["of a number", { body: "5" }, /./],
    [
      "with another status",
      { status: 418, body: "not\nnow" },
      /418 to GET \/v4\/audits, expected 200; check .*; it says: not$/,
    ],
    [
      "that is the same twice",
      { body: JSON.stringify({ audits: [good] }) },
      /same page twice.*check sources\.default\.audits\.paging/,
    ],
  ])("%s is refused", async (_what, answer, message) => {
    const before = await remote.home.count("select count(*) from events");
    expect(failure(await answerInput(answer), 1)).toMatch(message);
    expect(await remote.home.count("select count(*) from events")).toBe(before);
  });

  it("or a window that is empty is valid", async () => {
    const { code, err } = await answerInput({ body: audits() });
    expect([code, err]).toEqual([0, expect.stringContaining("0 events in 1 window")]);
  });
});

type Kept = readonly [what: string, record: unknown, reason: string | null, extra?: string];
const kept: readonly Kept[] = [
  ["that is no object", [content], "not_an_object"],
  ["that is text", content, "not_an_object"],
  ["without a time", { event_name: content }, "no_time"],
  ["whose time is none", { ...good, time: content }, "bad_time"],
  [
    "with a field of the wrong type",
    { ...good, user_id: content },
    null,
    '{"user_id":"s3cr3t-content"}',
  ],
  [
    "with an unknown field",
    { ...good, time: time - 1, shade: content },
    null,
    '{"shade":"s3cr3t-content"}',
  ],
  ["of an unknown event", { ...good, event_name: "column_query" }, null],
];

describe("a record", () => {
  const latest = "select max(run_id) from ingest_runs where command = 'backfill'";

  // One answer has all of them, and one good record beside.
  beforeAll(async () => {
    remote.clock.nowMs += 1000;
    const beside = { ...good, id: "beside" };
    const { code, out, err } = await answerInput({
      body: audits(beside, ...kept.map(([, record]) => record)),
    });
    expect([code, out]).toEqual([0, ""]);
    expect(err).not.toContain(content);
    const [page] = await remote.home.rows(
      `select inserted::int i, quarantined::int q from ingest_pages where run_id = (${latest})`,
    );
    const bad = kept.filter(([, , reason]) => reason !== null).length;
    expect(page).toEqual({ i: kept.length - bad + 1, q: bad });
  });

  it.each(kept.map((k) => ({ what: k[0], k })))("$what is stored", async ({ k }) => {
    const [, record, reason, extra = null] = k;
    const text = JSON.stringify(record);
    const name = (record as { event_name?: string }).event_name;
    const found = await remote.home.rows(
      reason === null
        ? `select extra as kept from events where run_id = (${latest}) and id is null and event_name = '${name}' and extra is not distinct from ${extra === null ? "null" : `'${extra}'`}`
        : `select record_text as kept from quarantine where reason = '${reason}' and record_text = '${text}'`,
    );
    expect(found).toEqual([{ kept: reason === null ? extra : text }]);
  });
});

describe("a file", () => {
  it.each<[string, string, RegExp]>([
    ["of HTML", `<html>${content}`, /HTML or XML/],
    ["of nothing", "", /is empty; expected/],
    ["of prose", `${content} is "no CSV`, /./],
    ["cut off", `[{"time":1,"event_name":"${content}"`, /truncated/],
    ["of two things", `[{"time":1}] ${content}`, /not valid JSON at line 1, column 14/],
  ])("%s is refused", async (_what, text, message) => {
    const line = failure(await importAll(text), 1);
    expect(line).toContain("bad.txt: ");
    expect(line).toMatch(message);
  });
});
