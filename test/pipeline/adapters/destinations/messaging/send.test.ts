import { expect, it } from "vitest";
import { startMessaging } from "../../../../../fixtures/destinations/messaging.ts";
import { newLedger, type Ledger } from "../../../../../pipeline/outgoing/targets/ledger.ts";
import type { DeliveryContext } from "../../../../../pipeline/outgoing/targets/destination.ts";
import type { Recipient } from "../../../../../pipeline/adapters/destinations/messaging/recipients.ts";
import { sendAll } from "../../../../../pipeline/adapters/destinations/messaging/send.ts";
import { newSession } from "../../../../../pipeline/adapters/destinations/messaging/session.ts";
import { newTransport, usualTransport } from "../../../../../pipeline/base/http/transport.ts";
import { messaging } from "../../../../../schemas/connectors/messaging.ts";
import { testWorld } from "../../../../support/world.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";
import { newSetting, number, buildSettings } from "./setting.ts";

/** A delivery log on a disk with space for this number of entries. */
function fullAfter(limit: number): Ledger {
  let left = limit;
  return newLedger([], async () => {
    await Promise.resolve();
    if ((left -= 1) < 0) throw new Error("ENOSPC: no space left");
  });
}

it.each([
  [0, [], /failed: the record of sends cannot be written \(ENOSPC.*; nothing was sent$/],
  [1, [1], /stopped: .*ENOSPC.*; 0 rows sent, 1 row uncertain, 2 not sent/],
  [2, [1], /stopped: .*ENOSPC.*; 1 row sent, 2 not sent/],
  [3, [1, 2], /stopped: .*ENOSPC.*; 1 row sent, 1 row uncertain, 1 not sent/],
])(
  "a disk that is full after %i records sends no message without its record",
  async (limit, sent, expected) => {
    await using service = await startMessaging();
    const target = { ...messaging.parse(buildSettings(service)), name: "chat" };
    const world = testWorld();
    await using http = newTransport(usualTransport, world);
    const context = {
      http,
      world,
      credential: () => service.token,
      print: () => undefined,
      confirmed: false,
      deliveryId: "d1",
      outbox: "/nowhere",
      ledger: fullAfter(limit),
    } satisfies DeliveryContext;
    const todo = [1, 2, 3].map((row): Recipient => ({
      row,
      alike: [],
      phone: number(row),
      header: undefined,
      body: [],
    }));
    const session = newSession(target, context);
    const noCounts = { accepted: 0, refused: 0, uncertain: 0 };
    const send = (message: string) => session.send("7001", message);
    const sending = { target, send, context };
    const failed = sendAll(todo, noCounts, sending);
    await expect(failed).rejects.toThrow(expected);
    expect(service.arrived().map(({ to }) => to)).toEqual(sent.map(number));
  },
);

it("the ledger records the status of each row's message, also of one with the same text", async () => {
  await using setting = await newSetting();
  setting.service.unreachable.add(number(2));
  setting.service.fault(({ body }) => (body.includes(number(3)) ? "lose" : undefined));
  const ledger = newLedger();
  const rows = [1, 2, 3, 1, 3, 4].map((n) => [number(n)]);
  await setting.deliver(listRows(["phone_number"], rows), {}, { ledger });
  const states = rows.map((_, at) => [ledger.getState(at + 1), ledger.getReason(at + 1)]);
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
