import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../../support/home.ts";
import { type Served, serving } from "../../../../support/serve.ts";

let home: TestHome;
let served: Served;
beforeAll(async () => {
  home = newHome();
  const denials = ["b", "a", "c"].flatMap((name, place) =>
    Array.from({ length: 3 + place }, (_, n) => ({
      id: `${name}${n}`,
      time: Date.UTC(2026, 0, 5 + n) / 1000,
      event_name: "job_create_unauthorized",
      user_email: `${name}@example.com`,
    })),
  );
  await home.load(denials);
  home.write("queries/own.sql", "-- title: Own\n-- grain: one row\nselect 1 as n, 'x' as t\n");
  served = await serving(home, "--queries", `${home.folder}/queries`);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const address = "/reports/denials_by_actor";
const range = "since=2026-01-01&until=2026-02-01";

const readActors = async (path: string): Promise<string[]> =>
  (await served.text(path))
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split("@")[0]!.replace('"', ""));

async function readParquet(path: string): Promise<Record<string, unknown>[]> {
  const answer = await served.get(path);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "application/vnd.apache.parquet",
  ]);
  const file = home.write("rows.parquet", Buffer.from(await answer.arrayBuffer()));
  return home.rows(`select * from read_parquet('${file}')`);
}

it.each([
  ["", "c a b"],
  ["&sort=actor", "a b c"],
  ["&sort=-actor", "c b a"],
  ["&sort=denials", "b a c"],
])("CSV and Parquet have the same rows in the order %j of the address", async (sort, names) => {
  const wanted = names.split(" ");
  expect(await readActors(`${address}/rows.csv?${range}${sort}`)).toEqual(wanted);
  const rows = await readParquet(`${address}/rows.parquet?${range}${sort}`);
  expect(rows.map(({ actor }) => actor)).toEqual(wanted.map((name) => `${name}@example.com`));
  expect(rows.map(({ denials }) => Number(denials)).toSorted()).toEqual([3, 4, 5]);
});

it("the page links both downloads with its sorting", async () => {
  const page = await served.text(`${address}?${range}&sort=-actor`);
  for (const format of ["csv", "parquet"])
    expect(page).toContain(
      `href="${address}/rows.${format}?since=2026-01-01&amp;until=2026-02-01&amp;sort=-actor"`,
    );
});

it("a Parquet file leaves no temporary file behind", async () => {
  const list = (): string[] => readdirSync(tmpdir()).filter((name) => /-download-/.test(name));
  const before = list();
  expect(await readParquet("/reports/own/rows.parquet")).toEqual([{ n: 1, t: "x" }]);
  expect((await served.get(`${address}/rows.parquet?since=banana`)).status).toBe(400);
  expect((await served.get(`${address}/rows.parquet?sorted=actor`)).status).toBe(400);
  expect(list()).toEqual(before);
});
