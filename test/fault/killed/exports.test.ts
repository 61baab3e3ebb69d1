import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { takeLock } from "../../../pipeline/base/home/lock.ts";
import { spawnCommand } from "../../support/killed.ts";
import { newSetting, number, type Setting } from "../../pipeline/cli/export/setting.ts";

const numbers = (...wanted: number[]): string[] => wanted.map(number);
const argv = ["phones", "--to", "chat"];

function listReached({ service }: Setting): string[] {
  return service.arrived().map(({ to }) => to);
}

/** Exports in a process of its own, which is killed once the nth message has come, before or after it is taken. */
async function kill(setting: Setting, nth: number, when: "reset" | "lose"): Promise<void> {
  const { home, env, service } = setting;
  const child = spawnCommand(["--home", home.home, ...setting.argv(...argv)], env);
  let seen = 0;
  service.fault(({ method }) => {
    if (method !== "POST" || (seen += 1) !== nth) return undefined;
    child.kill("SIGKILL");
    return when;
  });
  await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  service.fault(undefined);
}

function begin({ home }: Setting): string[] {
  return readdirSync(join(home.home, "outbox", "chat")).filter((name) => name.startsWith("begun-"));
}

// The report gives out the numbers from the fifth to the first.
describe("an export of messages whose process was killed", () => {
  it.each([
    ["after the message was taken", "lose", [5, 4, 3]],
    ["before the message was taken", "reset", [5, 4]],
  ] as const)(
    "%s sends nothing twice on the next run, and reports what is uncertain",
    async (_, when, first) => {
      const setting = await newSetting();
      await kill(setting, 3, when);
      expect(listReached(setting)).toEqual(numbers(...first));

      const { code, err } = await setting.run(argv);
      expect(listReached(setting)).toEqual(numbers(...first, 2, 1));
      expect(code).toBe(6);
      expect(err).toMatch(
        /resumes the delivery started .*, which was interrupted; --new starts another/,
      );
      expect(err).toMatch(
        /warning: chat: .*may have received their message: row 3 \(…0003\); not resent/,
      );
      expect(err).toMatch(/phones to chat: 4 rows delivered, 1 uncertain\n$/);

      const again = await setting.run([...argv, "--resend-uncertain"]);
      expect(again.code).toBe(0);
      expect(again.err).toMatch(/which is incomplete: 1 row uncertain/);
      expect(listReached(setting)).toEqual(numbers(...first, 2, 1, 3));
      expect(begin(setting)).toEqual([]);
    },
  );

  it("resumes the range that it was started for", async () => {
    const setting = await newSetting();
    await kill(setting, 2, "lose");
    const path = join(setting.home.home, "outbox", "chat", begin(setting)[0]!);
    const { now_ms: beganMs } = JSON.parse(readFileSync(path, "utf8")) as { now_ms: number };
    const laterMs = beganMs + 86_400_000;
    const { err } = await setting.run(argv, { now: () => laterMs });
    const since = /since (\S+)/.exec(err)?.[1] ?? "";
    expect(Date.parse(since)).toBe(beganMs - 7 * 86_400_000);
    expect(listReached(setting)).toEqual(numbers(5, 4, 3, 2, 1));
  });

  it("--new starts another delivery, also to recipients who have their message", async () => {
    const setting = await newSetting();
    await kill(setting, 2, "lose");
    const { code, err } = await setting.run([...argv, "--new"]);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(listReached(setting)).toEqual(numbers(5, 4, 5, 4, 3, 2, 1));
  });

  it("sends nothing more after an uncertain row was reported, except with --new", async () => {
    const setting = await newSetting();
    await kill(setting, 5, "lose");
    for (let n = 0; n < 3; n++) expect((await setting.run(argv)).code).toBe(6);
    expect(listReached(setting)).toEqual(numbers(5, 4, 3, 2, 1));
    const another = await setting.run([...argv, "--new"]);
    expect(another.code).toBe(0);
    expect(another.err).toMatch(/warning: phones to chat: a new .*: 1 row uncertain\n/);
    expect(listReached(setting)).toEqual(numbers(5, 4, 3, 2, 1, 5, 4, 3, 2, 1));
  });
});

