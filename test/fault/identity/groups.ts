import type { Random } from "../../../fixtures/random.ts";

/** One record of a group, as a read shows it. */
export type Shown = {
  readonly group: number;
  /** Which known content it has, and which unknown one. */
  readonly known: number;
  readonly unknown: number;
};

/** Records of one request: with an id that they share, or with none. */
export type Group = {
  readonly number: number;
  readonly id: string | undefined;
  readonly second: number;
  /** What each read shows of it. */
  readonly reads: readonly (readonly Shown[])[];
};

const manners = ["steady", "steady", "comes_and_goes", "corrected", "grows", "any"] as const;

/**
 * Groups of records that are equal, different in known fields, or in unknown ones alone. From read to read they stay,
 * come late, vanish and come back, are corrected, or grow and shrink.
 */
export function makeGroups(
  random: Random,
  count: number,
  reads: number,
  lastSecond: number,
): Group[] {
  return Array.from({ length: count }, (_, number) => {
    const id = random.chance(0.6) ? random.uuid() : undefined;
    const second = random.int(1, lastSecond);
    return { number, id, second, reads: makeReads(random, number, reads) };
  });
}

function makeReads(random: Random, group: number, count: number): Shown[][] {
  const how = random.pick(manners);
  const whole = some(random, group);
  const other = some(random, group);
  return Array.from({ length: count }, (_, read): Shown[] => {
    switch (how) {
      case "steady":
        return whole;
      case "comes_and_goes":
        return random.chance(0.5) ? whole : [];
      case "corrected":
        // The same records with another known content, once and for all, or there and back.
        return random.chance(read / count)
          ? whole.map((one) => ({ ...one, known: one.known + 3 }))
          : whole;
      case "grows":
        return whole.slice(0, random.int(0, whole.length));
      case "any":
        return random.pick([whole, other, [...whole, ...other], some(random, group), []]);
    }
  });
}

function some(random: Random, group: number): Shown[] {
  const [knowns, unknowns] = [random.int(1, 3), random.int(1, 3)];
  const one = (): Shown => ({
    group,
    known: random.int(1, knowns),
    unknown: random.int(1, unknowns),
  });
  return Array.from({ length: random.pick([1, 1, 2, 3, 5]) }, one).flatMap((shown) =>
    Array.from({ length: random.chance(0.2) ? random.int(2, 3) : 1 }, () => shown),
  );
}

/** The part of a record that its key depends on: equal if source, id and known content are. */
export function getMark({ group, known }: Shown): string {
  return `g${group}-${known}`;
}

/** The second of a record in the hour; some corrections move it. */
export function computeSecond({ second, number }: Group, { known }: Shown): number {
  return known > 3 && number % 3 === 0 ? second + 1 : second;
}
