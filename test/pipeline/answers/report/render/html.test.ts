import { expect, it } from "vitest";
import { newHome } from "../../../../support/home.ts";
import { render, buildResult, textColumns } from "../support.ts";

const records = Array.from({ length: 30 }, (_, i) => ({
  time: 1_767_225_600 + i * 86_400,
  event_name: "user_signed_in",
  event_result: "denied",
  id: String(i),
  user_email: i % 3 === 0 ? '<img src=x onerror="alert(1)">@example.com' : `p${i % 3}@example.com`,
}));
const range = ["--since", "2026-01-01", "--until", "2026-03-01"];

it("writes a report as a page with its chart and all rows, and as a picture", async () => {
  using home = newHome();
  await home.load(records);
  const run = (...argv: string[]) => home.run(["report", "run", ...argv]);
  const page = (await run("denials_by_actor", ...range, "--format", "html")).out;
  expect(page).toMatch(/^<!doctype html>/);
  expect(page.match(/<tr>/g)).toHaveLength(1 + 3);
  expect(page).toContain("<h1>Denials by actor</h1>");
  expect(page).toMatch(/role="group" aria-label="Denials by actor: denials by actor"/);
  expect(page).not.toContain("<img");
  const picture = (await run("denials_by_actor", ...range, "--format", "svg")).out;
  expect(picture).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" /);
  expect(picture).not.toContain("<img");
  expect((await run("denials_list", ...range, "--format", "html")).out).not.toContain("<figure");
});

it("prints what a picture omits", async () => {
  using home = newHome();
  await home.load(records);
  const own = (name: string, chart: string): string =>
    home.write(
      `own/${name}.sql`,
      `-- title: t\n-- grain: g\n-- chart: ${chart}\nselect * from (select 1 as a, 2 as b)`,
    );
  own("lost", "bars x=a y=c");
  const run = (name: string) =>
    home.run(["report", "run", name, "--queries", `${home.folder}/own`, "--format", "svg"]);
  expect(await run("denials_list")).toMatchObject({ code: 2, out: "" });
  expect((await run("denials_list")).err).toMatch(
    /denials_list: no chart is declared; add -- chart/,
  );
  expect((await run("lost")).err).toMatch(/needs columns a, c; the rows have a, b/);
});

it("shows the first of very many rows, and reports it", async () => {
  const rows = Array.from({ length: 10_001 }, (_, i) => [`r${i}`]);
  const page = await render(
    "html",
    buildResult(textColumns("a"), rows.slice(0, 6000), rows.slice(6000)),
  );
  expect(page.match(/<tr>/g)).toHaveLength(1 + 10_000);
  expect(page).toContain("Showing 10,000 of 10,001 rows · other formats have all");
});

it("cuts a text of a megabyte, and reports it", async () => {
  const page = await render("html", buildResult(textColumns("a"), [["x".repeat(1_000_000)]]));
  expect(page.length).toBeLessThan(60_000);
  expect(page).toContain("… (1000000 characters; complete in other formats)");
});

it("prints how many bars a chart omits", async () => {
  const columns = [...textColumns("who"), { name: "n", type: "BIGINT", kind: "number" } as const];
  const about = { title: "t", facts: [], chart: { kind: "bars", x: "who", y: "n" } as const };
  const readCaption = async (bars: number): Promise<string | undefined> => {
    const rows = Array.from({ length: bars }, (_, i) => [`r${i}`, BigInt(i + 1)]);
    const page = await render("html", buildResult(columns, rows), { about });
    return /<figcaption[^>]*>(.*?)<\/figcaption>/.exec(page)?.[1];
  };
  expect(await readCaption(15)).toBe("N by who");
  expect(await readCaption(16)).toBe("N by who · largest 15 of 16");
});
