import { newRandom, type Random } from "../../../fixtures/random.ts";

/** What goes wrong with one call: the delivery breaks off, its answer is lost, or the process is killed around it. */
export type Trouble = "stop" | "lose" | "kill before" | "kill after";

/** Content of the source's rows by their ids. */
export type Source = ReadonlyMap<string, string>;

/** One run of the activation: what the source holds by then, and what goes wrong. */
export type Step = {
  readonly day: number;
  readonly source: Source;
  /** The number of the call with rows that has the fault, from 1. */
  readonly at: number;
  readonly trouble: Trouble | undefined;
  /** Ids that the destination refuses. */
  readonly poison: ReadonlySet<string>;
  readonly again: { readonly retryRefused: boolean; readonly resendUncertain: boolean };
  /** Whether the schedule started it, or a user without a scheduled time. */
  readonly isScheduled: boolean;
};

export type Destination =
  | "messaging"
  | "webhook"
  /** One that refuses what comes under an id that it has taken. */
  | "strict webhook"
  /** One that answers 200 to everything, and refuses in the body. */
  | "polite webhook"
  | "marketing cloud"
  | "marketing cloud, asynchronous"
  | "file";

/** A history of five days. */
export type Plan = {
  readonly seed: number;
  readonly verb: "activate" | "export";
  readonly destination: Destination;
  readonly batch: number;
  readonly steps: readonly Step[];
};

const days = 5;
const ids = ["a", "b", "c", "d", "e", "f", "g"];

const activated = ["strict webhook", "marketing cloud", "marketing cloud, asynchronous"] as const;
const exported = ["messaging", "webhook", "file", ...activated] as const;

/** Draws a history; the same seed gives the same one. */
export function makePlan(seed: number): Plan {
  const plan = drawnPlan(seed);
  const isPolite = plan.destination === "webhook" && seed % 2 === 1;
  return isPolite ? { ...plan, destination: "polite webhook" } : plan;
}

function drawnPlan(seed: number): Plan {
  const random = newRandom(seed, "deliveries to");
  const chance = random.next();
  if (chance < 0.35) return makeActivation(seed);
  if (chance < 0.6) return makeActivation(seed, random.pick(activated));
  return { ...makeActivation(seed, random.pick(exported)), verb: "export" };
}

/** Draws a history of an activation, to one of two destinations where none is given. */
export function makeActivation(seed: number, given?: Destination): Plan {
  const random = newRandom(seed, "deliveries");
  const drawn = random.pick(["messaging", "webhook"] as const);
  const destination = given ?? drawn;
  const steps: Step[] = [];
  let source: Source = new Map();
  for (let day = 1; day <= days; day++) {
    source = change(source, random, 0.5);
    const poison = new Set(ids.filter(() => random.chance(day === days ? 0.1 : 0.15)));
    const tries = random.pick([1, 1, 2, 3]);
    for (let n = 0; n < tries; n++) {
      if (n > 0 && random.chance(0.4)) source = change(source, random, 0.2);
      // A queue reports faulty rows later, one by one; the batch itself is accepted.
      const refused = destination === "marketing cloud, asynchronous" ? new Set<string>() : poison;
      steps.push(makeStep(day, source, refused, destination, random));
    }
  }
  return { seed, verb: "activate", destination, batch: random.int(1, 3), steps };
}

function makeStep(
  day: number,
  source: Source,
  poison: ReadonlySet<string>,
  destination: Destination,
  random: Random,
): Step {
  const troubles: (Trouble | undefined)[] = [
    undefined,
    undefined,
    undefined,
    "stop",
    "kill before",
  ];
  // A message whose answer is lost is not sent again; all others are retried within the same run.
  const isAsked = destination === "webhook";
  const last = isAsked ? "stop" : "lose";
  const trouble = random.pick([...troubles, "kill after", last]) as Trouble | undefined;
  const again = { retryRefused: random.chance(0.15), resendUncertain: random.chance(0.1) };
  const isScheduled = random.chance(0.8);
  return { day, source, at: random.int(1, 4), trouble, poison, again, isScheduled };
}

function change(source: Source, random: Random, share: number): Source {
  const next = new Map(source);
  for (const id of ids) {
    if (!random.chance(share)) continue;
    const content = random.pick(["x", "y", "z", undefined]);
    if (content === undefined) next.delete(id);
    else next.set(id, content);
  }
  return next;
}
