import { UnexpectedStatus } from "../faults.ts";
import type { HttpAnswer } from "../../../base/http/exchange.ts";
import type { Client } from "../client.ts";

/** The most requests that one investigation sends. */
export const mostRequests = 20;

/** All requests that an investigation may send are sent. */
export class OutOfRequests extends Error {
  override name = "OutOfRequests";
}

/** Sends requests to a service, and counts them. */
export type Asker = {
  /**
   * The answer as it came, undefined where the service does not take the request. Then it answers a status from 400 to
   * 499 that does not pass and is not about the key. Throws OutOfRequests, and what the client throws.
   */
  readonly ask: (
    path: string | URL,
    parameters: Readonly<Record<string, string>>,
  ) => Promise<HttpAnswer | undefined>;
  /** Requests sent so far, further attempts included. */
  readonly requests: () => number;
};

/** Makes an asker over a client, with at most `attempts` attempts per request; `empty` are statuses without records. */
export function newAsker(client: Client, attempts: number, empty: readonly number[] = []): Asker {
  const before = client.counts.requests;
  const countRequests = (): number => client.counts.requests - before;
  return {
    requests: countRequests,
    ask: async (path, parameters) => {
      if (countRequests() + attempts > mostRequests) throw new OutOfRequests();
      try {
        return await client.get(path, parameters, (answer) => answer, [200, 204, ...empty]);
      } catch (error) {
        if (error instanceof UnexpectedStatus) return undefined;
        throw error;
      }
    },
  };
}

/** What an answer to several candidates at once shows. */
export type Outcome =
  /** The number of the group that the service accepts. */
  | number
  /** The service takes none of them. */
  | "ignored"
  /** It refused the request, or its answer can be read in several ways. */
  | "unclear";

/** Sends the candidates of several groups in one request, each group with its own value. */
export type AskGroups<T> = (groups: readonly (readonly T[])[]) => Promise<Outcome>;

/**
 * Finds the candidate that a service accepts, undefined if it accepts none, or if the answers do not show it. All are
 * requested at once, each with the value of its group, so that one answer leaves one group. Services ignore unknown
 * parameters. For a service that rejects them, each candidate is requested separately.
 */
export async function findOne<T>(
  candidates: readonly T[],
  slots: number,
  isStrict: boolean,
  ask: AskGroups<T>,
): Promise<T | undefined> {
  if (candidates.length === 0 || slots < 1) return undefined;
  if (isStrict) return askOneByOne(candidates, ask);
  const found = await findAtOnce(candidates, slots, ask);
  return found === "unclear" ? findInParts(candidates, slots, ask) : found;
}

export async function findAtOnce<T>(
  candidates: readonly T[],
  slots: number,
  ask: AskGroups<T>,
): Promise<T | "unclear" | undefined> {
  const groups = dealIntoGroups(candidates, slots);
  const outcome = await ask(groups);
  if (outcome === "ignored") return undefined;
  return outcome === "unclear" ? "unclear" : narrowDown(groups[outcome]!, slots, ask);
}

// Where all at once are unclear, one of the names may mean something else to the service.
async function findInParts<T>(
  candidates: readonly T[],
  slots: number,
  ask: AskGroups<T>,
): Promise<T | undefined> {
  if (candidates.length === 1) return undefined;
  const middle = Math.ceil(candidates.length / 2);
  for (const part of [candidates.slice(0, middle), candidates.slice(middle)]) {
    const found = await findOne(part, slots, false, ask);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function askOneByOne<T>(candidates: readonly T[], ask: AskGroups<T>): Promise<T | undefined> {
  for (const candidate of candidates) if ((await ask([[candidate]])) === 0) return candidate;
  return undefined;
}

/** Finds the accepted candidate, if one of them certainly is accepted; undefined if the answers do not show which. */
export async function narrowDown<T>(
  candidates: readonly T[],
  slots: number,
  ask: AskGroups<T>,
): Promise<T | undefined> {
  if (candidates.length === 1) return candidates[0];
  // Those of the last group are left out: an answer that ignores the others shows that it is one of them.
  const groups = dealIntoGroups(candidates, slots + 1);
  const outcome = await ask(groups.slice(0, -1));
  if (outcome === "unclear") return undefined;
  return narrowDown(groups[outcome === "ignored" ? groups.length - 1 : outcome]!, slots, ask);
}

// The likely ones, which come first, are spread over the groups, and the last group has none more than others.
function dealIntoGroups<T>(candidates: readonly T[], most: number): T[][] {
  const groups: T[][] = Array.from({ length: Math.min(most, candidates.length) }, () => []);
  for (const [i, candidate] of candidates.entries()) groups[i % groups.length]!.push(candidate);
  return groups;
}
