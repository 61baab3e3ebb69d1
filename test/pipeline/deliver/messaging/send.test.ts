import { expect, it } from "vitest";
import { newLedger } from "../../../../pipeline/deliver/ledger.ts";
import { rowsOf } from "../rows.ts";
import { newSetting, number } from "./setting.ts";

it("the ledger says of each row what became of its message, also of one that says the same", async () => {
  await using setting = await newSetting();
  setting.service.unreachable.add(number(2));
  setting.service.fault(({ body }) => (body.includes(number(3)) ? "lose" : undefined));
  const ledger = newLedger();
  const rows = [1, 2, 3, 1, 3, 4].map((n) => [number(n)]);
  await setting.deliver(rowsOf(["phone_number"], rows), {}, { ledger });
  const states = rows.map((_, at) => [ledger.stateOf(at + 1), ledger.whyOf(at + 1)]);
  const accepted = ["accepted", undefined];
  const lost = ["uncertain", expect.stringMatching(/^the service /)];
  expect(states).toEqual([
    accepted,
    ["refused", "the service answered 400 with code 131026"],
    lost,
    accepted,
    lost,
    accepted,
  ]);
});
