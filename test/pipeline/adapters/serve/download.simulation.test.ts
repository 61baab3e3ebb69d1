import { get, request } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

let home: TestHome;
let served: Served;
let origin: string;
let cookie: string;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  const header = "-- title: Long\n-- grain: one row\n";
  const rows = "select range as n, repeat('x', 400) as filler from range(300000)";
  home.write("queries/long.sql", `${header}${rows}\n`);
  home.write(
    "queries/breaking.sql",
    `${header}select case when range < 500000 then range else error('secret ' || range) end as n from range(1000000)\n`,
  );
  served = await serving(home, "--queries", join(home.folder, "queries"), "--timeout", "5s");
  ({ origin } = new URL(served.address));
  const entered = await fetch(served.address, { redirect: "manual" });
  cookie = entered.headers.get("set-cookie")!.split(";")[0]!;
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

// More than are answered at once.
const many = [1, 2, 3, 4, 5, 6];

async function expectAnswer(): Promise<void> {
  const response = await served.get("/events", undefined, AbortSignal.timeout(15_000));
  expect(response.status).toBe(200);
}

function readHead(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(origin + path, { method: "HEAD", headers: { cookie }, timeout: 8000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("timeout", () => reject(new Error("no answer to HEAD")))
      .on("error", reject)
      .end();
  });
}

it("answers HEAD for a file, and keeps no lock for it", async () => {
  for (const _ of many) expect(await readHead("/reports/long/rows.csv")).toBe(200);
  await expectAnswer();
});

it("a client that stops reading does not block the others", async () => {
  const paused = await Promise.all(
    many.slice(0, 4).map(async () => {
      const asked = get(`${origin}/reports/long/rows.csv`, { headers: { cookie }, agent: false });
      asked.on("error", () => undefined);
      const [response] = (await once(asked, "response")) as [NodeJS.ReadableStream];
      response.on("error", () => undefined).pause();
      return asked;
    }),
  );
  await expectAnswer();
  for (const asked of paused) asked.destroy();
}, 40_000);

it("continues when a client leaves in the middle", async () => {
  for (const path of [
    "/reports/long/rows.csv",
    "/reports/users_with_full_access/rows.csv",
    "/events",
  ])
    for (const ms of [0, 5, 50, 300, 800])
      await served.get(path, undefined, AbortSignal.timeout(ms)).catch(() => undefined);
  await expectAnswer();
});

it("truncates a file visibly if its report fails in the middle, without the reason", async () => {
  using terminal = vi.spyOn(console, "error");
  const response = await served.get("/reports/breaking/rows.csv");
  expect(response.status).toBe(200);
  let text = "";
  const reading = (async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part;
  })();
  await expect(reading).rejects.toThrow();
  expect(text).toMatch(/^n\r\n0\r\n/);
  expect(text).not.toMatch(/error|secret/i);
  expect(terminal).not.toHaveBeenCalled();
});
