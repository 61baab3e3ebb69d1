import { afterAll, beforeAll, expect, it } from "vitest";
import {
  refuseUnaskable,
  listUnrunnable,
} from "../../../../pipeline/outgoing/schedule/unrunnable-jobs.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";
import { settingsIn } from "./settings.ts";

let home: TestHome;
beforeAll(() => {
  home = newHome();
});
afterAll(() => home[Symbol.dispose]());

const hook = { type: "webhook", url: "https://soc.example.com", secret: "s" };
const ways: readonly (readonly [job: object, faults: readonly string[]])[] = [
  [{ ingest: {} }, []],
  [{ report: { names: "all", out: "out" } }, []],
  [{ report: { names: ["denials_list"], out: "a.csv", since: "7d" } }, []],
  [{ report: { names: ["denials_list"], out: "a.csv", since: "soon" } }, ["since"]],
  [{ report: { names: ["denials_lst"], out: "a.csv" } }, ["denials_list"]],
  [{ report: { names: ["denials_list"], out: "a.csv", params: { colour: "red" } } }, ["colour"]],
  [
    { report: { names: ["denials_list", "denials_by_day"], out: "a", params: { colour: "red" } } },
    [],
  ],
  [{ export: { report: "denials_list", to: "hook" } }, []],
  [{ export: { table: "denials", to: "lake" } }, ["target lake is not configured; known: hook"]],
  [{ export: { report: "denials_lst", to: "lake" } }, ["denials_list", "target lake is not"]],
  [{ activate: "people" }, ["activation people is not configured; known: none"]],
  [{ activate: { name: "people" } }, ["activation people is not configured"]],
  [{ activate: { name: "people", from_workflow: "flow.yml" } }, []],
  [{ activate: { from_workflow: "flow.yml" } }, []],
];

it.each(ways)("the job %j is reported with what prevents its run: %j", (job, faults) => {
  const jobs = { daily: { cron: "@daily", ...job } };
  const settings = settingsIn(home, { targets: { hook }, schedule: { jobs } });
  const world = testWorld();
  const found = listUnrunnable(settings, world);
  expect(found).toHaveLength(faults.length);
  for (const [i, fault] of faults.entries()) {
    expect(found[i]).toContain(fault);
    expect(found[i]).toMatch(/^job daily: /);
  }
  if (faults.length === 0) refuseUnaskable(settings, world);
  else expect(() => refuseUnaskable(settings, world)).toThrow(found[0]);
});
