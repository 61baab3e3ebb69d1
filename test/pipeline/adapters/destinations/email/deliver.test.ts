import { formatLine } from "../../../../../pipeline/base/notice/printer.ts";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  type Attachment,
  sendMail,
  signInToMail,
} from "../../../../../pipeline/adapters/destinations/email/send.ts";
import { newLedger } from "../../../../../pipeline/outgoing/targets/ledger.ts";
import { email } from "../../../../../schemas/connectors/email.ts";
import { selfSigned } from "../../../../support/certificate.ts";
import { temporaryFolder } from "../../../../support/load.ts";
import { mailPassword, mailUser, startMailServer } from "../../../../support/mail-server.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";
import { deliver, people, plain, buildTarget } from "./setting.ts";

test("few rows are a table in the message, as text and as escaped HTML", async () => {
  await using server = await startMailServer();
  const went = await deliver(server, people(2), { to: ["ops@x.example", "soc@x.example"] });
  expect(went).toMatchObject({ accepted: 2, outcome: "delivered" });
  const [mail] = server.arrived;
  expect(mail!.to).toEqual(["ops@x.example", "soc@x.example"]);
  expect(mail!.source).toMatch(/Subject: auditlake: denials-1/);
  expect(mail!.source).toMatch(/Message-ID: <denials-1@auditlake\.invalid>/i);
  expect(mail!.source).toMatch(/actor +what\r\na0@x\.example +<b>=\d?D?1<\/b>/);
  expect(mail!.source).toMatch(/&lt;b&gt;/);
  expect(mail!.source).not.toMatch(/attachment/);
  // What arrived once does not go again.
  const ledger = newLedger();
  await deliver(server, people(2), {}, { ledger });
  await deliver(server, people(2), {}, { ledger });
  expect(server.arrived).toHaveLength(2);
});

test("more rows are attached as CSV beside the first of them", async () => {
  await using server = await startMailServer();
  await deliver(server, people(60), { table_rows: 5, subject: "Denials" });
  const { source } = server.arrived[0]!;
  expect(source).toMatch(/Subject: Denials/);
  expect(source).toMatch(/filename=denials-1\.csv/);
  expect(source).toMatch(/60 rows; these are the first 5, all are attached/);
  const csv = Buffer.from(
    /csv\r\n(?:.*\r\n)*?\r\n([A-Za-z0-9+/=\r\n]+)/.exec(source)![1]!,
    "base64",
  );
  expect(csv.toString().trimEnd().split("\r\n")).toHaveLength(61);
});

test("an empty result sends no message, and one that is too large is refused before sending", async () => {
  await using server = await startMailServer();
  expect((await deliver(server, people(0))).notes).toEqual(["no rows, so nothing was sent"]);
  const long = listRows(
    ["text"],
    Array.from({ length: 11 }, () => ["x".repeat(1024 * 1024)]),
  );
  await expect(deliver(server, long)).rejects.toThrow(/exceed the limit of a message .10 MB/);
  expect(server.arrived).toEqual([]);
});

const { path: folder, remove } = temporaryFolder();
const certificate = selfSigned("mail", ["localhost"]);
const ca_file = join(folder, "ca.pem");
writeFileSync(ca_file, certificate.cert);
const signedIn = { user: mailUser, password: mailPassword };

test.each(["tls", "starttls"])(
  "a message is sent over %s, signed in, with a private certificate authority",
  async (security) => {
    const secure = security === "tls";
    await using server = await startMailServer({ secure, ...certificate, authOptional: false });
    const own = { host: "localhost", security, ca_file };
    expect(await deliver(server, people(1), { ...own, ...signedIn })).toMatchObject({
      accepted: 1,
    });
    await signInToMail(buildTarget(server, { ...own, ...signedIn }), () => mailPassword);
    const wrong = { ...own, user: mailUser, password: "SECRET-wrong" };
    await expect(deliver(server, people(1), wrong)).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringMatching(
        /^delivery to team failed: the mail server refused user and password/,
      ),
    });
    const strange = { host: "localhost", security, ...signedIn };
    await expect(deliver(server, people(1), strange)).rejects.toThrow(
      /cannot be encrypted, or its certificate cannot be trusted/,
    );
    expect(server.arrived).toHaveLength(1);
  },
);

