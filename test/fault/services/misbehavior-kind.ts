import type { Random } from "../../../fixtures/random.ts";
import type { Manners, Style } from "./plan.ts";
import type { Misbehavior } from "./misbehavior.ts";

/** A lie with what it needs of the service around it. */
export type Drawn = {
  readonly misbehavior: Omit<Misbehavior, "name">;
  readonly manners?: Partial<Manners>;
  /** What the configuration says of the paging, where that is part of the lie. */
  readonly paging?: object;
  /** Its answers end like whole ones: the parts of a window alone can show it, so its windows can be cut. */
  readonly needsCut: boolean;
  /** Goes by nights: read again at one moment, it would be taken at its word. */
  readonly differsByRun?: true;
};

/** When a service is read, and in windows of what length, milliseconds. */
export type When = { readonly runTimes: readonly number[]; readonly windowMs: number };

/** A family of lies: the styles that can tell it, and one of it for a service of some manners. */
export type MisbehaviorKind = {
  readonly name: string;
  readonly styles: readonly Style[];
  /** Tells it in an envelope alone. */
  readonly isEnveloped?: true;
  readonly draw: (random: Random, manners: Manners, when: When) => Drawn;
};
