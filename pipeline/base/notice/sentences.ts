import { answerSentences } from "./sentences/answers.ts";
import { ingestSentences } from "./sentences/ingest.ts";
import { outgoingSentences } from "./sentences/outgoing.ts";
import { storeSentences } from "./sentences/store.ts";

/** The one table from code to sentence. The command of a notice comes as it can be pasted. */
export const sentences = {
  /** An error that was thrown; its message is the sentence. */
  failed: ({ text }: { readonly text: string }) => text,
  /** The error of a statement that its author must fix. */
  statement_bad: ({ text }: { readonly text: string }) => text,
  ...ingestSentences,
  ...storeSentences,
  ...answerSentences,
  ...outgoingSentences,
} as const satisfies Record<string, (facts: never, command: string) => string>;
