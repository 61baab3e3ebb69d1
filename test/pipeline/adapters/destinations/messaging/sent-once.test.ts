import { createHmac } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listRows } from "../../../outgoing/targets/rows.ts";
import { atMessages, newSetting, number, people, template, type Setting } from "./setting.ts";

function ledgerFile({ outbox }: Setting): string {
  return join(outbox, "d1.ledger");
}

function statesIn(setting: Setting): string[] {
  const lines = readFileSync(ledgerFile(setting), "utf8").trimEnd().split("\n");
  return lines.map((line) => (JSON.parse(line) as { state: string }).state);
}

describe("a delivery that is repeated", () => {
  it("sends nothing twice", async () => {
    await using setting = await newSetting();
    await setting.deliver(people(3));
    const delivery = await setting.deliver(people(5));
    expect(setting.reached()).toEqual([1, 2, 3, 4, 5].map(number));
    expect(delivery).toMatchObject({ accepted: 5, outcome: "delivered" });
    expect(delivery.notes).toEqual(["3 of the messages were sent by an earlier attempt"]);
  });

  it("sends a later message to a number that has one, but the same message never again", async () => {
    await using setting = await newSetting();
    const rows = (...denials: number[]) =>
      listRows(
        ["phone_number", "actor", "denials", "team"],
        denials.map((n) => [number(1), "ana", n, "red"]),
      );
    await setting.deliver(rows(1), template);
    setting.service.fault(atMessages([1], "lose"));
    expect(await setting.deliver(rows(1, 2), template)).toMatchObject({
      accepted: 1,
      uncertain: 1,
    });
    setting.service.fault(undefined);
    expect(await setting.deliver(rows(1, 2, 3), template)).toMatchObject({
      accepted: 2,
      uncertain: 1,
    });
    const texts = setting.service.arrived().map(({ text }) => /\d+/.exec(text)?.[0]);
    expect(texts).toEqual(["1", "2", "3"]);
  });

  it("sends nothing again because the wording was changed", async () => {
    await using setting = await newSetting();
    await setting.deliver(people(2));
    await setting.deliver(people(3), { text_content: "You were denied, once more." });
    expect(setting.reached()).toEqual([1, 2, 3].map(number));
  });

  it("retries refused recipients on request only", async () => {
    await using setting = await newSetting();
    setting.service.unreachable.add(number(2));
    await setting.deliver(people(3));
    setting.service.unreachable.clear();
    expect(await setting.deliver(people(3))).toMatchObject({ accepted: 2, refused: 1 });
    expect(setting.reached()).toEqual([1, 3].map(number));
    const again = await setting.deliver(people(3), {}, { retryRefused: true });
    expect(again).toMatchObject({ accepted: 3, refused: 0, outcome: "delivered" });
    expect(setting.reached()).toEqual([1, 3, 2].map(number));
  });

  it("sends again under another id", async () => {
    await using setting = await newSetting();
    await setting.deliver(people(1));
    await setting.deliver(people(1), {}, { deliveryId: "d2" });
    expect(setting.reached()).toEqual([1, 1].map(number));
  });

  it("skips uncertain messages and reports them, unless a resend is requested", async () => {
    await using setting = await newSetting();
    setting.service.fault(atMessages([2], "lose"));
    await setting.deliver(people(3));
    setting.service.fault(undefined);
    setting.printed.length = 0;
    expect(await setting.deliver(people(3))).toMatchObject({
      accepted: 2,
      uncertain: 1,
      outcome: "partial",
    });
    expect(setting.printed).toEqual([
      expect.stringMatching(
        /^warning: chat: .*may have received their message: row 2 \(…0002\); not resent; --resend-uncertain/,
      ),
    ]);
    expect(setting.reached()).toEqual([1, 2, 3].map(number));
    const again = await setting.deliver(people(3), {}, { resendUncertain: true });
    expect(again).toMatchObject({ accepted: 3, uncertain: 0, outcome: "delivered" });
    expect(setting.reached()).toEqual([1, 2, 3, 2].map(number));
    expect(setting.printed.at(-1)).toMatch(/resent now, possibly a second time/);
  });
});

