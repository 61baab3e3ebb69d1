import { afterAll, beforeAll, expect, test } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

const hostile = "<b>odd</b>_event";
const startS = Math.floor(Date.now() / 1000) - 3 * 86_400;

let home: TestHome;
let served: Served;
beforeAll(async () => {
  home = newHome();
  const { code, err } = await home.load([
    { time: startS, event_name: "job_kill", id: "a" },
    { time: startS + 60, event_name: hostile, id: "b" },
  ]);
  expect(code, err).toBe(0);
  served = await serving(home);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

test("the pipeline page has each source with its days, the last runs and unknown event types", async () => {
  const page = await served.text("/pipeline");
  expect(page).toContain("<h2>default</h2>");
  expect(page).toContain("Verified complete through");
  expect(page).toContain("Last runs");
  expect(page).toContain("&lt;b&gt;odd&lt;/b&gt;_event");
  expect(page).not.toContain(hostile);
});
