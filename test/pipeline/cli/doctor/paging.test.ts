import { afterEach, expect, it } from "vitest";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkSecondReads } from "../../../../pipeline/cli/doctor/service.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { testKey } from "../../../support/key.ts";
import { listNames, readAll, buildSource } from "../../core/source/discovery/found.ts";
import { makePlan } from "../../core/source/discovery/plans.ts";
import { play, type Played } from "../../core/source/discovery/service.ts";
import { runCli } from "../run-cli.ts";
import { checks, newScene } from "./scene.ts";

const scene = newScene();
let service: Played | undefined;
afterEach(() => service?.[Symbol.asyncDispose]());

async function readDoctor(source: object): Promise<Record<string, string>> {
  const config = join(scene.home(), "..", "auditlake.json");
  writeFileSync(config, JSON.stringify({ sources: { prod: source } }));
  const outcome = await runCli(["--home", scene.home(), "--config", config, "doctor"], {
    env: { AUDITLAKE_API_KEY: testKey },
    now: "2026-05-20T03:00:00Z",
  });
  return { ...checks(outcome), code: String(outcome.code) };
}

it("a wrong paging fails, with the right one ready to paste", async () => {
  const plan = makePlan(7, { style: "cursor", shape: "envelope", needsWindow: false });
  service = await play(plan);
  const { from, to, isIso } = plan.window!;
  const window_params = { from, to, form: isIso ? "iso8601" : "epoch_seconds" };
  const paging = {
    style: "cursor",
    param: plan.param,
    size_param: plan.sizeParam,
    next_at: "nowhere",
  };
  const found = await readDoctor({ base_url: service.url, audits: { window_params, paging } });
  expect(found["code"]).toBe("1");
  const pattern =
    /^fail prod: the configuration in force does not read all records: it reads \d+ records instead of \d+; set sources\.prod\.audits to (\{.*\}), which does: .* \((\d+) requests\)$/;
  const [, audits, requests] = pattern.exec(found["paging"]!) ?? [];
  expect(audits, found["paging"]).toBeDefined();
  expect(Number(requests)).toBeLessThanOrEqual(20);
  const right = buildSource({ audits: JSON.parse(audits!) as object }).audits;
  expect(await readAll(service.url, right, plan)).toEqual(listNames(plan.rows));
});

it("a schedule that misses the second read of a window fails", () => {
  // In summer it runs before the window of the day before has closed.
  const nightly = { cron: "15 2 * * *", timezone: "Europe/Oslo", ingest: { source: "prod" } };
  const schedule = { jobs: { nightly } };
  expect(secondRead({ retention: "2d" }, schedule)).toMatch(
    /^fail prod: .*a window is up to 3 d 1 h old at its second read, the service retains 2 d: events are lost; use 3 runs a day, or window 12h and confirm true, or /,
  );
  expect(secondRead({ retention: "4d" }, schedule)).toMatch(/^ok prod: .*the service retains 4 d$/);
  // Without a job it is unknown how often it runs; windows of a day never fit a day of memory.
  expect(secondRead({ retention: "2d" })).toMatch(
    /^warn .*one run a day.*unless it runs every 11 h 30 min or more often; use /,
  );
  expect(secondRead({ retention: "24h" })).toMatch(
    /^fail .*events are lost; use window 6h and 3 runs a day$/,
  );
  expect(secondRead({})).toMatch(/^ok .*is unknown: set sources\.prod\.retention$/);
  expect(secondRead({ lookback: "1d" })).toMatch(
    /^warn .*the scheduled range ends at 2 d, so windows leave that range before they are final/,
  );
});

function secondRead(source: object, schedule: object = {}): string {
  const config = configSchema.parse({ sources: { prod: source }, schedule });
  const named = { ...config.sources["prod"]!, name: "prod" };
  const { level, text } = checkSecondReads(named, config, Date.UTC(2026, 4, 20, 3));
  return `${level} ${text}`;
}
