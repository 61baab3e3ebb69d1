import { DuckDBConnection } from "@duckdb/node-api";
import { expect, it, vi } from "vitest";
import { homeWithWarehouse } from "../../../support/home.ts";

it("one event is loaded with few statements: each takes a moment to plan, for any number of rows", async () => {
  using home = await homeWithWarehouse();
  const run = vi.spyOn(DuckDBConnection.prototype, "run");
  try {
    const event = { time: 1_767_225_600, event_name: "sign_in", user_id: 5 };
    expect(await home.load([event])).toMatchObject({ code: 0 });
    expect(run.mock.calls.length).toBeGreaterThan(15);
    expect(run.mock.calls.length).toBeLessThanOrEqual(36);
  } finally {
    run.mockRestore();
  }
});
