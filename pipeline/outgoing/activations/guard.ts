import type { Activation } from "../../../schemas/activation.ts";
import { formatRowCount } from "../targets/error.ts";
import { AuditlakeError, exitCode, UsageError } from "../../base/errors.ts";
import type { ComparedRows } from "../../core/store/activation/compare.ts";

/** Consent of a person, by a flag or on the terminal. */
export type Agreement = {
  /** Agreed beforehand to a change of more than the guard allows (`--yes`). */
  readonly confirmed: boolean;
  /** Agreed beforehand that a source without rows is right (`--allow-empty`). */
  readonly allowsEmpty: boolean;
  /** Prompts the person; resolves to false without a terminal. */
  readonly ask: (question: string) => Promise<boolean>;
};

/**
 * Explains why a run needs consent; undefined if it does not. Its source is empty, or it would delete or update more
 * than the guard's share of the rows at the destination. Classes without a mapping count, too, since their rows come
 * back as new rows when the source is fixed.
 */
export function guardFault(
  { rows, counts: { updated, deleted, unchanged } }: ComparedRows,
  { guard }: Pick<Activation, "guard">,
): { readonly kind: "empty" | "share"; readonly text: string } | undefined {
  const before = updated + deleted + unchanged;
  if (before === 0) return undefined;
  if (rows === 0)
    return {
      kind: "empty",
      text: `the source has no rows, so all ${formatRowCount(before)} of the destination would be deleted`,
    };
  const changing = updated + deleted;
  if (changing < guard.rows || changing <= guard.share * before) return undefined;
  const part = `${deleted} deleted and ${updated} updated of ${formatRowCount(before)} in the destination`;
  return {
    kind: "share",
    text: `${part} are more than the guard allows (${guard.share * 100} % for ${guard.rows} rows or more)`,
  };
}

/** Stops a run that its guard rejects without consent: AuditlakeError, exit code 3. */
export async function passGuard(
  name: string,
  compared: ComparedRows,
  activation: Pick<Activation, "guard">,
  { confirmed, allowsEmpty, ask }: Agreement,
): Promise<void> {
  const fault = guardFault(compared, activation);
  if (fault === undefined || (fault.kind === "empty" && allowsEmpty)) return;
  const isAgreed = fault.kind === "share" && (confirmed || (await ask(`${fault.text}; continue?`)));
  if (isAgreed) return;
  const flag = fault.kind === "empty" ? "--allow-empty" : "--yes";
  throw new AuditlakeError(
    `activation ${name} was stopped: ${fault.text}; nothing was delivered; check it with --dry-run, and confirm it with ${flag} if it is correct`,
    exitCode.findings,
  );
}

/** Stops an irreversible step without consent; throws UsageError. */
export async function agreeTo(
  question: string,
  { confirmed, ask }: Pick<Agreement, "confirmed" | "ask">,
): Promise<void> {
  if (confirmed || (await ask(question))) return;
  throw new UsageError("nothing was changed: confirmation needs a terminal; add --yes");
}
