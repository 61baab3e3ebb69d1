import { expect, it } from "vitest";
import { eventAt, hourMs, newRemote } from "../../support/remote.ts";

it("no coverage gap is reported before a backfill of future times", async () => {
  const start = Date.UTC(2026, 2, 1);
  await using remote = await newRemote(start + 2 * hourMs);
  await remote.serve([eventAt(start - hourMs)]);
  await remote.ingest();
  const { err } = await remote.ingest(["--from", "2030-01-01", "--to", "2030-01-02"]);
  expect(err).not.toContain("gap");
  expect((await remote.home.run(["status"])).out).toMatch(/gaps +none/);
});
