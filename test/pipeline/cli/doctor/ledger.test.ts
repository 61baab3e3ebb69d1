import { afterAll, beforeAll, expect, test } from "vitest";
import { configSchema } from "../../../../schemas/config.ts";
import { checkLedger } from "../../../../pipeline/cli/doctor/data.ts";
import type { Finding } from "../../../../pipeline/cli/doctor/finding.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { openPublished } from "../../../../pipeline/core/store/open.ts";
import { homeWithWarehouse, type TestHome } from "../../../support/home.ts";

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  expect((await home.load([{ time: 1_767_225_600, event_name: "sign_in" }])).code).toBe(0);
});
afterAll(() => home[Symbol.dispose]());

async function said(sources: object): Promise<Finding[]> {
  const { published: path } = resolveHome(home.home);
  await using published = await openPublished(path, { memoryLimit: "200MB", threads: 1 });
  const config = configSchema.parse({ sources });
  const found: Finding[] = [];
  for await (const finding of checkLedger(published, undefined, config, Date.now()))
    found.push(finding);
  return found;
}

const retentions = [
  [
    "not set",
    undefined,
    "no scheduled run has completed yet; set sources.default.retention to be warned before events expire unread",
  ],
  ["set", "3d", "no scheduled run has completed yet, the service retains 3 d"],
] as const;

test.each(retentions)(
  "a retention is reported that is %s, with how to set it",
  async (_, retention, text) => {
    expect(await said({ default: { retention } })).toEqual([
      { level: "ok", check: "retention", text: `default: ${text}` },
    ]);
  },
);

test("a source that is no longer configured is reported as unread", async () => {
  const text =
    "default: no scheduled run has completed yet; no run reads it because sources.default is not configured";
  expect(await said({ other: {} })).toEqual([{ level: "ok", check: "retention", text }]);
});
