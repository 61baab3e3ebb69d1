import { afterAll, beforeAll, expect, test } from "vitest";
import { configSchema } from "../../../schemas/config.ts";
import { ledgerFindings } from "../../../pipeline/doctor/ledger.ts";
import type { Finding } from "../../../pipeline/doctor/finding.ts";
import { homeAt } from "../../../pipeline/home/layout.ts";
import { openPublished } from "../../../pipeline/store/open.ts";
import { homeWithWarehouse, type TestHome } from "../../support/home.ts";

let home: TestHome;
beforeAll(async () => {
  home = await homeWithWarehouse();
  expect((await home.load([{ time: 1_767_225_600, event_name: "sign_in" }])).code).toBe(0);
});
afterAll(() => home[Symbol.dispose]());

const retentions = [
  [
    "not set",
    undefined,
    "never read whole yet; set sources.default.retention to hear of nights missed for too long",
  ],
  ["set", "3d", "never read whole yet, the service keeps 3 d"],
] as const;

test.each(retentions)(
  "says how long the service keeps its log where that is %s, and else how to set it",
  async (_, retention, text) => {
    const config = configSchema.parse({ sources: { default: { retention } } });
    const { published: path } = homeAt(home.home);
    await using published = await openPublished(path, { memoryLimit: "200MB", threads: 1 });
    const found: Finding[] = [];
    for await (const finding of ledgerFindings(published, undefined, config, Date.now()))
      if (finding.check === "retention") found.push(finding);
    expect(found).toEqual([{ level: "ok", check: "retention", text: `default: ${text}` }]);
  },
);
