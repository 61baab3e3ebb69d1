import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, vi } from "vitest";
import { putWarehouse } from "../../../support/empty-warehouse.ts";
import { newHomeInBash, records } from "../../../support/home-in-bash.ts";
import { spawnCommand } from "../../../support/killed.ts";
import { serving } from "../../../support/serve.ts";

const scene = newHomeInBash();

it.each(["does not exist", "is empty"])(
  "serve starts on a home that %s, and shows its first publication",
  async (state) => {
    const { home } = scene;
    if (state === "is empty") mkdirSync(home.home, { mode: 0o700 });
    await using served = await serving(scene.home);
    for (const path of ["/", "/findings", "/people/a@example.com"]) {
      const first = await served.get(path);
      expect([first.status, first.headers.get("refresh")]).toEqual([200, "5"]);
      const text = await first.text();
      expect(text).toContain("<h1>No events yet</h1>");
      for (const verb of ["init", "ingest", "import FILE"])
        expect(text).toContain(`<code>auditlake ${verb}</code>`);
      expect(text).toContain("<code>auditlake demo</code>");
    }
    await putWarehouse(home.home);
    expect(await home.load(records(3))).toMatchObject({ code: 0 });
    expect(await served.text("/events?since=2026-01-01&until=2026-01-02")).toContain("sign_in");
    expect((await served.get("/")).headers.get("refresh")).toBe(null);
  },
);

it("serve answers downloads and forms with 503 before the first publication", async () => {
  await using served = await serving(scene.home);
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
  await using served = await serving(scene.home);
  expect(await served.text("/")).toContain("<code>auditlake ingest</code> is writing to");
  ingest.kill("SIGKILL");
  await vi.waitUntil(async () => (await served.text("/")).includes("Nothing is published"), 10_000);
  service.closeAllConnections();
  service.close();
});
