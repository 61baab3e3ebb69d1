import { UsageError } from "../../errors.ts";
import type { Settings } from "../../settings.ts";

/** Why a set is sent, as `--reason` says it; throws UsageError where policies.require_reason demands one. */
export function reasonFor(
  { reason }: { readonly reason?: string },
  { config }: Settings,
): string | null {
  const text = reason?.trim() ?? "";
  if (text !== "") return text;
  if (config.policies.require_reason)
    throw new UsageError(
      "nothing was sent: policies.require_reason demands to say why; add --reason TEXT",
    );
  return null;
}
