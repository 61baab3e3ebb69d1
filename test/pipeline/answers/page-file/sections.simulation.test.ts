import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 1, 12, 6);

/** As many failed sign-ins of different people on a day: no finding, however many. */
function failures(day: number, count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `${day}-${i}`,
    time: (Math.floor(nowMs / dayMs) * dayMs - day * dayMs) / 1000 + 60 + i,
    event_name: "sign_in_failed",
    user_id: i + 1,
    user_email: `p${i + 1}@example.com`,
  }));
}

async function readSection(home: TestHome, id: string): Promise<string> {
  const out = join(home.folder, "pages");
  const argv = ["page", "--out", out];
  expect(await home.run(argv, { now: () => nowMs })).toMatchObject({ code: 0 });
  const page = readFileSync(join(out, readdirSync(out)[0]!), "utf8");
  const section = page.slice(page.indexOf(`<section id="${id}"`));
  return section.slice(0, section.indexOf("</section>")).replaceAll(/\s+/g, " ");
}

test("a section with nothing above usual and no finding is a heading and a sentence", async () => {
  using home = newHome();
  const month = Array.from({ length: 36 }, (_, day) => failures(day, day % 7 === 1 ? 4 : 3));
  await home.load(month.flat());
  const quiet = await readSection(home, "sign-ins-and-denials");
  expect(quiet).toContain(
    "4 on Wednesday; the Wednesdays before 4; nothing above usual, no finding",
  );
  expect(quiet).not.toContain("<svg");
  await home.load(failures(1, 30).slice(4));
  const loud = await readSection(home, "sign-ins-and-denials");
  expect(loud).toContain("30 on Wednesday; the Wednesdays before 4");
  expect(loud).toContain("<svg");
  const tiles = await readSection(home, "weekday-against-the-last-four-weekday-s");
  expect(tiles).toContain("<h2>Wednesday against the last four Wednesdays</h2>");
  expect(tiles).toMatch(/▲ above<\/b> 4</);
  expect(loud).toContain("<h2>Wednesday, by kind</h2>");
});
