import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newHooked } from "./hooked.ts";
import { newSetting, number, phones, type Setting } from "./setting.ts";

const toChat = ["phones", "--to", "chat"];
const toHook = ["rows", "--to", "hook"];
const numbers = (...wanted: number[]): string[] => wanted.map(number);

function names({ receiver }: Setting): unknown[] {
  return receiver.rows().map(({ name }) => name);
}

function listIds({ receiver }: Setting): unknown[] {
  return receiver.calls.map(({ headers }) => headers["webhook-id"]);
}

function listKept({ home }: Setting, target: string): string[] {
  const own = new Set(["delivery.lock", "recipients.key"]);
  const all = readdirSync(join(home.home, "outbox", target));
  return all.filter((name) => !own.has(name) && !name.startsWith("delivery.lock"));
}

describe("a delivery to a webhook that was interrupted", () => {
  it("resumes with its own rows and ids, although a row was added in between", async () => {
    const setting = await newHooked("b", "c", "d");
    setting.receiver.fault(({ body }) => (body.includes('"c"') ? { status: 410 } : undefined));
    const broken = await setting.run(toHook);
    expect(broken).toMatchObject({ code: 6, err: expect.stringContaining("1 row sent") });
    const [first, second] = listIds(setting);

    setting.receiver.fault(undefined);
    setting.give("a", "b", "c", "d");
    const again = await setting.run(toHook);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining("3 rows delivered") });
    expect(names(setting)).toEqual(["b", "c", "d"]);
    expect(listIds(setting).slice(0, 3)).toEqual([first, second, second]);
    expect(listKept(setting, "hook")).toEqual([]);
    expect((await setting.run(toHook)).code).toBe(0);
    expect(names(setting)).toEqual(["b", "c", "d", "a", "b", "c", "d"]);
  });

  it("keeps the size of its batches after a change of the configuration", async () => {
    const setting = await newHooked("b", "c", "d");
    setting.receiver.fault(({ body }) => (body.includes('"c"') ? { status: 410 } : undefined));
    await setting.run(toHook);
    setting.receiver.fault(undefined);
    const path = join(setting.home.folder, "auditlake.json");
    const text = readFileSync(path, "utf8");
    setting.home.write(
      "auditlake.json",
      text.replace('"records_per_batch":1', '"records_per_batch":3'),
    );
    expect((await setting.run(toHook)).code).toBe(0);
    expect(setting.receiver.arrived().map(({ rows }) => rows.length)).toEqual([1, 1, 1]);
  });
});

describe("a delivery that ended partially", () => {
  it("sends only what is requested again: refused rows", async () => {
    const setting = await newHooked("b", "c", "d");
    setting.receiver.fault(({ body }) => (body.includes('"c"') ? { status: 422 } : undefined));
    for (let n = 0; n < 3; n++) {
      const { code, err } = await setting.run(toHook);
      expect({ code, err }).toMatchObject({ code: 6 });
      if (n > 0)
        expect(err).toMatch(/nothing more is sent: 1 row refused; --retry-refused retries/);
    }
    expect(setting.receiver.calls).toHaveLength(3);
    setting.receiver.fault(undefined);
    setting.give("x");
    expect((await setting.run([...toHook, "--resend-uncertain"])).code).toBe(6);
    expect(setting.receiver.calls).toHaveLength(3);
    expect((await setting.run([...toHook, "--retry-refused"])).code).toBe(0);
    expect(names(setting)).toEqual(["b", "d", "c"]);
  });

  it("has a dry run that counts what would be sent now, without the delivered rows", async () => {
    const setting = await newHooked("b", "c", "d");
    const listMessages = async (...more: string[]): Promise<string> =>
      (await setting.run([...toHook, "--dry-run", ...more])).err.split("\n").at(-2)!;
    expect(await listMessages()).toMatch(/would deliver 3 rows in 3 requests/);
    setting.receiver.fault(({ body }) => (body.includes('"c"') ? { status: 422 } : undefined));
    await setting.run(toHook);
    expect(await listMessages()).toBe(
      "dry run: would deliver nothing more: 1 row refused; nothing was sent",
    );
    expect(await listMessages("--retry-refused")).toMatch(/would deliver 1 row in 1 request\b/);
    expect(await listMessages("--new")).toMatch(/would deliver 3 rows in 3 requests/);
    const broken = await newHooked("b", "c", "d");
    broken.receiver.fault(({ body }) => (body.includes('"c"') ? { status: 410 } : undefined));
    await broken.run(toHook);
    const { err } = await broken.run([...toHook, "--dry-run"]);
    expect(err).toMatch(/would deliver 2 rows in 2 requests/);
  });

  it("of messages with one refused number and one lost answer sends no recipient a second message", async () => {
    const setting = await newSetting();
    setting.service.unreachable.add(number(4));
    setting.service.fault(({ body }) => (body.includes(number(2)) ? "lose" : undefined));
    for (let n = 0; n < 3; n++) expect((await setting.run(toChat)).code).toBe(6);
    setting.service.fault(undefined);
    expect(setting.service.arrived().map(({ to }) => to)).toEqual(numbers(5, 3, 2, 1));
    setting.service.unreachable.clear();
    expect((await setting.run([...toChat, "--retry-refused"])).code).toBe(6);
    expect((await setting.run([...toChat, "--resend-uncertain"])).code).toBe(0);
    expect(setting.service.arrived().map(({ to }) => to)).toEqual(numbers(5, 3, 2, 1, 4, 2));
    expect(listKept(setting, "chat")).toEqual([]);
  });
});

it("stores its rows for the owner only, and deletes them at its end", async () => {
  const setting = await newSetting();
  setting.home.write("queries/phones.sql", phones(2, true));
  expect((await setting.run(toChat)).code).toBe(6);
  const extensions = listKept(setting, "chat").map((name) => /\.[a-z]+$/.exec(name)?.[0]);
  expect(extensions.toSorted()).toEqual([".json", ".ledger", ".rows"]);
  setting.home.write("queries/phones.sql", phones(2));
  expect((await setting.run([...toChat, "--new"])).code).toBe(0);
  expect(listKept(setting, "chat")).toEqual([]);
});

it("with damaged stored rows is stopped, and --new starts another one", async () => {
  const setting = await newHooked("b", "c");
  setting.receiver.fault(({ body }) => (body.includes('"c"') ? { status: 410 } : undefined));
  await setting.run(toHook);
  setting.receiver.fault(undefined);
  const rows = listKept(setting, "hook").find((name) => name.endsWith(".rows"))!;
  setting.home.write(`home/outbox/hook/${rows}`, "{");
  const failed = await setting.run(toHook);
  expect(failed).toMatchObject({ code: 1, err: expect.stringMatching(/is missing or damaged/) });
  expect((await setting.run([...toHook, "--new"])).code).toBe(0);
});
