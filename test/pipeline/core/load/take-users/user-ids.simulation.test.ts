import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventAt, hourMs, newRemote, type Remote } from "../../../../support/remote.ts";

// An id of a user that no column can store makes that directory unusable, not the run and not the rebuild.

const start = Date.UTC(2026, 2, 1);
const most = 2n ** 63n - 1n;
const usersWith = (id: bigint): object[] => [
  { id: "1", email: "one@example.com" },
  { id: String(id), email: "far@example.com" },
];

let remote: Remote;
beforeEach(async () => {
  remote = await newRemote(start);
});
afterEach(() => remote[Symbol.asyncDispose]());

const listStored = async (): Promise<unknown[]> =>
  (await remote.home.rows("select user_id from user_history order by user_id")).map(
    (row) => row["user_id"],
  );

it("the largest id that a column can store is stored, also by a rebuild", async () => {
  await remote.serve([eventAt(start - hourMs)], { users: usersWith(most) });
  expect((await remote.ingest()).code).toBe(0);
  expect(await listStored()).toEqual(["1", String(most)]);
  expect((await remote.home.run(["rebuild"])).code).toBe(0);
  expect(await listStored()).toEqual(["1", String(most)]);
});

it.each([most + 1n, -(2n ** 63n) - 1n, 10n ** 30n])(
  "a larger id causes a warning, and the log is read (%s)",
  async (id) => {
    await remote.serve([eventAt(start - hourMs)], { users: usersWith(id) });
    const { code, err } = await remote.ingest();
    expect([code, err]).toEqual([
      6,
      expect.stringMatching(
        /^warning: the user directory could not be read: .* not a user list; .* ids of at most 64 bits$/m,
      ),
    ]);
    expect(await remote.home.count("select count(*) from events")).toBe(1);
    expect((await remote.home.run(["rebuild"])).code).toBe(0);
    expect(await remote.home.count("select count(*) from events")).toBe(1);
  },
);

it("a stored list with such an id is skipped by the rebuild, with a warning", async () => {
  await remote.serve([eventAt(start - hourMs)], { users: usersWith(2n) });
  expect((await remote.ingest()).code).toBe(0);
  const path = join(remote.home.home, "landing/users/20260101000000000-default.json");
  const list = {
    source: "default",
    readAt: "2026-01-01 00:00:00.000",
    users: usersWith(most + 1n),
  };
  writeFileSync(path, JSON.stringify(list));
  const { code, err } = await remote.home.run(["rebuild"]);
  expect([code, err]).toEqual([
    0,
    expect.stringContaining(
      `warning: left out: user list ${path}: an id in it has more than 64 bits\n`,
    ),
  ]);
  expect(await listStored()).toEqual(["1", "2"]);
});
