import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Outcome } from "../../../support/command.ts";
import { startMailServer } from "../../../support/mail-server.ts";
import { newSetting } from "../../cli/export/setting.ts";

/** A setting with two statements and a report of one name, and e-mail, whose deliveries go by that name. */
async function mailing() {
  const setting = await newSetting();
  const { home } = setting;
  const answers: ("refuse" | "cut")[] = [];
  const server = await startMailServer({}, () => answers.shift() ?? "take");
  onTestFinished(() => server[Symbol.asyncDispose]());
  const mail = { type: "email", host: "127.0.0.1", port: server.port, security: "none" };
  const targets = { mail: { ...mail, from: "a@x.example", to: "ops@x.example" } };
  const config = home.write("mail.json", JSON.stringify({ targets }));
  const write = (team: string, row: string): string =>
    home.write(`${team}/rows.sql`, `select '${row}' as name`);
  home.write("queries/rows.sql", "-- title: Rows\n-- grain: one row\nselect 'report' as name\n");
  const files = new Map([
    ["A", write("A", "row of A")],
    ["B", write("B", "row of B")],
  ]);
  const run = (...given: string[]): Promise<Outcome> => {
    const words = given.map((word) => files.get(word) ?? word);
    return home.run(["--config", config, "export", ...words, "--to", "mail"], { env: setting.env });
  };
  const mails = () => server.arrived.map(({ source }) => source.slice(source.indexOf("\r\n\r\n")));
  return { home, answers, write, run, mails };
}

// Without what differs between deliveries: parts are separated by random lines, and a name ends in its time,
// which a soft line break can cut.
const formatText = (mail: string): string =>
  mail
    .replaceAll("=\r\n", "")
    .replaceAll(/^.*(?:boundary|nmp).*$/gim, "")
    .replaceAll(/-at-\d{8}T\d{9}Z/g, "");

it.each<[what: string, first: string[], second: string[]]>([
  ["two files", ["--file", "A"], ["--file", "B"]],
  ["a report and a file", ["rows"], ["--file", "A"]],
  ["a table under two names", ["--table", "main.events"], ["--table", "events"]],
  [
    "a range in two spellings",
    ["happened", "--since", "2025-11-20"],
    ["happened", "--since", "2025-11-20T00:00:00Z"],
  ],
])("%s of one name each keep their own rows and outcome", async (_, first, second) => {
  const { answers, run, mails } = await mailing();
  // What the first would look like.
  expect((await run(...first)).code).toBe(0);
  answers.push("refuse");
  expect((await run(...first)).code).toBe(6);
  const other = await run(...second);
  expect(other).toMatchObject({
    code: 0,
    err: expect.not.stringContaining("resumes the delivery"),
  });

  const again = await run(...first, "--retry-refused");
  expect(again).toMatchObject({
    code: 0,
    err: expect.stringMatching(/incomplete: \d rows? refused/),
  });
  expect(mails()).toHaveLength(3);
  expect(formatText(mails()[2]!)).toBe(formatText(mails()[0]!));
});

// An earlier version named the files by the delivery alone, and its record says nothing of them.
function asBefore(outbox: string): void {
  const path = join(
    outbox,
    readdirSync(outbox).find((name) => name.startsWith("begun-"))!,
  );
  const { kept, ...record } = JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;
  const { delivery } = record;
  writeFileSync(path, JSON.stringify(record));
  for (const extension of ["rows", "ledger"])
    renameSync(
      join(outbox, `${kept ?? delivery}.${extension}`),
      join(outbox, `${delivery}.${extension}`),
    );
}

it("a delivery that an earlier version started is resumed, also after another export of its name", async () => {
  const { home, answers, write, run, mails } = await mailing();
  const outbox = join(home.home, "outbox", "mail");
  answers.push("cut");
  expect((await run("--file", "A")).code).toBe(6);
  asBefore(outbox);
  expect((await run("--file", "B")).code).toBe(0);
  write("A", "a later row");
  const again = await run("--file", "A", "--resend-uncertain");
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining("which was interrupted") });
  expect(mails()).toEqual(
    ["A", "B", "A"].map((team) => expect.stringContaining(`row of ${team}`) as unknown),
  );
  expect(readdirSync(outbox).filter((name) => /^rows|^begun/.test(name))).toEqual([]);
});
