import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeliveryError } from "../../../../../pipeline/outgoing/targets/error.ts";
import { signMessage } from "../../../../../pipeline/adapters/destinations/webhook/request.ts";
import { newSetting, people, times } from "./setting.ts";

describe("webhook", () => {
  it("sends rows as JSON in batches, and marks the last one", async () => {
    await using setting = await newSetting();
    expect(await setting.deliver(people(5))).toMatchObject({ accepted: 5, outcome: "delivered" });
    expect(setting.receiver.rows()).toEqual(
      [0, 1, 2, 3, 4].map((n) => ({ actor: `a${n}`, denials: n })),
    );
    const heads = setting.receiver.arrived().map(({ rows, ...head }) => [rows.length, head]);
    const head = { delivery: "d1", target: "hook" };
    expect(heads).toEqual([
      [2, { ...head, batch: 1, last: false }],
      [2, { ...head, batch: 2, last: false }],
      [1, { ...head, batch: 3, last: true }],
    ]);
  });

  it("marks a full last batch as the last", async () => {
    await using setting = await newSetting();
    await setting.deliver(people(4));
    expect(setting.receiver.arrived().map(({ last }) => last)).toEqual([false, true]);
  });

  it.each([300, 307])("counts a batch that is answered %i as rejected", async (status) => {
    await using setting = await newSetting();
    setting.receiver.fault(times(1, { status }));
    await expect(setting.deliver(people(1))).rejects.toThrow(`answered ${status}`);
    expect(setting.receiver.calls).toHaveLength(1);
  });

  it("sends nothing without rows", async () => {
    await using setting = await newSetting();
    expect((await setting.deliver(people(0))).notes).toEqual(["no rows, so nothing was sent"]);
    expect(setting.receiver.calls).toEqual([]);
  });

  it.each(["plain text", `whsec_${Buffer.from("0123456789abcdef").toString("base64")}`])(
    "is accepted with the signature made with %s, and with no other",
    async (secret) => {
      await using setting = await newSetting(secret);
      await setting.deliver(people(1));
      expect(setting.receiver.rows()).toHaveLength(1);
      await expect(setting.deliver(people(1), { secret: "another" })).rejects.toMatchObject({
        exitCode: 4,
        message: expect.stringMatching(/answered 401; nothing was delivered/) as string,
      });
    },
  );

  it.each(["lose", "reset", "hang", { status: 503 }, { status: 429 }] as const)(
    "resends a batch after %j under its id, and the receiver has it once",
    async (fault) => {
      await using setting = await newSetting(
        undefined,
        undefined,
        fault === "hang" ? 300 : undefined,
      );
      setting.receiver.fault(times(2, fault));
      expect(await setting.deliver(people(3))).toMatchObject({ accepted: 3 });
      const ids = setting.receiver.calls.map(({ headers }) => headers["webhook-id"]);
      expect(ids).toHaveLength(4);
      expect(new Set(ids).size).toBe(2);
      expect(setting.receiver.rows()).toHaveLength(3);
    },
  );

  it("signs a late retry again, so that it is not rejected as a replay", async () => {
    await using setting = await newSetting();
    setting.receiver.fault(times(1, { status: 503, headers: { "retry-after": "600" } }));
    await setting.deliver(people(1));
    const stamps = setting.receiver.calls.map(({ headers }) =>
      Number(headers["webhook-timestamp"]),
    );
    expect(stamps[1]! - stamps[0]!).toBeGreaterThanOrEqual(600);
    expect(setting.receiver.rows()).toHaveLength(1);
  });

  it("duplicates nothing when repeated, for a receiver that checks the id", async () => {
    await using setting = await newSetting();
    await setting.deliver(people(3));
    await setting.deliver(people(3));
    expect(setting.receiver.rows()).toHaveLength(3);
    await setting.deliver(people(3), {}, "d2");
    expect(setting.receiver.rows()).toHaveLength(6);
  });

  it("stops at a rejected batch and reports how much was sent", async () => {
    await using setting = await newSetting();
    setting.receiver.fault(({ body }) =>
      body.includes('"batch":2') ? { status: 410 } : undefined,
    );
    const error = await setting.deliver(people(5)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error).toMatchObject({ exitCode: 6 });
    expect(String(error)).toMatch(
      /delivery to hook stopped: answered 410; 2 rows sent, 3 not sent/,
    );
  });

  it.each([400, 413, 422])("answered %i, refuses a batch, and sends the others", async (status) => {
    await using setting = await newSetting();
    setting.receiver.fault(({ body }) => (body.includes('"batch":2') ? { status } : undefined));
    expect(await setting.deliver(people(5))).toMatchObject({
      accepted: 3,
      refused: 2,
      outcome: "partial",
    });
    expect(setting.receiver.rows().map(({ denials: n }) => n)).toEqual([0, 1, 4]);
  });

  it("reports a batch as uncertain if all its answers are lost", async () => {
    await using setting = await newSetting();
    setting.receiver.fault(() => "lose");
    await expect(setting.deliver(people(5))).rejects.toThrow(
      /0 rows sent, 2 rows uncertain, 3 not sent/,
    );
  });
});

