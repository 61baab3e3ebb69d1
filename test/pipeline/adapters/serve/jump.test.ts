import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

let home: TestHome;
let served: Served;
beforeAll(async () => {
  home = newHome();
  const issue = { event_name: "job_issue", user_email: "ann@example.com" };
  await home.load([
    { ...issue, id: "e1", time: 1_767_225_600, resource_id: "4711" },
    { ...issue, id: "e2", time: 1_767_225_601, resource_id: "4712" },
  ]);
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const jumpTo = (text: string): Promise<Response> =>
  served.get(`/jump?${new URLSearchParams({ to: text }).toString()}`);

const key = "0123456789abcdef0123456789abcdef";

it.each([
  ["", "/"],
  ["   ", "/"],
  [` ${key.toUpperCase()} `, `/events/${key}`],
  ["192.0.2.1", "/addresses/192.0.2.1"],
  ["2001:db8::1", "/addresses/2001%3Adb8%3A%3A1"],
  ["Ann@Example.com", "/people/ann%40example.com"],
  ["a/b?c@example.com", "/people/a%2Fb%3Fc%40example.com"],
  ["4711", "/jobs/4711"],
  ["Repeated_Denials", "/reports/repeated_denials"],
  ["new denials", "/reports/new_denials"],
  ["DENIALS new", "/reports/new_denials"],
])("a jump to %j opens %s", async (text, to) => {
  const { status, headers } = await jumpTo(text);
  expect(status).toBeGreaterThanOrEqual(300);
  expect(headers.get("location")).toBe(to);
});

// Names and titles of the built-in reports, from their files.
const reports = readdirSync("queries/reports", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".sql"))
  .map((path) => ({
    name: basename(path, ".sql"),
    title: /^-- title: (.*)$/m.exec(readFileSync(`queries/reports/${path}`, "utf8"))?.[1] ?? "",
  }));

it.each(["denials", "GRANTS", "sign in"])(
  "a jump to %j lists the reports with these words",
  async (text) => {
    const page = await (await jumpTo(text)).text();
    const listed = [...page.matchAll(/<a class="stat" href="\/reports\/([^"]+)"/g)];
    const expected = reports.filter(({ name, title }) =>
      text
        .toLowerCase()
        .split(" ")
        .every((word) => `${name} ${title}`.toLowerCase().includes(word)),
    );
    expect(expected.length).toBeGreaterThan(1);
    expect(listed.map(([, name]) => name).toSorted()).toEqual(
      expected.map(({ name }) => name).toSorted(),
    );
  },
);

it.each(["4713", "<b>nothing</b>", `${key}0`])(
  "a jump to the unknown %j offers a search for it",
  async (text) => {
    const page = await (await jumpTo(text)).text();
    expect(page).toContain("Nothing is called");
    expect(page).toContain(`/events?${new URLSearchParams({ text }).toString()}`);
    expect(page).not.toContain("<b>nothing</b>");
    expect(page).not.toContain('class="stat"');
  },
);
