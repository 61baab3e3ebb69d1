import { expect, it } from "vitest";
import {
  type MailResult,
  signInToMail,
  classifyUnsent,
} from "../../../../../pipeline/adapters/destinations/email/send.ts";
import { buildTarget } from "./setting.ts";

const stop = (why: string, code = 1): MailResult => ({ kind: "stop", why, code }) as MailResult;
const noUser = "the mail server refused user and password";
const refused = "the mail server refused the message";
const away = "the mail server temporarily rejected the message";
const unreached = stop("the mail server cannot be reached, or does not answer");
const brokenOff = {
  kind: "uncertain",
  why: "the connection was interrupted while the message was being sent",
} as const;
const untrusted = stop(
  "the connection to the mail server cannot be encrypted, or its certificate cannot be trusted; check host, security and ca_file",
);

it.each<[error: object, became: MailResult]>([
  [{ code: "EAUTH", responseCode: 535, message: "CANARY" }, stop(`${noUser} (535)`, 4)],
  [{ code: "ENOAUTH", message: "CANARY" }, stop(noUser, 4)],
  [{ code: "ETLS", message: "CANARY" }, untrusted],
  [{ code: "ESOCKET", message: "self-signed certificate" }, untrusted],
  [{ code: "ESOCKET", message: "unable to verify the first signature" }, untrusted],
  [
    { code: "EENVELOPE", responseCode: 500 },
    { kind: "refused", why: `${refused} (500)` },
  ],
  [
    { code: "EMESSAGE", responseCode: 554 },
    { kind: "refused", why: `${refused} (554)` },
  ],
  [{ code: "EMESSAGE", responseCode: 499, command: "DATA" }, stop(`${away} (499)`)],
  // A greeting, which is no verdict on this message.
  [{ code: "EPROTOCOL", responseCode: 554 }, stop(`${away} (554)`)],
  [{ code: "ECONNECTION", message: "Connection closed unexpectedly" }, brokenOff],
  [{ code: "ETIMEDOUT", message: "Timeout", command: "CONN" }, brokenOff],
  [{ code: "ETIMEDOUT", message: "CANARY", command: "DATA" }, brokenOff],
  [{ code: "ETIMEDOUT", message: "Greeting never received: timeout" }, unreached],
  [{ code: "ESOCKET", message: "connect ECONNREFUSED 127.0.0.1:25" }, unreached],
  [{}, unreached],
])("describes the outcome of a message after %j in auditlake's words", (error, became) => {
  expect(classifyUnsent(Object.assign(new Error(), error))).toEqual(became);
});

it("an unreachable mail server is reported as a failed sign-in", async () => {
  await expect(signInToMail(buildTarget({ port: 1 }), () => "")).rejects.toMatchObject({
    exitCode: 1,
    message: `delivery to team failed: ${(unreached as { why: string }).why}`,
  });
});
