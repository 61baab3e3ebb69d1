import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import type { Call } from "../../../fixtures/destinations/destination.ts";
import {
  number,
  readRuns,
  toMarketingCloud,
  toMessaging,
} from "../../pipeline/cli/activate/setting.ts";
import type { TestHome } from "../../support/home.ts";

const numbers = (...wanted: number[]): string[] => wanted.map(number);

function nth(wanted: number, fits: (call: Call) => boolean): (call: Call) => boolean {
  let seen = 0;
  return (call) => fits(call) && (seen += 1) === wanted;
}

const sends = ({ method }: Call): boolean => method === "POST";
const looksUp = ({ method }: Call): boolean => method === "GET";

test("killed after a class was delivered and before the commit, an activation duplicates and skips nothing", async () => {
  const { denials, activate, killAt, reached, home } = await toMessaging("new", "unchanged");
  await denials(1, 2);
  expect((await activate()).code).toBe(0);
  await denials(3, 4);
  // The new ones are sent when the sender is looked up for the unchanged ones.
  await killAt(nth(2, looksUp), "reset");
  expect(reached().slice(2).toSorted()).toEqual(numbers(3, 4));

  const again = await activate();
  expect(again).toMatchObject({ code: 0 });
  expect(again.err).toContain("2 new, 0 updated, 0 deleted, 2 unchanged");
  expect(reached().slice(4).toSorted()).toEqual(numbers(1, 2));
  expect(await readRuns(home)).toMatchObject([
    { number: "1", outcome: "delivered" },
    { number: "2", outcome: "delivered", rows_new: "2", accepted: "4" },
  ]);
});

// Earlier versions kept the hashes of a delivery as texts.
async function asEarlier({ home }: TestHome): Promise<void> {
  const instance = await DuckDBInstance.create(join(home, "activations", "denied.duckdb"));
  const connection = await instance.connect();
  await connection.run("alter table begun_rows alter delta_hash type varchar");
  connection.closeSync();
  instance.closeSync();
}

test.each([
  ["after the message was taken", "lose", 2, false],
  ["before the message was taken", "reset", 1, false],
  ["after the message was taken, in an earlier version", "lose", 2, true],
] as const)(
  "killed %s, an activation reports it and resends only after the operator decides",
  async (_, fault, came, isEarlier) => {
    const { denials, activate, killAt, reached, home } = await toMessaging("new");
    await denials(1, 2, 3);
    await killAt(nth(2, sends), fault);
    expect(reached()).toHaveLength(came);
    if (isEarlier) await asEarlier(home);

    const again = await activate();
    expect(again.code).toBe(6);
    expect(again.err).toMatch(/warning: .*may have received their message.*; not resent/);
    expect(again.err).toContain("2 delivered, 1 uncertain");
    expect(again.err).toContain("--resend-uncertain resends rows that may have arrived");
    expect(reached()).toHaveLength(came + 1);

    expect((await activate("--resend-uncertain")).code).toBe(0);
    expect(reached()).toHaveLength(came + 2);
    expect(new Set(reached())).toEqual(new Set(numbers(1, 2, 3)));
    expect((await activate()).err).toContain("0 new, 0 updated, 0 deleted, 3 unchanged");
    expect(await readRuns(home)).toMatchObject([
      { number: "1", outcome: "partial", accepted: "2", doubtful: "1" },
      { number: "2", outcome: "delivered", accepted: "1", doubtful: "0" },
      { number: "3", outcome: "delivered", accepted: "0" },
    ]);
  },
);

test("killed after a marketing cloud accepted the rows, an activation delivers each once", async () => {
  const { denials, activate, killAt, actors, home } = await toMarketingCloud();
  await denials(1, 2);
  const carriesRows = ({ method, url }: Call): boolean =>
    method !== "GET" && /\/(rowset|rows)$/.test(url.pathname);
  await killAt(carriesRows, "lose");
  expect(actors()).toEqual(["user 1", "user 2"]);
  expect(await activate()).toMatchObject({ code: 0 });
  expect(actors()).toEqual(["user 1", "user 2"]);
  expect(await readRuns(home)).toMatchObject([
    { number: "1", outcome: "delivered", accepted: "2" },
  ]);
});
