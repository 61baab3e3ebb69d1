import { AuditlakeError, UsageError } from "../../base/errors.ts";
import type { Settings } from "../../base/home/settings.ts";
import type { World } from "../../base/world.ts";
import { confirm, confirmWithText } from "../../base/terminal/confirm.ts";

type Flags = { readonly reason?: string; readonly yes?: true };

/**
 * Asks whether to send, and for a reason where `--reason` gives none. Returns the reason, or null. Throws UsageError
 * where policies.require_reason demands a reason and there is none, AuditlakeError where the answer is no.
 */
export async function agreedReason(
  { reason, yes }: Flags,
  { config }: Settings,
  world: World,
): Promise<string | null> {
  const given = reason?.trim() ?? "";
  const isAsked = yes !== true && world.stdin.isTTY === true;
  const isMissing = given === "" && config.policies.require_reason;
  if (isMissing && !isAsked) throw new UsageError(demanded);
  if (yes) return given || null;
  if (!isAsked)
    throw new UsageError("nothing was sent: nobody can be asked here; add --yes to set it");
  const answer =
    given === ""
      ? await confirmWithText(
          question,
          config.policies.require_reason ? "Why" : "Why (may be empty)",
          world,
        )
      : (await confirm(question, world))
        ? given
        : undefined;
  if (answer === undefined) throw new AuditlakeError("not confirmed; nothing was sent");
  if (answer === "" && isMissing) throw new UsageError(demanded);
  return answer || null;
}

const question = "Set these permissions?";
const demanded = "nothing was sent: policies.require_reason demands to say why; add --reason TEXT";