it("keeps its delivery log as long as it can be resumed", async () => {
  const setting = await newSetting();
  const ledgers = () =>
    readdirSync(join(setting.home.home, "outbox", "chat")).filter((name) =>
      name.endsWith(".ledger"),
    );
  await kill(setting, 3, "lose");
  const [broken] = ledgers();
  // Another delivery to the target that ends deletes its own record, and no other.
  setting.home.write(
    "queries/others.sql",
    readFileSync(join(setting.home.folder, "queries/phones.sql")),
  );
  expect((await setting.run(["others", "--to", "chat"])).code).toBe(0);
  expect(ledgers()).toEqual([broken]);
  expect((await setting.run(argv)).code).toBe(6);
  expect(ledgers()).toEqual([broken]);
  expect((await setting.run([...argv, "--resend-uncertain"])).code).toBe(0);
  expect(ledgers()).toEqual([]);
  const started = setting.home.write("home/outbox/chat/begun-x.json", "{");
  setting.home.write("home/outbox/chat/unknown.ledger", "");
  expect((await setting.run(argv)).code).toBe(0);
  expect(ledgers()).toContain("unknown.ledger");
  rmSync(started);
  expect((await setting.run(argv)).code).toBe(0);
  expect(ledgers()).toEqual([]);
});

it("an export that a fault stopped is resumed, and another report leaves it alone", async () => {
  const setting = await newSetting();
  setting.service.fault(({ body }) => (body.includes(number(3)) ? { status: 401 } : undefined));
  const failed = await setting.run(argv);
  expect(failed.code).toBe(6);
  expect(failed.err).toMatch(
    /error: delivery to chat stopped: answered 401; 2 rows sent, 3 not sent/,
  );
  setting.service.fault(undefined);
  setting.home.write(
    "queries/others.sql",
    readFileSync(join(setting.home.folder, "queries/phones.sql")),
  );
  expect((await setting.run(["others", "--to", "chat"])).code).toBe(0);
  expect((await setting.run(argv)).code).toBe(0);
  expect(listReached(setting)).toEqual(numbers(5, 4, 5, 4, 3, 2, 1, 3, 2, 1));
});

it("Ctrl-C reports how far the delivery came, and a dry run what would be resumed", async () => {
  const setting = await newSetting();
  const controller = new AbortController();
  setting.service.fault(({ body }) => {
    if (body.includes(number(4))) controller.abort();
    return undefined;
  });
  const stopped = await setting.run(argv, { signal: controller.signal });
  expect(stopped.code).toBe(130);
  expect(stopped.err).toMatch(
    /error: delivery to chat stopped: interrupted; 2 rows sent, 3 not sent\n/,
  );
  const dry = await setting.run([...argv, "--dry-run"]);
  expect(dry.err).toMatch(/resumes the delivery started .*, which was interrupted/);
  expect(listReached(setting)).toEqual(numbers(5, 4));
  expect((await setting.run(argv)).code).toBe(0);
  expect(listReached(setting)).toEqual(numbers(5, 4, 3, 2, 1));
});

it("while another delivers to the target, nothing is sent: exit code 5", async () => {
  const setting = await newSetting();
  const outbox = join(setting.home.home, "outbox", "chat");
  mkdirSync(outbox, { recursive: true });
  {
    using _lock = takeLock(join(outbox, "delivery.lock"), "export others", Date.now());
    const { code, err } = await setting.run(argv);
    expect({ code, err }).toEqual({
      code: 5,
      err: expect.stringMatching(/^error: locked: auditlake export others /),
    });
  }
  expect(listReached(setting)).toEqual([]);
  expect((await setting.run(argv)).code).toBe(0);
});

it("two exports to one target at once: one delivers, the other exits with 5", async () => {
  const setting = await newSetting();
  const child = spawnCommand(["--home", setting.home.home, ...setting.argv(...argv)], setting.env);
  let second: Promise<{ code: number }> | undefined;
  let isOver = false;
  setting.service.fault(({ method }) => {
    if (method !== "POST" || listReached(setting).length !== 2) return undefined;
    // During its messages the first one holds the target, and waits while the other one tries.
    second ??= setting.run(argv).finally(() => (isOver = true));
    return isOver ? undefined : { status: 429, headers: { "retry-after": "1" }, body: "" };
  });
  await once(child, "exit");
  expect([child.exitCode, (await second!).code]).toEqual([0, 5]);
  expect(listReached(setting)).toEqual(numbers(5, 4, 3, 2, 1));
});
