import type { TextForm } from "./row.ts";

/** Text formats of reports and deliveries, by name. Loaded on demand: the library of one takes as long as an answer. */
export const textForms = {
  csv: async () => (await import("./delimited.ts")).csvForm,
  tsv: async () => (await import("./delimited.ts")).tsvForm,
  ndjson: async () => (await import("./json-text.ts")).ndjsonForm,
} satisfies Record<string, () => Promise<TextForm>>;

/** The name of a form of text files. */
export type TextFormat = keyof typeof textForms;
