import { formatNotice } from "../../../../pipeline/base/notice/notice.ts";
import { expect, it } from "vitest";
import { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import { resolveHome } from "../../../../pipeline/base/home/layout.ts";
import { loadUsers } from "../../../../pipeline/core/ingest/prepare-run.ts";
import type { SourceRun } from "../../../../pipeline/core/ingest/plan.ts";
import { landUsers } from "../../../../pipeline/core/landing/documents.ts";
import { ClockError } from "../../../../pipeline/core/source/clock.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { inWarehouse } from "../../../queries/timeline/ledger.ts";
import { homeWithWarehouse } from "../../../support/home.ts";
import { testWorld } from "../../../support/world.ts";

const refused = new AuditlakeError("answered 403");

it("the user list of a killed run is stored, even if the directory cannot be read now", async () => {
  using home = await homeWithWarehouse();
  const source = configSchema.parse({ sources: { default: {} } }).sources["default"]!;
  const users = [{ id: 7n, email: "jo@example.com" }];
  await landUsers(resolveHome(home.home).landing, {
    source: "default",
    readAt: "2026-03-01 00:00:00.000",
    users,
  });
  await inWarehouse(home, async (connection) => {
    const load = async (fault: Error, signal?: AbortSignal): Promise<string | undefined> => {
      const { error } = await loadUsers(
        {
          client: { get: () => Promise.reject(fault) },
          settings: { home: resolveHome(home.home) },
          source: { ...source, name: "default" },
          writer: { database: { connection } },
          world: testWorld(signal && { signal }),
        } as unknown as SourceRun,
        () => undefined,
      );
      return error && formatNotice(error);
    };
    const listStored = async (): Promise<number> =>
      (await connection.runAndReadAll("from user_history")).currentRowCount;
    expect([await load(refused, AbortSignal.abort()), await listStored()]).toEqual([undefined, 0]);
    expect([await load(refused), await listStored()]).toEqual([
      "the user directory could not be read: answered 403",
      1,
    ]);
    // A wrong clock, and a bug of the program, are not faults of the directory.
    for (const fault of [new ClockError("off"), new Error("broken")])
      await expect(load(fault)).rejects.toBe(fault);
  });
});
