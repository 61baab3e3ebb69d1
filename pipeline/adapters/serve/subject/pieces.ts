import { AuditlakeError, getMessage } from "../../../base/errors.ts";
import { getMarkupText, type Markup } from "../../../base/html/markup.ts";
import { writeProblem } from "../layout.ts";

/** Pieces of a page that has started: one that fails shows its error, and the others still come. */
export async function* tryPieces(
  pieces: readonly (() => Promise<Markup>)[],
): AsyncGenerator<string> {
  for (const write of pieces)
    try {
      yield getMarkupText(await write());
    } catch (error) {
      if (!(error instanceof AuditlakeError)) throw error;
      yield getMarkupText(writeProblem(getMessage(error)));
    }
}