test("a server without encryption receives nothing if encryption is configured", async () => {
  await using server = await startMailServer({ disabledCommands: ["STARTTLS"] });
  await expect(
    deliver(server, people(1), { security: "starttls", host: "localhost", ...signedIn }),
  ).rejects.toThrow(/cannot be encrypted/);
  expect(server.arrived).toEqual([]);
  remove();
});

test("a refused, delayed or lost message is reported in auditlake's words", async () => {
  await using server = await startMailServer({}, () => what);
  let what: "refuse" | "later" | "cut" = "refuse";
  const ledger = newLedger();
  expect(await deliver(server, people(2), {}, { ledger })).toMatchObject({
    refused: 2,
    outcome: "partial",
  });
  expect(ledger.getReason(1)).toBe("the mail server refused the message (554)");
  what = "later";
  await expect(deliver(server, people(2))).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/temporarily rejected the message \(451\)$/),
  });
  what = "cut";
  await expect(deliver(server, people(2))).rejects.toMatchObject({
    exitCode: 6,
    message: expect.stringMatching(/0 rows sent, 2 rows uncertain/),
  });
});

test("an address that the server does not know is reported, and the others get the message", async () => {
  await using server = await startMailServer();
  const printed: string[] = [];
  const to = ["nobody@x.example", "ops@x.example"];
  expect(
    await deliver(server, people(1), { to }, { print: (line) => printed.push(formatLine(line)) }),
  ).toMatchObject({ accepted: 1, refused: 0, outcome: "partial" });
  expect(printed.join()).toMatch(/refused 1 of 2 addresses; the others received the message/);
  expect(printed.join()).not.toMatch(/CANARY/);
  expect(await deliver(server, people(1), { to: "nobody@x.example" })).toMatchObject({
    refused: 1,
  });
});

test("a message includes no file and no address that its content names", async () => {
  await using server = await startMailServer();
  const pages = createServer((_request, response) => void response.end("CANARY"));
  pages.listen(0, "127.0.0.1");
  await once(pages, "listening");
  onTestFinished(() => void pages.close());
  const { port } = pages.address() as AddressInfo;
  const named = [{ path: import.meta.filename }, { href: `http://127.0.0.1:${port}/` }];
  const mail = { id: "nightly: denials/1", subject: "a", text: "a", html: "a" };
  const send = (attachments: readonly object[]) =>
    sendMail(buildTarget(server), () => "", { ...mail, attachments: attachments as Attachment[] });
  for (const one of named)
    expect(await send([{ filename: "a.txt", contentType: "text/plain", ...one }])).toMatchObject({
      kind: "stop",
    });
  expect(server.arrived).toEqual([]);
  expect(await send([])).toEqual({ kind: "sent", rejected: 0 });
  expect(server.arrived[0]!.source).toMatch(/Message-ID: <nightly--denials-1@auditlake\.invalid>/i);
});

test.each([
  [
    { security: "none", host: "mail.example" },
    /would expose the content; expected starttls or tls/,
  ],
  [{ user: "ops" }, /expected user and password together/],
  [{ to: "ops" }, /expected an e-mail address/],
  [{ to: "ops@x.example\r\nBcc: all@x.example" }, /expected an e-mail address/],
  [{ subject: "a\nb" }, /subject/],
])("%j is refused", (more, message) => {
  const parsed = email.safeParse({ ...plain, to: "ops@x.example", ...more });
  expect(JSON.stringify(parsed.error?.issues)).toMatch(message);
});
