import type { Tally } from "./tally.ts";
import { answerOf, type Session } from "./session.ts";
import { failed, soapDetail } from "./folders.ts";
import { readAnswer, type Node } from "./soap.ts";

/**
 * Clears all rows of a data extension, which cannot be undone (seed 002, A, Data operations, rule 2). Throws
 * AuditlakeError where the account refuses, and notes on the account whether they are cleared. It needs an account and
 * a package with further rights (rule 6).
 */
export async function clearRows(key: string, tally: Tally, session: Session): Promise<void> {
  const what =
    "clearing the data extension (it needs an Enterprise 2.0 account and a package with admin rights)";
  const definition: Node = ["Definition", [["CustomerKey", key]], "DataExtension"];
  const message: Node = [
    "PerformRequestMsg",
    [
      ["Action", "ClearData"],
      ["Definitions", [definition]],
    ],
  ];
  // Clearing twice is clearing once, as long as no row has been written yet.
  const found = await session.soap("Perform", message, "harmless");
  if (found.mayHaveActed) tally.cleared = "perhaps";
  const answer = readAnswer(answerOf(found, what, soapDetail).text, what);
  if (answer.status !== "OK") throw failed(what, answer);
  tally.cleared = "yes";
}
