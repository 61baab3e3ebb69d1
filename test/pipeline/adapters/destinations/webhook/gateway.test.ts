import { describe, expect, it, onTestFinished } from "vitest";
import { startDestination } from "../../../../../fixtures/destinations/destination.ts";
import { DeliveryError } from "../../../../../pipeline/outgoing/targets/error.ts";
import { newSetting, people, times, type Setting } from "./setting.ts";

const failing = [500, 502, 503, 504];
const perhaps = /0 rows sent, 2 rows uncertain, 1 not sent/;

function listIds({ receiver }: Setting): unknown[] {
  return receiver.calls.map(({ headers }) => headers["webhook-id"]);
}

describe("a batch that the receiver accepted, but the gateway answered with an error", () => {
  it.each(failing)("%i each time, is uncertain, and is resent under its id", async (gateway) => {
    await using setting = await newSetting();
    setting.receiver.fault(() => ({ gateway }));
    const broken = setting.deliver(people(3), {}, "kept");
    await expect(broken).rejects.toThrow(DeliveryError);
    await expect(broken).rejects.toMatchObject({
      exitCode: 6,
      message: expect.stringMatching(perhaps),
    });
    setting.receiver.fault(undefined);
    expect(await setting.deliver(people(3), {}, "kept")).toMatchObject({ outcome: "delivered" });
    expect(setting.receiver.rows()).toHaveLength(3);
    expect(new Set(listIds(setting)).size).toBe(2);
  });

  it.each([
    [503, 409],
    [504, 422],
  ])("%i, perhaps arrived when a later try is answered %i", async (gateway, toTaken) => {
    await using setting = await newSetting(undefined, toTaken);
    setting.receiver.fault(times(1, { gateway }));
    const went = { accepted: 1, refused: 0, uncertain: 2, outcome: "partial" };
    expect(await setting.deliver(people(3))).toMatchObject(went);
    expect(setting.receiver.rows()).toHaveLength(3);
  });

  it.each([409, 422])("504, perhaps arrived when the next run is answered %i", async (toTaken) => {
    await using setting = await newSetting(undefined, toTaken);
    setting.receiver.fault(() => ({ gateway: 504 }));
    const one = { requests: { tries: 1 } };
    await setting.deliver(people(3), one, "kept").catch(() => undefined);
    setting.receiver.fault(undefined);
    const went = { accepted: 1, refused: 0, uncertain: 2, outcome: "partial" };
    expect(await setting.deliver(people(3), one, "kept")).toMatchObject(went);
  });
});

it.each(failing)(
  "a message that a chat answered with %i is resent on request only",
  async (status) => {
    await using setting = await newSetting();
    const answer = { status };
    const chat = await startDestination(() => answer);
    onTestFinished(() => chat[Symbol.asyncDispose]());
    const toChat = { url: chat.url, body: "text", secret: undefined };
    const post = (resendUncertain = false): ReturnType<Setting["deliver"]> =>
      setting.deliver(people(1), toChat, "kept", undefined, { resendUncertain });
    await expect(post()).rejects.toThrow(
      `answered ${status}; 0 rows sent, 1 row uncertain, 0 not sent`,
    );
    answer.status = 200;
    expect(await post()).toMatchObject({ accepted: 0, uncertain: 1, outcome: "partial" });
    expect(chat.calls).toHaveLength(1);
    expect(await post(true)).toMatchObject({ accepted: 1, uncertain: 0, outcome: "delivered" });
    expect(chat.calls).toHaveLength(2);
  },
);
