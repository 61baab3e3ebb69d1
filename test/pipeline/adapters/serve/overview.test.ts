import { expect, it } from "vitest";
import { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import { html } from "../../../../pipeline/base/html/markup.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { writeOverview } from "../../../../pipeline/adapters/serve/overview.ts";
import type { Site } from "../../../../pipeline/adapters/serve/site.ts";
import { openPublished } from "../../../../pipeline/core/store/open.ts";
import { homeWithWarehouse } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

it("shows what failed of a part where that part would be, and passes no fault of the program over", async () => {
  using home = await homeWithWarehouse();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  const { published } = resolveHome(home.home);
  await using database = await openPublished(published, { memoryLimit: "200MB", threads: 1 });
  const { connection } = database;
  const page = async (health: Site["health"]): Promise<string> => {
    const site = {
      asked: { add: () => undefined },
      found: () => ({ reports: [], broken: [] }),
      health,
      pool: { use: (work: (on: typeof connection) => unknown) => work(connection) },
      settings: { flags: {} },
      timeoutMs: 60_000,
      world: testWorld(),
    } as unknown as Site;
    let text = "";
    for await (const piece of writeOverview(site, new AbortController().signal)) text += piece;
    return text;
  };
  expect(await page(() => Promise.resolve(html`<p>well</p>`))).toMatch(/<p>well<\/p>[^]*<\/html>/);
  const failed = await page(() => Promise.reject(new AuditlakeError("all <b>is</b> ill")));
  expect(failed).toMatch(/all &lt;b&gt;is&lt;\/b&gt; ill[^]*<\/html>/);
  await expect(page(() => Promise.reject(new Error("a fault")))).rejects.toThrow("a fault");
});
