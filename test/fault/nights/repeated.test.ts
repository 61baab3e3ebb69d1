import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { logged, type AuditRecord } from "../../../fixtures/record.ts";
import { hourMs, newRemote, type Remote } from "../../support/remote.ts";

describe("a window that is read again", () => {
  const start = Date.UTC(2026, 2, 1);
  const event = (name: string, hour: number, id?: string) =>
    logged({
      time: (start + hour * hourMs) / 1000,
      event_name: name,
      ...(id === undefined ? {} : { id }),
    } as AuditRecord);
  let remote: Remote;
  beforeEach(async () => {
    remote = await newRemote(start + 12 * hourMs);
  });
  afterEach(() => remote[Symbol.asyncDispose]());
  const audits = { paging: { size: 2 } };
  const cli = (...argv: string[]) => {
    const config = remote.home.write("c.json", JSON.stringify({ sources: { a: { audits } } }));
    const world = { env: remote.env(), now: () => remote.clock.nowMs };
    return remote.home.run(["--config", config, "--source", "a", ...argv], world);
  };

  it("says no more than before where the service has forgotten its beginning", async () => {
    const late = event("z", 3, "3");
    await remote.serve([event("x", 1, "1"), event("y", 2, "2"), late]);
    await cli("ingest");
    remote.clock.nowMs = start + 26 * hourMs;
    await remote.serve([late]);
    for (let night = 0; night < 3; night++) expect((await cli("ingest")).code).toBe(0);
    const reads = await remote.home.rows(
      "select state, reason, neutral from window_reads where window_start = '2026-03-01' order by read_at, read_id",
    );
    expect(reads[0]).toMatchObject({ state: "open", neutral: false });
    expect(reads.length).toBeGreaterThan(3);
    for (const read of reads.slice(1))
      expect(read).toEqual({ state: "closed", reason: "forgotten", neutral: true });
  });
});