describe("the ledger of sends", () => {
  it("records what was done before and after each send, without numbers and content", async () => {
    await using setting = await newSetting();
    setting.service.fault(atMessages([2], "lose"));
    await setting.deliver(people(2));
    expect(statesIn(setting)).toEqual(["sending", "accepted", "sending", "uncertain"]);
    for (const secret of [number(1).slice(1), "0001", "denied", setting.service.token])
      expect(setting.recorded()).not.toContain(secret);
    expect(statSync(ledgerFile(setting)).mode & 0o777).toBe(0o600);
  });

  it("is on the disk before a message goes out", async () => {
    await using setting = await newSetting();
    const seen: string[] = [];
    setting.service.fault(() => void seen.push(statesIn(setting).at(-1)!) as undefined);
    await setting.deliver(people(2));
    expect(seen).toEqual(["sending", "sending"]);
  });

  it("leaves out a message that a killed process was sending", async () => {
    await using setting = await newSetting();
    let left = "";
    setting.service.fault(
      () => void (left = readFileSync(ledgerFile(setting), "utf8")) as undefined,
    );
    await setting.deliver(people(2));
    writeFileSync(ledgerFile(setting), left);
    expect(await setting.deliver(people(2))).toMatchObject({ accepted: 1, uncertain: 1 });
    expect(setting.reached()).toHaveLength(2);
  });

  it("survives a truncated line", async () => {
    await using setting = await newSetting();
    await setting.deliver(people(2));
    appendFileSync(ledgerFile(setting), '{"rows":[[');
    await setting.deliver(people(3));
    expect(setting.reached()).toEqual([1, 2, 3].map(number));
    await setting.deliver(people(3));
    expect(setting.reached()).toHaveLength(3);
  });
});

describe("a delivery with a journal of an earlier version", () => {
  const key = "ab".repeat(32);

  function writeJournal({ outbox }: Setting, states: readonly string[]): void {
    const lines = states.map((state, at) => {
      const hash = createHmac("sha256", Buffer.from(key, "hex"));
      const to = hash
        .update(JSON.stringify([number(at + 1), null]))
        .digest("hex")
        .slice(0, 32);
      return JSON.stringify({ at: "2026-01-01T00:00:00.000Z", to, state });
    });
    mkdirSync(outbox, { recursive: true });
    writeFileSync(join(outbox, "d1.ndjson"), `${lines.join("\n")}\n{"at":"2026`);
    writeFileSync(join(outbox, "recipients.key"), key);
  }

  it("resumes once with the states in it", async () => {
    await using setting = await newSetting();
    writeJournal(setting, ["accepted", "sending", "refused", "unsent"]);
    const left = { accepted: 3, uncertain: 1, refused: 1, outcome: "partial" };
    expect(await setting.deliver(people(5))).toMatchObject(left);
    expect(setting.reached()).toEqual([4, 5].map(number));
    const again = { resendUncertain: true, retryRefused: true };
    expect(await setting.deliver(people(5), {}, again)).toMatchObject({ accepted: 5 });
    expect(await setting.deliver(people(5))).toMatchObject({ accepted: 5, outcome: "delivered" });
    expect(setting.reached()).toEqual([4, 5, 2, 3].map(number));
  });

  it("that is damaged, or without its key, sends nothing", async () => {
    await using setting = await newSetting();
    writeJournal(setting, ["accepted", "sendin"]);
    await expect(setting.deliver(people(2))).rejects.toThrow(/d1.ndjson, line 2 is damaged/);
    writeJournal(setting, ["accepted"]);
    rmSync(join(setting.outbox, "recipients.key"));
    await expect(setting.deliver(people(2))).rejects.toThrow(/recipients.key is missing/);
    expect(setting.reached()).toEqual([]);
  });
});
