import { readdirSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import type { TestHome } from "../../support/home.ts";
import { number, toMessaging } from "../../pipeline/cli/activate/setting.ts";

const numbers = (...wanted: number[]): string[] => wanted.map(number);
function refusedIn(home: TestHome) {
  return home.rows(
    "select delta_status, state, tries, reason, delivery from refused_rows order by all",
  );
}

test("a number that is refused for one run's message still gets the next one", async () => {
  const { denials, activate, reached, service, home } = await toMessaging("new");
  service.unreachable.add(number(1));
  await denials(1, 2);
  expect((await activate()).code).toBe(6);
  service.unreachable.clear();
  await denials(1);
  expect((await activate()).code).toBe(0);
  expect(reached()).toEqual(numbers(2, 1));
  expect((await activate("--retry-refused")).code).toBe(0);
  expect(reached()).toEqual(numbers(2, 1, 1));
  expect(await refusedIn(home)).toEqual([]);
});

// A lost state starts to count again: a remaining delivery log would suppress messages.
test("the stored rows of a delivery are deleted when it ends", async () => {
  const { denials, activate, reached, home } = await toMessaging("new");
  const listKept = () =>
    readdirSync(`${home.home}/outbox/activation-denied`).filter((name) =>
      /\.(ndjson|rows|ledger)$/.test(name),
    );
  await denials(1, 99);
  await activate();
  expect(listKept()).toEqual([]);
  rmSync(`${home.home}/activations/denied.duckdb`);
  await activate();
  expect(reached()).toEqual(numbers(1, 1));
});

test("two rows with equal text for a number are one message, which is reported without a refusal", async () => {
  const { denials, activate, reached } = await toMessaging("new");
  await denials(1);
  await denials(1, 2);
  const { code, err } = await activate();
  expect(code).toBe(0);
  expect(err).toMatch(/^1 row with the same number and message as an earlier one, sent once: /m);
  expect(reached().toSorted()).toEqual(numbers(1, 2));
  expect((await activate()).err).toContain("0 new, 0 updated, 0 deleted, 3 unchanged");
});
