import { expect, it } from "vitest";
import { startMessaging } from "../../../../../fixtures/destinations/messaging.ts";
import { newLedger } from "../../../../../pipeline/outgoing/targets/ledger.ts";
import { tryMessaging } from "../../../../../pipeline/adapters/destinations/messaging/destination.ts";
import { newTransport, usualTransport } from "../../../../../pipeline/base/http/transport.ts";
import { messaging } from "../../../../../schemas/connectors/messaging.ts";
import { testWorld } from "../../../../support/world.ts";
import { buildSettings, template } from "./setting.ts";

const whole = "the access token, the sending number";
const sent = "all valid; nothing was sent";

it.each<[change: object, found: string[] | RegExp]>([
  [{}, [`${whole}: ${sent}`]],
  [{ phone_number_id: "7009" }, /7009/],
  [{ account_id: "5001" }, [`${whole}: ${sent}`]],
  [
    { account_id: "5001", phone_number_id: "7009" },
    /^phone_number_id: account 5001 has no number with id 7009; it has 7001, 7002$/,
  ],
  [
    { account_id: "5001", send_by: "display_phone_number", phone_number: "+16315555551" },
    [`${whole}: ${sent}`],
  ],
  [template, [`${whole}, template denied: ${sent}`]],
  [
    { ...template, templates_path: null },
    [`${whole}: ${sent}`, expect.stringContaining("because templates_path is null") as string],
  ],
  [{ ...template, body_variables: "actor" }, /^body_variables: found 1; expected 2/],
])("the test of a target with %j reports what exists: %s", async (change, found) => {
  await using service = await startMessaging();
  const world = testWorld();
  await using http = newTransport(usualTransport, world);
  const given = { ...buildSettings(service), text_content: "hello", ...change };
  const target = { ...messaging.parse(given), name: "chat" };
  const context = {
    http,
    world,
    print: () => undefined,
    confirmed: false,
    deliveryId: "d",
    outbox: "/nowhere",
  };
  const tried = tryMessaging(target, {
    ...context,
    credential: () => service.token,
    ledger: newLedger(),
  });
  if (Array.isArray(found)) expect(await tried).toEqual(found);
  else await expect(tried).rejects.toThrow(found);
  expect(service.arrived()).toEqual([]);
});
