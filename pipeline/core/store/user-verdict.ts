/** What is known of a user list when it is judged. */
export type UserCounts = {
  /** Users on the list. */
  readonly listed: number;
  /** Users in force before it. */
  readonly inForce: number;
  /** Users in force at the last reading that was not held back, and those of them whom the list does not have. */
  readonly settled: number;
  readonly settledMissing: number;
  /** Of those in force, whom the list lacks. */
  readonly lacking: number;
  /** Of those in force, whom the list lacked that was kept aside last. */
  readonly missing: number;
  /** Whom both lack. */
  readonly stillMissing: number;
};

/** What becomes of a list: see `directory_readings`. */
export type UserVerdict = {
  readonly verdict: "whole" | "loss" | "held_back" | "accepted" | "empty" | "faulty";
  /** Who of those whom it lacks ends; `undecided` leaves open, too, whom the lists before it did not have. */
  readonly ends: "all" | "missing_before" | "none" | "undecided";
};

const share = 10;
// A tenth of fewer users is less than one of them: each leaver would be a loss.
const few = 10;
const leavers = 2;
const fewestHeldBack = 10;

/**
 * Judges a user list. An empty one never takes the place of one that is not, however often it comes. Who vanishes
 * ends, but a loss of more than a tenth waits for a later reading that agrees. A list without more than half of the
 * users ends none of them, however often it comes, until a person accepts it.
 */
export function verdictOnUsers(
  counts: UserCounts,
  against: readonly string[],
  isAccepted = false,
): UserVerdict {
  const { listed, inForce, lacking, missing, stillMissing, settled, settledMissing } = counts;
  if (isAccepted) return { verdict: "accepted", ends: "all" };
  if (against.length > 0) return { verdict: "faulty", ends: "none" };
  if (listed === 0 && inForce > 0) return { verdict: "empty", ends: "none" };
  if (settledMissing >= fewestHeldBack && settledMissing * 2 > settled)
    return { verdict: "held_back", ends: "undecided" };
  if (!isLoss(lacking, inForce)) return { verdict: "whole", ends: "all" };
  // A reading that lists more than a tenth of them again shows that the one before was not whole.
  const isAgreed = missing > 0 && (missing - stillMissing) * share <= missing;
  if (!isAgreed) return { verdict: "loss", ends: "none" };
  return isLoss(lacking - stillMissing, inForce)
    ? { verdict: "loss", ends: "missing_before" }
    : { verdict: "whole", ends: "all" };
}

function isLoss(users: number, inForce: number): boolean {
  return users * share > inForce && (inForce >= few || users > leavers);
}
