import { describe, expect, it } from "vitest";
import { newJsonReply } from "../../../../../../fixtures/destinations/destination.ts";
import { DeliveryError } from "../../../../../../pipeline/outgoing/targets/error.ts";
import { atMessages, newSetting, number, people } from "../setting.ts";

function newCoded(status: number, code: number, headers: Record<string, string> = {}) {
  return newJsonReply(
    status,
    { error: { code, message: "SECRET text", type: "OAuthException" } },
    headers,
  );
}

async function failure(promise: Promise<unknown>): Promise<Error & { exitCode?: number }> {
  return promise.then(
    () => new Error("it did not fail"),
    (error: Error) => error,
  );
}

const numbers = (...wanted: number[]): string[] => wanted.map(number);

describe("the code of an error decides", () => {
  it.each([
    [400, 130429],
    [429, 80007],
    [500, 131016],
    [403, 4],
  ])(
    "%i with code %i: a rate limit is awaited and the message sent again",
    async (status, code) => {
      await using setting = await newSetting();
      setting.service.fault(atMessages([2, 3], newCoded(status, code)));
      expect(await setting.deliver(people(3))).toMatchObject({ accepted: 3, outcome: "delivered" });
      expect(setting.reached()).toEqual(numbers(1, 2, 3));
      expect(setting.sleeps).toHaveLength(2);
    },
  );

  it("Retry-After sets the wait", async () => {
    await using setting = await newSetting();
    setting.service.fault(atMessages([1], newCoded(400, 130429, { "retry-after": "17" })));
    await setting.deliver(people(1));
    expect(setting.sleeps).toEqual([17_000]);
  });

  it("Retry-After of hours is not awaited", async () => {
    await using setting = await newSetting();
    setting.service.fault(atMessages([2], newCoded(400, 130429, { "retry-after": "7200" })));
    const error = await failure(setting.deliver(people(2)));
    expect(error.message).toMatch(/code 130429, retry after 7200 s; 1 row sent, 1 not sent/);
    expect(setting.sleeps).toEqual([]);
  });

  it("a rate limit that never ends stops the delivery, and unsent messages are not uncertain", async () => {
    await using setting = await newSetting();
    setting.service.fault((call) =>
      call.body.includes(number(2)) ? newCoded(400, 130429) : undefined,
    );
    const error = await failure(setting.deliver(people(3)));
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error.message).toMatch(/code 130429 9 times; 1 row sent, 2 not sent/);
    expect(Math.max(...setting.sleeps)).toBe(60_000);
    setting.service.fault(undefined);
    await setting.deliver(people(3));
    expect(setting.reached()).toEqual(numbers(1, 2, 3));
  });

  it("a fault of one recipient is reported and counted, and the others get their messages", async () => {
    await using setting = await newSetting();
    setting.service.unreachable.add(number(2));
    const delivery = await setting.deliver(people(3));
    expect(delivery).toMatchObject({ accepted: 2, refused: 1, outcome: "partial" });
    expect(setting.reached()).toEqual(numbers(1, 3));
    expect(setting.printed).toEqual([
      "warning: chat: row 2 (…0002) gets no message: the service answered 400 with code 131026",
    ]);
  });

  it.each([190, 10, 200])("code %i: a refused token sends nothing, exit code 4", async (code) => {
    await using setting = await newSetting();
    setting.service.fault(atMessages([1], newCoded(401, code)));
    const error = await failure(setting.deliver(people(3)));
    expect(error).toMatchObject({ exitCode: 4 });
    expect(error.message).toMatch(/nothing was sent; check access_token$/);
    expect(error.message).not.toContain("SECRET");
    expect(setting.reached()).toEqual([]);
  });

  it.each([368, 131042, 132015])(
    "code %i stops the delivery, since no recipient would get a message",
    async (code) => {
      await using setting = await newSetting();
      setting.service.fault(atMessages([2], newCoded(400, code)));
      const error = await failure(setting.deliver(people(4)));
      expect(error).toMatchObject({ exitCode: 6 });
      expect(error.message).toMatch(/1 row sent, 3 not sent/);
      expect(setting.service.calls).toHaveLength(2);
    },
  );

  it.each([300, 307])(
    "a redirect (%i) is not followed, regardless of its target",
    async (status) => {
      await using setting = await newSetting();
      const headers = { location: "https://elsewhere.example/" };
      const body = '{"messages":[{"id":"wamid.1"}]}';
      setting.service.fault(atMessages([1], { status, headers, body }));
      expect((await failure(setting.deliver(people(1)))).message).toContain(
        `answered ${status}; nothing was sent`,
      );
    },
  );
});

describe("a lost answer", () => {
  it.each([
    "lose",
    "hang",
    { status: 502, body: "<html>bad gateway</html>" },
    { status: 200, body: '{"messages":[]}' },
    { status: 200, body: '{"mess' },
  ] as const)("%j is never resent automatically, and causes a prominent warning", async (fault) => {
    await using setting = await newSetting();
    setting.service.fault(atMessages([2], fault));
    const delivery = await setting.deliver(people(3));
    expect(delivery).toMatchObject({ accepted: 2, refused: 0, uncertain: 1, outcome: "partial" });
    const tries = setting.service.calls.filter(({ body }) => body.includes(number(2)));
    expect(tries).toHaveLength(1);
    expect(setting.printed).toEqual([
      expect.stringMatching(
        /^warning: chat: row 2 \(…0002\) may have received its message: .*; auditlake does not resend it without --resend-uncertain$/,
      ),
    ]);
  });

  it("three times in a row stops the delivery", async () => {
    await using setting = await newSetting();
    setting.service.fault(atMessages([2, 3, 4], "lose"));
    const error = await failure(setting.deliver(people(6)));
    expect(error.message).toMatch(
      /no answer to 3 messages in a row; 1 row sent, 3 rows uncertain, 2 not sent/,
    );
    // Lost were the answers, not the messages: a second try would have doubled them.
    expect(setting.reached()).toEqual(numbers(1, 2, 3, 4));
  });

  it("is not assumed if the service is unreachable", async () => {
    await using setting = await newSetting();
    await setting.service[Symbol.asyncDispose]();
    const error = await failure(setting.deliver(people(2)));
    expect(error.message).toMatch(/ECONNREFUSED.*; nothing was sent$/);
  });
});

it("an interruption between two messages ends the delivery with exit code 130", async () => {
  await using setting = await newSetting();
  const controller = new AbortController();
  setting.service.fault((call) => {
    if (call.body.includes(number(2))) controller.abort();
    return undefined;
  });
  const error = await failure(setting.deliver(people(4), {}, { signal: controller.signal }));
  expect(error).toMatchObject({ exitCode: 130 });
  expect(error.message).toMatch(/interrupted; 2 rows sent, 2 not sent/);
  await setting.deliver(people(4));
  expect(setting.reached()).toEqual(numbers(1, 2, 3, 4));
});