// The receiver took the batch and its answer was lost; what a later try meets does not undo that.
describe("a batch whose first answer was lost", () => {
  const uncertain = /0 rows sent, 2 rows uncertain, 1 not sent/;

  it.each([400, 409, 413, 422])(
    "counts as perhaps arrived when a later try is answered %i, and the others are sent",
    async (toTaken) => {
      await using setting = await newSetting(undefined, toTaken);
      setting.receiver.fault(times(1, "lose"));
      expect(await setting.deliver(people(3))).toMatchObject({
        accepted: 1,
        refused: 0,
        uncertain: 2,
        outcome: "partial",
      });
      expect(setting.receiver.rows()).toHaveLength(3);
    },
  );

  it.each([409, 422])(
    "is not refused when the next run receives %i, since that may be about its id",
    async (toTaken) => {
      await using setting = await newSetting(undefined, toTaken);
      let calls = 0;
      setting.receiver.fault(() => ((calls += 1) === 1 ? "lose" : { status: 401 }));
      await expect(setting.deliver(people(3), {}, "kept")).rejects.toThrow(/2 rows uncertain/);
      setting.receiver.fault(undefined);
      const went = { accepted: 1, refused: 0, uncertain: 2, outcome: "partial" };
      expect(await setting.deliver(people(3), {}, "kept")).toMatchObject(went);
      expect(setting.receiver.rows()).toHaveLength(3);
    },
  );

  it("is refused if it was rejected before because of its content", async () => {
    await using setting = await newSetting();
    setting.receiver.fault(({ body }) =>
      body.includes('"batch":1') ? { status: 422 } : { status: 410 },
    );
    await setting.deliver(people(3), {}, "kept").catch(() => undefined);
    setting.receiver.fault(() => ({ status: 422 }));
    const left = { accepted: 0, refused: 3, uncertain: 0 };
    expect(await setting.deliver(people(3), {}, "kept")).toMatchObject(left);
  });

  it.each([503, 401])("is in doubt when a later try is answered %i", async (status) => {
    await using setting = await newSetting();
    let tries = 0;
    setting.receiver.fault(() => ((tries += 1) === 1 ? "lose" : { status }));
    const error = await setting.deliver(people(3)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DeliveryError);
    expect(error).toMatchObject({
      exitCode: 6,
      message: expect.stringMatching(uncertain) as string,
    });
    expect(setting.receiver.rows()).toHaveLength(2);
  });

  it("is in doubt when the server is down afterwards", async () => {
    const setting = await newSetting();
    let ended: PromiseLike<void> | undefined;
    setting.receiver.fault(() => {
      ended = setting[Symbol.asyncDispose]();
      return "lose";
    });
    const error = await setting.deliver(people(3)).catch((caught: unknown) => caught);
    await ended;
    expect(error).toBeInstanceOf(DeliveryError);
    expect(String(error)).toMatch(/the connection was refused/);
    expect(String(error)).toMatch(uncertain);
  });

  it("is in doubt when the wait for the next try is interrupted", async () => {
    await using setting = await newSetting();
    const stop = new AbortController();
    setting.receiver.fault(() => {
      stop.abort();
      return "lose";
    });
    const error = await setting
      .deliver(people(3), {}, "d1", stop.signal)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DeliveryError);
    expect(String(error)).toMatch(/stopped: interrupted; 0 rows sent, 2 rows uncertain/);
  });
});

describe("the signature", () => {
  it("property: it is the HMAC-SHA256 of id, timestamp and body, and of nothing else", () => {
    const word = fc.string({ minLength: 1, unit: "binary" });
    fc.assert(
      fc.property(word, fc.nat(), word, word, (id, atSeconds, body, secret) => {
        fc.pre(!secret.startsWith("whsec_"));
        const headers = signMessage({ id, atSeconds, body }, secret);
        const expected = createHmac("sha256", Buffer.from(secret, "utf8"));
        expected.update(Buffer.from(`${id}.${atSeconds}.${body}`, "utf8"));
        expect(headers["webhook-signature"]).toBe(`v1,${expected.digest("base64")}`);
        const other = signMessage({ id, atSeconds, body: `${body} ` }, secret);
        expect(other["webhook-signature"]).not.toBe(headers["webhook-signature"]);
      }),
    );
  });

  it("equals the published example of the convention", () => {
    const body = '{"test": 2432232314}';
    const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", atSeconds: 1614265330, body };
    const headers = signMessage(message, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });
});
