import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, vi } from "vitest";
import { formatLines } from "../../../support/home.ts";
import { newHomeInBash, records } from "../../../support/home-in-bash.ts";
import { spawnCommand } from "../../../support/killed.ts";
import { enter, type Requests } from "../../../support/serve.ts";

const scene = newHomeInBash();

/** Starts `serve` on the home of the test in a process of its own. */
async function startServe(): Promise<Requests & AsyncDisposable> {
  const child = spawnCommand(["--home", scene.home.home, "serve"]);
  const [address] = (await once(child.stdout!, "data")) as [Buffer];
  return {
    ...(await enter(String(address).trim())),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

it.each(["does not exist", "is empty"])(
  "serve starts on a home that %s, and shows its first publication",
  async (state) => {
    const { home } = scene;
    if (state === "is empty") mkdirSync(home.home, { mode: 0o700 });
    await using served = await startServe();
    for (const path of ["/", "/findings", "/people/a@example.com"]) {
      const first = await served.get(path);
      expect([first.status, first.headers.get("refresh")]).toEqual([200, "5"]);
      const text = await first.text();
      expect(text).toContain("<h1>No events yet</h1>");
      for (const verb of ["init", "ingest", "import FILE"])
        expect(text).toContain(`<code>auditlake --home ${home.home} ${verb}</code>`);
      expect(text).toContain("<code>auditlake demo</code>");
    }
    const file = home.write("a.ndjson", formatLines(records(3)));
    const done = spawnCommand(["--home", home.home, "import", file]);
    expect(await once(done, "exit")).toEqual([0, null]);
    expect(await served.text("/events?since=2026-01-01&until=2026-01-02")).toContain("sign_in");
    expect((await served.get("/")).headers.get("refresh")).toBe(null);
  },
);

it("serve answers downloads and forms with 503 before the first publication", async () => {
  await using served = await startServe();
  expect((await served.get("/reports/denials_list/rows.csv")).status).toBe(503);
  expect((await served.get("/sql", { sql: "select 1" })).status).toBe(503);
});

it("serve names the run that works on the first publication", async () => {
  const requested = Promise.withResolvers<void>();
  const service = createServer(() => requested.resolve()).listen(0, "127.0.0.1");
  await once(service, "listening");
  const { port } = service.address() as AddressInfo;
  const ingest = spawnCommand(["--home", scene.home.home, "ingest"], {
    AUDITLAKE_API_KEY: "key",
    AUDITLAKE_BASE_URL: `http://127.0.0.1:${port}`,
  });
  await requested.promise;
  await using served = await startServe();
  expect(await served.text("/")).toContain("<code>auditlake ingest</code> is writing to");
  ingest.kill("SIGKILL");
  await vi.waitUntil(async () => (await served.text("/")).includes("Nothing is published"), 10_000);
  service.closeAllConnections();
  service.close();
});
