import type { Random } from "../../../fixtures/random.ts";
import type { MisbehaviorKind } from "./misbehavior-kind.ts";
import { styles, type Style } from "./plan.ts";
import type { Answer, Misbehavior } from "./misbehavior.ts";

// Answers with status 200 that say in their envelope that something went wrong.

const faultList: MisbehaviorKind = {
  name: "fault_list",
  styles,
  isEnveloped: true,
  draw: (random) => {
    const errors = random.pick([
      [{ code: 503 }],
      ["upstream timed out"],
      [{ message: "shard 3 failed" }],
    ]);
    const isFurther = random.chance(0.3);
    const body = ({ offset, held }: Answer): unknown =>
      held > 0 && (offset > 0 || !isFurther) ? { audits: [], errors } : undefined;
    return { misbehavior: { body }, needsCut: false };
  },
};

type Sign = readonly [name: string, value: unknown];

const signs: readonly Sign[] = [
  ["error", "timeout"],
  ["error", { code: 504, message: "shard failed" }],
  ["errors", ["2 of 5 shards"]],
  ["errors", { shard: "failed" }],
  ["fault", { code: "x" }],
  ["faults", ["x"]],
  ["success", false],
  ["ok", false],
  ["partial", true],
  ["incomplete", true],
  ["truncated", true],
  ["timed_out", true],
  ["status", 503],
  ["status", "error"],
  ["status", "failed"],
];
const further: Sign = ["has_more", true];

const faultBeside: MisbehaviorKind = {
  name: "fault_beside",
  styles,
  isEnveloped: true,
  draw: (random, { style, listAt }) => {
    const sign = random.pick(hasWayOn(style) ? signs : [...signs, further]);
    // Next to the list, if that is deeper than the top.
    const isInner = listAt.length > 1 && random.chance(0.5);
    return { misbehavior: cutWith(random, sign, isInner ? listAt[0] : undefined), needsCut: false };
  },
};

const faultInMeta: MisbehaviorKind = {
  name: "fault_in_meta",
  styles,
  isEnveloped: true,
  draw: (random) => {
    const [name, value] = random.pick(signs);
    const most = random.int(2, 12);
    return {
      misbehavior: {
        list: (held) => held.slice(0, most),
        beside: ({ held, shown }) => (held === shown ? {} : { [`meta.${name}`]: value }),
      },
      // Signs count at the top and beside the list, so the parts have to show it.
      needsCut: true,
    };
  },
};

// Where pages are counted there is always a way on.
function hasWayOn(style: Style): boolean {
  return style === "page" || style === "offset";
}

function cutWith(random: Random, [name, value]: Sign, inside?: string): Omit<Misbehavior, "name"> {
  const share = random.next() * 0.8;
  const at = inside === undefined ? name : `${inside}.${name}`;
  return {
    list: (held) => held.slice(0, Math.floor(held.length * share)),
    beside: ({ held, shown }) => (held === shown ? {} : { [at]: value }),
  };
}

/** Misbehaviors that an envelope reports. */
export const faultKinds: readonly MisbehaviorKind[] = [faultList, faultBeside, faultInMeta];
