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
}));

let home: TestHome;
let served: Served;
let id: string;
beforeAll(async () => {
  home = newHome();
  const { code, err } = await home.load(denials, { env: findingsOn });
  expect(code, err).toBe(0);
  const listed = await home.run([
    "findings",
    "--format",
    "json",
    "--detection",
    "repeated_denials",
  ]);
  [{ finding_id: id }] = JSON.parse(listed.out) as [{ finding_id: string }];
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const escaped = "&lt;b&gt;eve&lt;/b&gt;@example.com";

describe("the list of findings", () => {
  test("links each to its page, and the overview and the navigation link to the list", async () => {
    const list = await served.text("/findings");
    expect(list).toContain(`href="/findings/${id}"`);
    expect(list).toContain(escaped);
    expect(list).not.toContain(actor);
    const overview = await served.text("/");
    expect(overview).toContain(`<a href="/findings/${id}">Show</a>`);
    expect(overview).toContain('<a href="/findings">Findings</a>');
    expect(overview).not.toContain(actor);
  });

  test.each([
    ["state=open", true],
    ["state=all", true],
    ["state=closed", false],
    ["severity=medium", true],
    ["severity=critical", false],
    ["since=2026-03-04", false],
    ["subject=17", false],
  ])("filters by %s", async (query, isListed) => {
    expect((await served.text(`/findings?${query}`)).includes(`/findings/${id}`)).toBe(isListed);
  });

  test.each(["state=odd", "severity=worst", "since=soon"])("refuses %s", async (query) => {
    expect((await served.get(`/findings?${query}`)).status).toBe(400);
  });
});

describe("the page of a finding", () => {
  test("has the sentence, measures, evidence with links to events, history and next command", async () => {
    const page = await served.text(`/findings/${id.slice(0, 6)}`);
    expect(page).toContain(`${escaped} was denied 25 times within an hour`);
    expect(page).toContain("denials 25 (limit 25); none in the 30 days before");
    expect(page).toContain("Evidence: 25 events");
    expect(page.match(/href="\/events\/[0-9a-f]{32}"/g)).toHaveLength(25);
    expect(page).toContain("<pre>auditlake investigate --user ");
    expect(page).toMatch(/<li>[\d-]+ [\d:]+ raised<\/li>/);
    expect(page).not.toContain(actor);
  });

  test.each(["ffffffff", "no-id", "%3Cb%3E"])("refuses the id %s", async (odd) => {
    const response = await served.get(`/findings/${odd}`);
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain("<b>");
  });
});
