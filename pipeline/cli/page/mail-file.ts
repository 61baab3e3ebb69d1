import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { mailFault, missedText, sendMail } from "../../adapters/destinations/email/send.ts";
import { htmlMessage } from "../../work/targets/table.ts";
import { UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { findTarget, targetCredentials } from "../../work/deliveries/target.ts";
import { sha256Of } from "../../base/home/sha256.ts";

/** Throws UsageError unless the target of a name is an e-mail whose credentials are there. */
export function checkMail(name: string, settings: Settings, world: World): void {
  const target = findTarget(settings, name);
  if (target.type !== "email")
    throw new UsageError(
      `target ${name} is of type ${target.type}; expected an email, to which a file can be sent`,
    );
  targetCredentials(target, settings, world);
}

/**
 * Sends a file of HTML to the people of an e-mail target, attached to a short message. Returns a line where some of them
 * did not get it. Throws UsageError where the target is none, AuditlakeError where the mail server does not take it.
 */
export async function mailFile(
  name: string,
  path: string,
  text: string,
  settings: Settings,
  world: World,
): Promise<string | undefined> {
  checkMail(name, settings, world);
  const target = findTarget(settings, name);
  if (target.type !== "email") return undefined;
  const { of } = targetCredentials(target, settings, world);
  const content = await readFile(path);
  const filename = basename(path);
  const digest = sha256Of(content).slice(0, 16);
  const mailed = await sendMail(target, () => of("password"), {
    id: `${filename}-${digest}`,
    subject: target.subject ?? `auditlake: ${filename}`,
    text: `${text}\n`,
    html: htmlMessage([text], undefined),
    attachments: [{ filename, content, contentType: "text/html; charset=utf-8" }],
  });
  if (mailed.kind !== "sent") throw mailFault(name, mailed);
  return mailed.rejected === 0 ? undefined : missedText(target, mailed.rejected);
}
