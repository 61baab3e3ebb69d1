import { InvalidArgumentError } from "commander";

/** What `status --fail-on` may name; each gives exit code 3 where it is found. */
export const failures = ["gaps", "quarantine", "unfinalized", "drift"] as const;
export type Failure = (typeof failures)[number];

/** The list of an option; throws InvalidArgumentError on a name that is none. */
export function failureList(text: string): Failure[] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !(failures as readonly string[]).includes(name));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`found "${wrong}"; expected some of ${failures.join(",")}.`);
  return names as Failure[];
}
