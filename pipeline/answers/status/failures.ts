/** What `status --fail-on` may name; each gives exit code 3 where it is found. */
export const failures = ["gaps", "quarantine", "unfinalized", "drift"] as const;
export type Failure = (typeof failures)[number];
