import { expect, it } from "vitest";
import { newJsonReply } from "../../../../../fixtures/destinations/destination.ts";
import { newSetting, people, sends } from "./setting.ts";

const displayed = {
  send_by: "display_phone_number",
  phone_number_id: undefined,
  account_id: "5001",
  phone_number: "+1 631-555-5550",
};
const newCoded = (status: number, code: number) => newJsonReply(status, { error: { code } });

it.each([
  [newJsonReply(200, {}), 1, "answered 200; expected a list under data; nothing was sent"],
  [
    newJsonReply(200, { data: [{}] }),
    1,
    "answered 200; expected a list under data; nothing was sent",
  ],
  [{ status: 200, body: "<html>" }, 1, "answered 200; expected a list under data; nothing"],
  [
    newCoded(404, 100),
    1,
    "answered 404 with code 100; expected a list under data; nothing was sent",
  ],
  [
    newCoded(401, 190),
    4,
    "answered 401 with code 190; expected a list under data; check access_token",
  ],
])("numbers that cannot be looked up are reported: %j", async (fault, exitCode, said) => {
  await using setting = await newSetting();
  setting.service.fault(({ url }) => (url.pathname.endsWith("phone_numbers") ? fault : undefined));
  await expect(setting.deliver(people(1), displayed)).rejects.toMatchObject({
    exitCode,
    message: expect.stringContaining(`GET …/phone_numbers: the service ${said}`),
  });
  expect(setting.service.calls.filter(sends)).toEqual([]);
});
