import type { Row } from "../../support/rows.ts";
import { type Batch, formatLines } from "./batch.ts";
import { makeName } from "./scheduled-run.ts";
import type { Published } from "./published.ts";
import type { Trial } from "./trial.ts";

/** What the laboratory says of a batch of one seed where something of it were otherwise. */
export type Saying = (name: keyof Published, change: (rows: readonly Row[]) => Row[]) => string[];

/** Has a batch with other published rows judged. */
export function buildSentence(batch: Batch, trial: Trial): Saying {
  const source = makeName(trial.plan);
  return (name, change) => {
    const rows = change(batch.published[name].get(source) ?? []);
    const published = { ...batch.published, [name]: new Map([[source, rows]]) };
    return formatLines({ trials: [trial], published });
  };
}

/** Judges a batch with changed claims of its runs. */
export function sayingIf({ published }: Batch, trial: Trial, said: Partial<Trial>): string[] {
  return formatLines({ trials: [{ ...trial, ...said }], published });
}
