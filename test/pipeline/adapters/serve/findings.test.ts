import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

const actor = "<b>eve</b>@example.com";
const startS = Date.UTC(2026, 2, 3, 4) / 1000;
const findingsOn = { AUDITLAKE_FINDINGS: "on" };

/** Denials of one user within an hour, as many as raise a finding. */
const denials = Array.from({ length: 25 }, (_, n) => ({
  id: `d${n}`,
  time: startS + n * 60,
  event_name: "job_create_unauthorized",
  user_id: 17,
  user_email: actor,
  ip_address: "203.0.113.9",
}));

/** An event of another person in the second of a denial: no evidence of its finding. */
const bystander = {
  id: "b0",
  time: startS,
  event_name: "job_issue",
  user_id: 18,
  user_email: "ann@example.com",
  ip_address: "203.0.113.10",
};

let home: TestHome;
let served: Served;
let id: string;
beforeAll(async () => {
  home = newHome();
  const { code, err } = await home.load([...denials, bystander], { env: findingsOn });
  expect(code, err).toBe(0);
  const argv = ["findings", "--format", "json", "--detection", "repeated_denials"];
  const listed = await home.run(argv);
  [{ finding_id: id }] = JSON.parse(listed.out) as [{ finding_id: string }];
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const escaped = "&lt;b&gt;eve&lt;/b&gt;@example.com";
const march = "since=2026-03-01&until=2026-03-31";

describe("the queue of findings", () => {
  test("links each finding to its page, and the overview and the navigation to the queue", async () => {
    const list = await served.text(`/findings?${march}`);
    expect(list).toContain(`href="/findings/${id}"`);
    expect(list).toContain(escaped);
    expect(list).not.toContain(actor);
    const overview = await served.text("/");
    expect(overview).toContain('<a href="/findings"');
    expect(overview).not.toContain(actor);
  });

  test.each([
    ["", true],
    ["state=all", true],
    ["state=new", true],
    ["state=closed", false],
    ["severity=medium", true],
    ["severity=critical", false],
    ["detection=repeated_denials", true],
    ["detection=self_grants", false],
    ["search=t1087", true],
    ["search=nothing", false],
    ["subject=17", false],
    ["page=2", false],
  ])("filters by %j", async (query, isListed) => {
    const list = await served.text(`/findings?${march}&${query}`);
    expect(list.includes(`href="/findings/${id}"`)).toBe(isListed);
  });

  test("mentions findings outside of its range", async () => {
    const list = await served.text("/findings?since=2026-01-01&until=2026-01-02");
    expect(list).not.toContain(`href="/findings/${id}"`);
    expect(list).toMatch(/1 more finding\s+outside of this range/);
  });

  test.each(["state=odd", "severity=worst", "since=soon", "page=0", "page=x", "sort=age"])(
    "refuses %s",
    async (query) => {
      expect((await served.get(`/findings?${query}`)).status).toBe(400);
    },
  );
});

describe("the page of a finding", () => {
  test("shows condition, measures, evidence with links to events, usual amounts and history", async () => {
    const page = await served.text(`/findings/${id.slice(0, 6)}`);
    expect(page).toMatch(/is denied <b>25<\/b> times within <b>60<\/b> min/);
    expect(page).toContain(`${escaped} was denied 25 times within an hour`);
    expect(page.replaceAll(/\s+/g, " ")).toMatch(/<dd>\s*25\s*<span class="muted">\(limit 25\)/);
    expect(page).toContain("Usual: no denials in the 30 days before");
    expect(page).toContain("auditlake investigate --user ");
    expect(page).toMatch(/Denials in a day<\/td>/);
    expect(page).toContain(`aria-label="Denials: 25"`);
    expect(page).toContain("203.0.113.9");
    expect(page).not.toContain(actor);
  });

  test("shows the newest of many events, and all of them on demand, as CSV and in the search", async () => {
    const readTimes = (text: string): string[] =>
      [...text.matchAll(/<time datetime="(2026-03-03T[^"]+)"/g)].map(([, time]) => time!);
    const readEvents = (text: string): string[] => [
      ...new Set(text.match(/href="\/events\/[0-9a-f]{32}"/g)),
    ];
    const page = await served.text(`/findings/${id}`);
    const [, evidence = ""] = /aria-label="Evidence"([^]*)/.exec(page) ?? [];
    expect(readEvents(page)).toHaveLength(10);
    expect(readTimes(evidence).slice(0, 10)).toEqual(
      readTimes(evidence).slice(0, 10).toSorted().toReversed(),
    );
    expect(page).toMatch(/10 of 25 events/);
    expect(readEvents(await served.text(`/findings/${id}?show=all`))).toHaveLength(25);
    const csv = await served.get(`/findings/${id}/evidence.csv`);
    expect(csv.headers.get("content-disposition")).toContain(`finding-${id}.csv`);
    expect((await csv.text()).trim().split("\n")).toHaveLength(26);
    const [, search = ""] = /href="(\/events\?[^"]+from=[^"]+)"/.exec(page) ?? [];
    expect(await served.text(search.replaceAll("&amp;", "&"))).toMatch(
      /<b>25<\/b> of 25|25 events/,
    );
  });

  test.each(["ffffffff", "no-id", "%3Cb%3E", "ffffffff/evidence.csv"])(
    "refuses the id %s",
    async (odd) => {
      const response = await served.get(`/findings/${odd}`);
      expect(response.status).toBe(400);
      expect(await response.text()).toMatch(/role="alert">[^<]+<\/p>/);
    },
  );
});

describe("the pages of detections", () => {
  test("list each with severity, findings and test cases", async () => {
    const page = await served.text("/findings/detections");
    expect(page).toContain('href="/findings/detections/repeated_denials"');
  });

  test("show the condition, limits in force, SQL and the command of a backtest", async () => {
    const page = await served.text("/findings/detections/repeated_denials");
    expect(page).toContain("auditlake findings backtest repeated_denials");
    expect(page).toContain("denials_in_range as (");
    expect(page).toContain("5 test cases");
    expect((await served.get("/findings/detections/none")).status).toBe(400);
  });
});
