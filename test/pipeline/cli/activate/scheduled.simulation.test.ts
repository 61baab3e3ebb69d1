import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TestHome } from "../../../support/home.ts";
import { number, readRuns, toMarketingCloud, toMessaging } from "./setting.ts";

const numbers = (...wanted: number[]): string[] => wanted.map(number);
const run = (n: number, outcome: string, ...[rows_new, accepted, refused, doubtful]: number[]) => ({
  number: String(n),
  outcome,
  rows_new: String(rows_new),
  accepted: String(accepted),
  refused: String(refused),
  doubtful: String(doubtful),
});

test("denials new since yesterday go to a channel", async () => {
  const { denials, activate, reached, service, home } = await toMessaging("new");
  await denials(1, 2);
  expect((await activate()).code).toBe(0);
  expect(reached().toSorted()).toEqual(numbers(1, 2));

  await denials(3, 1);
  const second = await activate();
  expect(second.err).toContain("2 new, 0 updated, 0 deleted, 2 unchanged");
  // Who was denied again hears of it again.
  expect(reached().slice(2).toSorted()).toEqual(numbers(1, 3));

  expect((await activate()).err).toContain("0 new, 0 updated, 0 deleted, 4 unchanged");
  expect(service.arrived()).toHaveLength(4);
  expect(await readRuns(home)).toEqual([
    run(1, "delivered", 2, 2, 0, 0),
    run(2, "delivered", 2, 2, 0, 0),
    run(3, "delivered", 0, 0, 0, 0),
  ]);
});

// Seed 002, C, rule 5: what is set in the connector for a class is what arrives.
test("the field of each class is set in the connector", async () => {
  const { denials, activate, service } = await toMessaging("unchanged", "new");
  await denials(1);
  await activate();
  await denials(2);
  await activate();
  expect(service.arrived().map(({ to, text }) => [to, text])).toEqual([
    [number(1), "new denial"],
    [number(2), "new denial"],
    [number(1), "unchanged denial"],
  ]);
});

test("a row that can never be delivered is reported, and delays no other run", async () => {
  const { denials, activate, reached, home } = await toMessaging("new");
  await denials(1, 99);
  const first = await activate();
  expect(first.code).toBe(6);
  expect(first.err).toMatch(/^warning: new "[0-9a-f]{32}" refused: no valid phone number/m);
  expect(first.err).toContain("1 delivered, 1 refused\nfailed rows are recorded in refused_rows");
  expect(reached()).toEqual(numbers(1));

  await denials(2);
  const second = await activate();
  expect(second.code).toBe(0);
  expect(second.err).toContain("1 row not sent, because earlier deliveries failed");
  // Each run has its own record of sends: recipients of a message also get a new one.
  await denials(1);
  expect((await activate()).code).toBe(0);
  expect(reached()).toEqual(numbers(1, 2, 1));

  expect((await activate("--retry-refused")).code).toBe(6);
  expect(await refusedIn(home)).toEqual([
    { delta_status: "new", state: "refused", tries: "2", reason: noNumber, delivery: "denied-4" },
  ]);
  const accepted = await activate("--accept-refused");
  expect(accepted).toMatchObject({
    code: 0,
    err: "denied: 1 row given up; nothing was delivered\n",
  });
  expect((await activate("--retry-refused")).code).toBe(0);
  expect(await refusedIn(home)).toMatchObject([{ state: "given_up", tries: "2" }]);
  expect(reached()).toEqual(numbers(1, 2, 1));
  expect(await readRuns(home)).toEqual([
    run(1, "partial", 2, 1, 1, 0),
    run(2, "delivered", 2, 1, 0, 0),
    run(3, "delivered", 2, 1, 0, 0),
    run(4, "partial", 1, 0, 1, 0),
    run(5, "delivered", 1, 0, 0, 0),
  ]);
});

test("undelivered rows are counted also after they left the source or changed", async () => {
  const { denials, activate, home } = await toMessaging("new");
  for (const users of [[99], [99, 1], [99], [99]]) await denials(...users);
  expect((await activate()).err).toContain("1 delivered, 4 refused\n");
  const before = readFileSync(join(home.folder, "queries/denied.sql"), "utf8");
  // The first is missing, the second has another actor, the others are unchanged.
  const day = (n: number): string => `date '2026-03-0${n + 1}'`;
  const second = `event_time between ${day(1)} and ${day(2)} and user_id = 99`;
  const after = before
    .replace("'user ' || user_id", `case when ${second} then 'another' else 'user ' || user_id end`)
    .replace("from denials", `from denials where event_time > ${day(1)}`);
  home.write("queries/denied.sql", after);
  const { code, err } = await activate();
  expect([code, err]).toEqual([
    6,
    expect.stringContaining("2 rows not sent, because earlier deliveries failed"),
  ]);
  expect(err).toContain("1 row undelivered before and changed since then");
  expect(err).toContain("1 row undelivered before and no longer in the source");
});

const noNumber = "no valid phone number with its country code";

function refusedIn(home: TestHome) {
  return home.rows(
    "select delta_status, state, tries, reason, delivery from refused_rows order by all",
  );
}

test("only new rows are sent into a marketing cloud, and a failure is repeated", async () => {
  const { denials, activate, actors, account } = await toMarketingCloud({
    continue_on_failure: false,
  });
  await denials(1, 2);
  expect((await activate()).code).toBe(0);
  expect(actors()).toEqual(["user 1", "user 2"]);

  await denials(3);
  account.fault(({ url }) => (/rowset|rows$/.test(url.pathname) ? { status: 400 } : undefined));
  expect((await activate()).code).not.toBe(0);
  account.fault(undefined);
  expect(actors()).toEqual(["user 1", "user 2"]);

  const before = account.calls.length;
  const again = await activate();
  expect(again).toMatchObject({ code: 0 });
  expect(actors()).toEqual(["user 1", "user 2", "user 3"]);
  const sent = account.calls.slice(before).map(({ body }) => body);
  expect(sent.join("\n")).not.toContain("user 1");
});

// Seed 002, C, rule 7.
test("a connection that is not stored is found before anything is compared or sent", async () => {
  const { denials, activate, home, service } = await toMessaging("new");
  await denials(1);
  const { code, err } = await home.run(
    ["--config", `${home.folder}/auditlake.json`, "activate", "denied"],
    { env: { AUDITLAKE_QUERIES: `${home.folder}/queries` } },
  );
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^error: .*stored.*empty/) });
  expect(service.calls).toEqual([]);
  expect((await activate("--dry-run")).err).toContain("all new: first run");
});
