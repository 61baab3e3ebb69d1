import { allFaults, faultNames, faultsOf, type Faults } from "../../../fixtures/faults.ts";
import type { AnswerFormat } from "../../../fixtures/service/answer.ts";
import { fits } from "../../../fixtures/service.ts";
import type { PagingStyle } from "../../../fixtures/service/paging.ts";
import { UsageError } from "../../base/errors.ts";

/** The command line of `simulate`. */
export type Options = {
  readonly port: number;
  readonly seed: number;
  readonly days: number;
  readonly eventsPerDay: number;
  readonly paging: PagingStyle;
  readonly answer: AnswerFormat;
  readonly fault?: readonly string[];
  readonly faultRate?: number;
  readonly truth?: string;
  readonly log?: string;
  readonly keyOf?: string;
};

/** The faults as the help tells them, one on a line. */
export const faultHelp = allFaults
  .map(({ name, meaning }) => `  ${name.padEnd(14)} ${meaning}`)
  .join("\n");

/** Refuses options that do not go together; throws UsageError. */
export function checkOptions({ paging, answer, fault, faultRate }: Options): void {
  if (!fits(paging, answer))
    throw new UsageError(
      `--paging ${paging} needs --answer envelope, not ${answer}: no other body has room for the next page`,
    );
  const idle = fault?.find((name) => !canStrike(name, paging));
  if (idle !== undefined)
    throw new UsageError(
      `--fault ${idle} never strikes with --paging none, where a window comes in one answer; leave it out, or page`,
    );
  if (faultRate !== undefined && fault === undefined)
    throw new UsageError("--fault-rate needs --fault: without one, nothing goes wrong");
}

/** The faults asked for, with the seed of the log; `all` are those that can strike. */
export function chosenFaults(options: Options): Faults | undefined {
  const { fault, faultRate, seed, paging } = options;
  const faults = fault && faultsOf(fault, seed, faultRate);
  if (faults === undefined) return undefined;
  const names = [...faults.names].filter((name) => canStrike(name, paging));
  return { ...faults, names: new Set(names) };
}

function canStrike(name: string, paging: PagingStyle): boolean {
  const needsPages = allFaults.some((fault) => fault.name === name && fault.needsPages === true);
  return paging !== "none" || !needsPages;
}

/** Reads names between commas; a flag given again adds to those before. */
export function readFaults(text: string, before: readonly string[] = []): string[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => name !== "all" && !faultNames.includes(name));
  if (unknown === undefined) return [...before, ...names];
  throw new UsageError(
    `--fault: there is no fault ${JSON.stringify(unknown)}; expected all, or some of ${faultNames.join(",")}`,
  );
}

/** Reads a share from 0 to 1. */
export function readRate(text: string): number {
  const rate = /^(?:\d+|\d*\.\d+)$/.test(text) ? Number(text) : NaN;
  if (rate >= 0 && rate <= 1) return rate;
  throw new UsageError(`--fault-rate: expected a number from 0 to 1, got ${JSON.stringify(text)}`);
}

/** A reader of whole numbers within bounds. */
export function whole(flag: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(
      `${flag}: expected a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`,
    );
  };
}
