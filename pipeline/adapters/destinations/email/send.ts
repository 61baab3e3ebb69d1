import { type Notice, warning } from "../../../base/notice/notice.ts";
import { readFileSync } from "node:fs";
import { createTransport } from "nodemailer";
import { mailPorts, type EmailTarget } from "../../../../schemas/connectors/email.ts";
import {
  AuditlakeError,
  exitCode,
  getMessage,
  UsageError,
  type ExitCode,
} from "../../../base/errors.ts";
import type { WithName } from "../../../outgoing/targets/destination.ts";

export type Mail = {
  /** Identifies the message to mail servers; a resent message has the same id. */
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments?: readonly Attachment[];
};

export type Attachment = {
  readonly filename: string;
  readonly content: string | Buffer;
  readonly contentType: string;
};

/** The outcome of a message; `uncertain` if it is unknown whether the server accepted it. */
export type MailResult =
  | { readonly kind: "sent"; readonly rejected: number }
  | { readonly kind: "refused" | "uncertain"; readonly why: string }
  | { readonly kind: "stop"; readonly why: string; readonly code: ExitCode };

type UnsentMail = Exclude<MailResult, { readonly kind: "sent" }>;

const usualTimeoutMs = 60_000;

/**
 * Hands a message to the mail server of a target, once. The target defines the encryption; certificates are checked.
 * Throws UsageError for an unreadable file of its own authority.
 */
export async function sendMail(
  target: WithName<EmailTarget>,
  password: () => string,
  mail: Mail,
): Promise<MailResult> {
  const { from, to } = target;
  const transport = newTransport(target, password);
  try {
    const { id, subject, text, html, attachments = [] } = mail;
    const sent = await transport.sendMail({
      from,
      to: [...to],
      subject,
      text,
      html,
      messageId: `<${id.replaceAll(/[^A-Za-z0-9._-]/g, "-")}@auditlake.invalid>`,
      attachments: attachments.map((each) => ({ ...each })),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return { kind: "sent", rejected: sent.rejected.length };
  } catch (error) {
    return classifyUnsent(error);
  }
}

function readAuthority({ name, ca_file: file }: WithName<EmailTarget>): { ca: Buffer } | undefined {
  if (file === undefined) return undefined;
  try {
    return { ca: readFileSync(file) };
  } catch (error) {
    throw new UsageError(`target ${name}: ca_file: cannot be read: ${getMessage(error)}`);
  }
}

type Fault = {
  readonly code?: string;
  readonly responseCode?: number;
  readonly command?: string;
  readonly message: string;
};

const brokenOff = /closed unexpectedly|socket close|reset|^timeout$|EPIPE/i;

/**
 * Classifies the outcome of a message by the error of sending it. In auditlake's words, and never with those of the
 * server: it may quote the message.
 */
export function classifyUnsent(error: unknown): UnsentMail {
  const { code, responseCode, command, message } = error as Fault;
  const answered = responseCode === undefined ? "" : ` (${responseCode})`;
  if (code === "EAUTH" || code === "ENOAUTH")
    return {
      kind: "stop",
      why: `the mail server refused user and password${answered}`,
      code: exitCode.refused,
    };
  if (code === "ETLS" || /certificate|self.signed|unable to verify/i.test(message))
    return {
      kind: "stop",
      why: "the connection to the mail server cannot be encrypted, or its certificate cannot be trusted; check host, security and ca_file",
      code: exitCode.failed,
    };
  const isVerdict = responseCode !== undefined && responseCode >= 500;
  if (isVerdict && (code === "EENVELOPE" || code === "EMESSAGE"))
    return { kind: "refused", why: `the mail server refused the message${answered}` };
  // The connection broke during the message: it may have been accepted, and only the answer was lost.
  if (responseCode === undefined && (command === "DATA" || brokenOff.test(message)))
    return {
      kind: "uncertain",
      why: "the connection was interrupted while the message was being sent",
    };
  const why =
    responseCode === undefined
      ? "the mail server cannot be reached, or does not answer"
      : `the mail server temporarily rejected the message${answered}`;
  return { kind: "stop", why, code: exitCode.failed };
}

/** Builds the notice of a message that some recipients did not get. */
export function newMissedNotice({ name, to }: WithName<EmailTarget>, rejected: number): Notice {
  return warning("addresses_refused", { target: name, refused: rejected, addresses: to.length });
}

/** Builds the error of an unsent message without a more specific cause. */
export function describeMailFault(target: string, mailed: UnsentMail): AuditlakeError {
  const code = mailed.kind === "stop" ? mailed.code : exitCode.failed;
  return new AuditlakeError(`delivery to ${target} failed: ${mailed.why}`, code);
}

/** Connects to the mail server and signs in; sends nothing. Throws AuditlakeError where that fails. */
export async function signInToMail(
  target: WithName<EmailTarget>,
  password: () => string,
): Promise<void> {
  const transport = newTransport(target, password);
  try {
    await transport.verify();
  } catch (error) {
    throw describeMailFault(target.name, classifyUnsent(error));
  }
}

function newTransport(
  target: WithName<EmailTarget>,
  password: () => string,
): ReturnType<typeof createTransport> {
  const { host, security, port = mailPorts[security], user } = target;
  return createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    connectionTimeout: usualTimeoutMs,
    greetingTimeout: usualTimeoutMs,
    socketTimeout: usualTimeoutMs,
    tls: { minVersion: "TLSv1.2", ...readAuthority(target) },
    ...(user === undefined ? {} : { auth: { user, pass: password() } }),
  });
}
