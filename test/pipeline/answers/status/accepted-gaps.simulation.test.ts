import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { dayMs, eventAt, hourMs, newRemote, type Remote } from "../../../support/remote.ts";

const start = Date.UTC(2026, 2, 6);
let remote: Remote;
beforeEach(async () => {
  retention = "3d";
  remote = await newRemote(start + 2 * hourMs);
  await remote.serve(
    Array.from({ length: 20 }, (_, i) => eventAt(start - dayMs + i * 12 * hourMs)),
  );
});
afterEach(() => remote[Symbol.asyncDispose]());

let retention: string;
async function cli(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const config = { sources: { prod: { retention } } };
  const AUDITLAKE_CONFIG = remote.home.write("c.json", JSON.stringify(config));
  const env = { ...remote.env(), AUDITLAKE_CONFIG };
  return remote.home.run(argv, { env, now: () => remote.clock.nowMs });
}
const status = (): ReturnType<typeof cli> => cli("status", "--fail-on", "gaps");
const accept = (from: string, to: string): ReturnType<typeof cli> =>
  cli("ingest", "accept", "--from", from, "--to", to, "--reason", "checked");

it("a coverage gap that the service deleted before it was read ends only when the operator accepts it", async () => {
  await cli("ingest");
  // Six runs are missed, of which the service has deleted three.
  remote.clock.nowMs += 6 * dayMs;
  await cli("ingest");
  const lost = await status();
  expect([lost.code, lost.out]).toEqual([
    3,
    expect.stringContaining("2026-03-06 02:00:00 to 2026-03-09 02:00:00 (lost)"),
  ]);
  await accept("2026-03-06", "2026-03-08");
  expect((await status()).out).toContain("2026-03-08 00:00:00 to 2026-03-09 02:00:00 (lost)");
  await accept("2026-03-08", "2026-03-10");
  // These two days were read, and left the scheduled range without being final.
  expect((await status()).out).toMatch(/gaps +2026-03-04 00:00:00 to 2026-03-06 00:00:00\n/);
  await accept("2026-03-04", "2026-03-06");
  const accepted = await status();
  expect([accepted.code, accepted.out]).toEqual([0, expect.stringMatching(/gaps +none/)]);
  expect(accepted.out).not.toContain("not read within");
});

it("a retention that is shortened later causes no warning, and what it reports as lost can be accepted", async () => {
  retention = "30d";
  await cli("ingest");
  remote.clock.nowMs += 6 * dayMs;
  for (let run = 0; run < 2; run++) {
    await cli("ingest");
    remote.clock.nowMs += dayMs;
  }
  expect((await status()).code).toBe(0);
  retention = "3d";
  const lost = await status();
  expect([lost.code, lost.out.replaceAll(/\s+/g, " ")]).toEqual([
    3,
    expect.stringContaining(
      "not read within sources.prod.retention: 2026-03-06T02:00:00Z to 2026-03-09T02:00:00Z; events of that time may be lost; if you know that the data is complete, run auditlake ingest accept",
    ),
  ]);
  const { err } = await accept("2026-03-05", "2026-03-10");
  expect(err).toBe("accepted 2026-03-06T02:00:00Z to 2026-03-09T02:00:00Z\n");
  expect((await status()).code).toBe(0);
});

it("nothing is accepted of a source that was never read, and no home is created for it", async () => {
  const unknown = await accept("2026-01-01", "2026-01-02");
  expect(unknown).toMatchObject({
    code: 2,
    err: expect.stringContaining("no data of source prod"),
  });
  const nowhere = join(remote.home.folder, "nowhere");
  const argv = ["ingest", "accept", "--from", "2026-01-01", "--to", "2026-01-02", "--reason", "x"];
  const outcome = await remote.home.run(["--home", nowhere, ...argv]);
  expect(outcome).toMatchObject({
    code: 1,
    err: expect.stringMatching(/the home .* does not exist/),
  });
  expect(existsSync(nowhere)).toBe(false);
});

it("a range accepted before the first run leaves no coverage gap up to it", async () => {
  await cli("ingest");
  expect((await accept("2026-01-01", "2026-01-02")).code).toBe(0);
  expect((await status()).code).toBe(0);
});
