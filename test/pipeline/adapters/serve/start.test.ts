import { Hono } from "hono";
import { once } from "node:events";
import { renameSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer, Server } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { newGuard } from "../../../../pipeline/adapters/serve/guard.ts";
import { chooseHost, newLoopbackDoor } from "../../../../pipeline/adapters/serve/loopback.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import { serving } from "../../../support/serve.ts";

let home: TestHome;
beforeAll(async () => {
  home = newHome();
  await home.load([{ time: 1_767_225_600, event_name: "job_kill", id: "a" }]);
});
afterAll(() => home[Symbol.dispose]());

it.each([
  [80, "auditlake-r.localhost", 200],
  [80, "auditlake-r.localhost:8080", 421],
  [8080, "auditlake-r.localhost:8080", 200],
  [8080, "auditlake-r.localhost", 421],
  [8080, "auditlake-s.localhost:8080", 421],
  [8080, "r.localhost:8080", 421],
  [8080, "127.0.0.1:8080", 421],
  [8080, "localhost:8080", 421],
  [8080, "auditlake-r.localhost:8080.evil.example", 421],
])("a server on port %i requests %s with status %i", async (port, host, status) => {
  const app = new Hono();
  const door = newLoopbackDoor("t");
  door.open(chooseHost("r", port));
  app.use(newGuard(door));
  app.all("/", (c) => c.text("in"));
  const ask = (given: Record<string, string>, query = ""): Response | Promise<Response> => {
    const headers = { host, ...given };
    const incoming = { rawHeaders: Object.entries(headers).flat() };
    const method = query === "" ? "POST" : "GET";
    return app.request(`/${query}`, { method, headers }, { incoming });
  };
  const entered = await ask({}, "?token=t");
  expect(entered.status).toBe(status === 200 ? 303 : 421);
  const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  expect((await ask({ cookie, origin: `http://${host}` })).status).toBe(status);
});

it("listens on both loopback addresses, and on none if another program uses one of them", async () => {
  await using served = await serving(home);
  const { port, host } = new URL(served.address);
  expect(await statuses(port, host)).toEqual([403, 403]);
  const taken = createServer().listen(0, "::1");
  await once(taken, "listening");
  const argv = ["serve", "--port", String((taken.address() as AddressInfo).port)];
  const { code, err } = await home.run(argv);
  taken.close();
  expect([code, err]).toEqual([
    1,
    "error: the port is in use on ::1: choose another with --port\n",
  ]);
});

function statuses(port: string, host: string): Promise<unknown[]> {
  return Promise.all(
    ["127.0.0.1", "::1"].map(async (address) => {
      const asked = request({ host: address, port, headers: { host } }).end();
      const [response] = (await once(asked, "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    }),
  );
}

it("does not start with an invalid folder of reports", async () => {
  const folder = join(home.folder, "nowhere");
  const { code, out, err } = await home.run(["serve", "--queries", folder]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toBe(`error: ${folder} is not a folder; --queries expects a folder of .sql files\n`);
});

it.each(["65536", "123456", "-1", "http", ""])("refuses %j as a port", async (port) => {
  const { code, out, err } = await home.run(["serve", `--port=${port}`]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("Expected a port from 0 to 65535.");
});

it("shows a report with any line endings, and reports invalid files", async () => {
  const rows = (n: number): string => `-- title: N${n}\n-- grain: one row\nselect ${n} as n\n`;
  home.write("queries/sums.sql", rows(1));
  home.write("queries/sums.csv.sql", rows(2));
  home.write("queries/rows.csv.sql", rows(3));
  const folder = join(home.folder, "queries");
  await using served = await serving(home, "--queries", folder);
  for (const [name, n] of [
    ["sums", 1],
    ["sums.csv", 2],
    ["rows.csv", 3],
  ] as const) {
    expect(await served.text(`/reports/${name}`)).toContain(`<h1>N${n}</h1>`);
    expect(await served.text(`/reports/${name}/rows.csv`)).toBe(`n\r\n${n}\r\n`);
  }
  home.write("queries/broken.sql", "select '<b>' as x");
  expect(await served.text("/reports")).toMatch(/role="alert">left out: [^<]*broken\.sql/);
  renameSync(folder, `${folder}.away`);
  const page = await served.text("/reports");
  expect(page).toMatch(/role="alert">left out: [^<]*is not a folder/);
  expect(page).toContain("/reports/denials_by_actor");
  expect((await served.get("/")).status).toBe(200);
});

it("shows the current events of the user's catalog", async () => {
  const extra = (event: string): string =>
    JSON.stringify({ area: "House", events: [{ event, columns: ["resource_id"] }] });
  home.write("extra.json", extra("house_event"));
  const catalog = { extra: join(home.folder, "extra.json") };
  const config = home.write("auditlake.json", JSON.stringify({ catalog }));
  await using served = await serving(home, "--config", config);
  expect(await served.text("/reference")).toContain("house_event");
  home.write("extra.json", extra("garden_event"));
  const page = await served.text("/reference");
  expect(page).toContain("garden_event");
  expect(page).not.toContain("house_event");
});

it("reports a failure of its port in one line, and continues to answer", async () => {
  const address = vi.spyOn(Server.prototype, "address");
  const stderr = new PassThrough();
  await using served = await serving({
    ...home,
    run: (argv, world) => home.run(argv, { ...world, stderr }),
  });
  const server = address.mock.contexts.at(-1) as Server;
  address.mockRestore();
  server.emit("error", new Error("accept EMFILE"));
  expect(String(stderr.read())).toMatch(/^warning: .*EMFILE/m);
  expect((await served.get("/")).status).toBe(200);
});
