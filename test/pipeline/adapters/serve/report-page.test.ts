import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

let home: TestHome;
let served: Served;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  home.write(
    "queries/failing.sql",
    "-- title: Failing\n-- grain: one row\nselect error('the statement failed') as n\n",
  );
  const endless =
    "select count(*) as n from range(1000000) as a, range(1000000) as b where a.range + b.range < 0";
  home.write(
    "queries/endless.sql",
    `-- title: Endless\n-- grain: one row\n-- param: who text = null\n${endless}\n`,
  );
  served = await serving(home, "--timeout", "10m", "--queries", `${home.folder}/queries`);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

it("a report page sends its frame and its form while its statement still runs", async () => {
  const gone = new AbortController();
  const { body } = await served.get("/reports/endless", undefined, gone.signal);
  let text = "";
  for await (const part of body!) {
    text += Buffer.from(part as Uint8Array).toString();
    if (text.includes("</form>\n") && text.includes('action="/reports/endless"')) break;
  }
  gone.abort();
  expect(text).toContain("<h1>Endless</h1>");
  expect(text).not.toContain("<summary>SQL");
});

it("a report page shows the error of its statement in the place of the rows", async () => {
  const response = await served.get("/reports/failing");
  const page = await response.text();
  expect(response.status).toBe(200);
  expect(page).toMatch(/role="alert">[^<]*the statement failed[^]*<summary>SQL[^]*<\/html>/);
});
