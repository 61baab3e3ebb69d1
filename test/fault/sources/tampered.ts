import type { Row } from "../../support/rows.ts";
import { type Batch, formatLines } from "./batch.ts";
import { makeName } from "./scheduled-run.ts";
import type { Published } from "./published.ts";
import type { Trial } from "./trial.ts";

/** The laboratory's verdict on a batch of one seed after a change. */
export type Saying = (name: keyof Published, change: (rows: readonly Row[]) => Row[]) => string[];

/** Judges a batch with changed published rows. */
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
