import { expect, it, onTestFinished } from "vitest";
import type { Outcome } from "../../../support/command.ts";
import { startMailServer } from "../../../support/mail-server.ts";
import { newSetting } from "./setting.ts";

type Mailing = {
  readonly run: (...more: string[]) => Promise<Outcome>;
  readonly ids: () => readonly string[];
  /** The fate of the messages from now on. */
  readonly answer: (how: "take" | "cut") => void;
};

// Exports of a table to an e-mail target, and the ids of the messages that the server got.
async function newMailing(to: string | readonly string[] = "ops@x.example"): Promise<Mailing> {
  const { home } = await newSetting();
  let now: "take" | "cut" = "take";
  const server = await startMailServer({}, () => now);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const team = { type: "email", security: "none", host: "127.0.0.1", port: server.port };
  const targets = { team: { ...team, from: "audit@x.example", to } };
  const config = home.write("mail.json", JSON.stringify({ targets }));
  const order = ["--config", config, "export", "--table", "events", "--to", "team"];
  return {
    run: (...more) => home.run([...order, ...more]),
    ids: () => server.arrived.map(({ source }) => /^Message-ID: (\S+)/im.exec(source)?.[1] ?? ""),
    answer: (how) => void (now = how),
  };
}

it("each e-mail of a table has a separate id, for a manual run and for each scheduled time", async () => {
  const { run, ids } = await newMailing();
  for (const day of ["25", "26"])
    expect((await run("--due", `2026-11-${day}T06:00:00Z`)).code).toBe(0);
  for (const more of [[], ["--new"]]) expect((await run(...more)).code).toBe(0);
  expect(ids()).toHaveLength(4);
  expect(new Set(ids()).size).toBe(4);
  expect(ids()[0]).toMatch(/^<events-at-\d{8}T\d{9}Z@auditlake\.invalid>$/);
});

it("an e-mail that may have arrived is sent again under its id", async () => {
  const { run, ids, answer } = await newMailing();
  answer("cut");
  expect((await run()).code).toBe(6);
  answer("take");
  expect((await run("--resend-uncertain")).code).toBe(0);
  expect(ids()).toHaveLength(2);
  expect(new Set(ids()).size).toBe(1);
});

it("an e-mail that some recipients did not get is partial, and is sent to the others once", async () => {
  const { run, ids } = await newMailing(["nobody@x.example", "ops@x.example"]);
  const due = ["--due", "2026-11-25T06:00:00Z"];
  const refusal = /team: the mail server refused 1 of 2 addresses; the others received the message/;
  expect(await run(...due)).toMatchObject({ code: 6, err: expect.stringMatching(refusal) });
  expect(await run(...due)).toMatchObject({ code: 0 });
  expect(ids()).toHaveLength(1);
  expect(await run()).toMatchObject({ code: 6, err: expect.stringMatching(refusal) });
  expect(await run()).toMatchObject({ code: 6 });
  expect(new Set(ids()).size).toBe(3);
});
