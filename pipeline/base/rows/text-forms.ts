import type { TextForm } from "./row.ts";

/**
 * The forms of text files that reports and deliveries write, by the name of the format. Each is loaded when it is asked
 * for: the library of one takes as long as an answer.
 */
export const textForms = {
  csv: async () => (await import("./delimited.ts")).csvForm,
  tsv: async () => (await import("./delimited.ts")).tsvForm,
  ndjson: async () => (await import("./json-text.ts")).ndjsonForm,
} satisfies Record<string, () => Promise<TextForm>>;

/** The name of a form of text files. */
export type TextFormat = keyof typeof textForms;
