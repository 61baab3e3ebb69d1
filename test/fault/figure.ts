/** What a figure measured. */
export type Measured = {
  /** How many units were carried out. */
  readonly done: number;
  /** One line per violation, each beginning with the seed that replays it; empty where the figure holds. */
  readonly failures: readonly string[];
  /** Facts for the table, for example "0 lost, 0 doubled, longest 41 ms". */
  readonly note?: string | undefined;
};

/** One row of the fault laboratory's table: an operation, repeated many times, that must never fail. */
export type Figure = {
  /** Label of the row, and its name on the command line. */
  readonly name: string;
  /** What is counted, in the plural, for example "kills". */
  readonly unit: string;
  /** What must hold for each, for example "0 lost, 0 doubled". */
  readonly asked: string;
  /** How many units `make fault` asks for, and how many `make fault-short`. */
  readonly long: number;
  readonly short: number;
  /** Units of one seed; 1 if left out. A failing seed is replayed with as many. */
  readonly perSeed?: number;
  /** Carries out `count` units, all random draws from `seed`; `report` receives lines of progress. */
  readonly run: (count: number, seed: number, report: (line: string) => void) => Promise<Measured>;
};

/** Seed of the unit at a place in a run: a run that starts from it begins with that unit. */
export function makeSeed(seed: number, place: number): number {
  return seed + place;
}

/**
 * Units of a figure in its test. If the laboratory runs the whole suite for another purpose, a tenth is enough: it
 * counts each figure separately, too.
 */
export function getShort({ short }: Figure): number {
  return process.env["FAULT_WITHIN"] === undefined ? short : Math.ceil(short / 10);
}
