import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newHome, type TestHome } from "../../../support/home.ts";
import { type Served, serving } from "../../../support/serve.ts";

let home: TestHome;
let served: Served;
let origin: string;
let cookie: string;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
  served = await serving(home);
  ({ origin } = new URL(served.address));
  const entered = await fetch(served.address, { redirect: "manual" });
  cookie = entered.headers.get("set-cookie")!.split(";")[0]!;
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

type Headers_ = Readonly<Record<string, string>>;

// As no browser requests: with any method and headers.
function ask(method: string, path: string, headers: Headers_): Promise<number> {
  return new Promise((resolve, reject) => {
    request(origin + path, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

it("admits clients with the token, by a cookie that scripts and other pages do not get", async () => {
  const entered = await fetch(served.address, { redirect: "manual" });
  expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"]);
  expect(entered.headers.get("set-cookie")).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
  expect((await served.get("/")).status).toBe(200);
});

it.each([
  ["no token", "GET", "/", {}, 403],
  ["a wrong token", "GET", "/?token=00", {}, 403],
  ["a wrong cookie", "GET", "/reports", { cookie: "auditlake=00" }, 403],
  ["another host", "GET", "/", { host: "evil.example" }, 421],
  ["the address that all listeners share", "GET", "/", { host: "127.0.0.1" }, 421],
  ["the name that all listeners share", "GET", "/", { host: "localhost" }, 421],
  ["another name below localhost", "GET", "/", { host: "evil.localhost" }, 421],
  ["another page", "GET", "/", { origin: "http://evil.example" }, 403],
  ["a form of another page", "POST", "/sql", { origin: "http://evil.example" }, 403],
  ["a form without a session", "POST", "/sql", {}, 403],
  ["a form of a page without a name", "POST", "/sql", { origin: "null" }, 403],
  ["another method", "DELETE", "/", {}, 405],
  ["an unheard-of method", "PROPFIND", "/", {}, 405],
] as const)("refuses %s", async (what, method, path, headers, status) => {
  const own = what.includes("token") || what.includes("cookie") ? {} : { cookie };
  expect(await ask(method, path, { ...own, ...headers })).toBe(status);
});

it("sends headers that forbid framing, caching and guessing of the type", async () => {
  const { headers } = await served.get("/events");
  expect(Object.fromEntries(headers)).toMatchObject({
    "x-frame-options": "DENY",
    "content-security-policy": "frame-ancestors 'none'",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
  });
});
