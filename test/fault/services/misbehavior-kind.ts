import type { Random } from "../../../fixtures/random.ts";
import type { Manners, Style } from "./plan.ts";
import type { Misbehavior } from "./misbehavior.ts";

/** A misbehavior with its requirements on the service. */
export type Drawn = {
  readonly misbehavior: Omit<Misbehavior, "name">;
  readonly manners?: Partial<Manners>;
  /** The configured paging, if it is part of the misbehavior. */
  readonly paging?: object;
  /** Its answers end like complete ones: only the parts of a window can show it, so its windows can be cut. */
  readonly needsCut: boolean;
  /** Depends on the run: a second read at the same moment would agree with the first. */
  readonly differsByRun?: true;
};

/** When a service is read, and in windows of what length, milliseconds. */
export type When = { readonly runTimes: readonly number[]; readonly windowMs: number };

/** A family of misbehaviors: the styles that can have it, and one for a service with given manners. */
export type MisbehaviorKind = {
  readonly name: string;
  readonly styles: readonly Style[];
  /** Needs an envelope. */
  readonly isEnveloped?: true;
  readonly draw: (random: Random, manners: Manners, when: When) => Drawn;
};
