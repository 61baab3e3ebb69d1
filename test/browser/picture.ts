import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { listUsers } from "../../fixtures/company.ts";
import { calmTraffic, makeTraffic } from "../../fixtures/traffic.ts";
import { newHome } from "../support/home.ts";
import { look, startBrowser } from "./browser.ts";

// Makes the picture of the README: the first screen of the daily report over a month of invented traffic.
const [, , file = "docs/page.png"] = process.argv;
const dayMs = 86_400_000;
const days = 32;
const to = Date.UTC(2026, 1, 27, 5, 40);
const traffic = makeTraffic({
  seed: 1,
  from: to - days * dayMs,
  to,
  eventsPerDay: 600,
  // As rare as such events are in a company.
  ...calmTraffic(days),
});

using home = newHome();
const list = home.write("users.json", JSON.stringify({ users: listUsers(traffic.company) }));
const records = [...traffic.events()].map((event) => `${JSON.stringify(event.record)}\n`).join("");
const world = { now: () => to + 1_200_000, env: { AUDITLAKE_FINDINGS: "on" } };
const out = join(home.folder, "pages");
for (const argv of [
  ["import", home.write("records.ndjson", records), "--users", list],
  ["page", "--out", out],
]) {
  const { code, err } = await home.run(argv, world);
  if (code !== 0) throw new Error(err);
}
const browser = await startBrowser();
try {
  const address = pathToFileURL(join(out, readdirSync(out)[0]!)).href;
  await using looked = await look(browser, address, { width: 1280, colorScheme: "light" });
  await looked.page.screenshot({ path: file });
} finally {
  await browser.close();
}
