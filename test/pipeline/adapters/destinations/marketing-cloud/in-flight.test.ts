import { expect, it } from "vitest";
import { inFlightOf } from "../../../../../pipeline/adapters/destinations/marketing-cloud/in-flight.ts";
import { newLedger } from "../../../../../pipeline/work/targets/ledger.ts";

it("knows which rows an earlier process left on their way, until what became of them is known", async () => {
  const ledger = newLedger();
  const uncertain = (): number[] => {
    const { isUncertain } = inFlightOf(ledger);
    return Array.from({ length: 12 }, (_, row) => row).filter(isUncertain);
  };
  const first = inFlightOf(ledger);
  await first.begin([2, 3, 4, 9]);
  expect(first.isUncertain(3)).toBe(false);
  expect(uncertain()).toEqual([2, 3, 4, 9]);
  await first.end([3], "answered");
  await first.end([9], "unsent");
  expect(uncertain()).toEqual([2, 4]);
  const second = inFlightOf(ledger);
  await second.begin([4, 11]);
  await second.end([4], "unsent");
  await second.end([2], "answered");
  expect([2, 4].map(second.isUncertain)).toEqual([false, true]);
  expect(uncertain()).toEqual([4, 11]);
});
