/** What `verify` can find, in the order in which the first that holds is reported. */
export const results = [
  "file changed since export",
  "log changed",
  "stored pages changed",
  "stored pages pruned",
  "produced by another version",
  "does not match the stored pages",
  "internally consistent only",
  "proven",
] as const;

export type Result = (typeof results)[number];

/** Ends a verification before its last step: the result and its reason. */
export class Mismatch extends Error {
  override name = "Mismatch";
  readonly result: Result;

  constructor(result: Result, reason: string) {
    super(reason);
    this.result = result;
  }
}

/** The steps of a verification, in their order. */
export const stepNames = ["file", "head", "outside head", "stored pages", "report"] as const;

/** A step that was carried out; a step behind the first that failed is not. */
export type Step = {
  readonly step: number;
  readonly result: "holds" | "fails" | "not checked";
  readonly detail: string;
};

/** Outcome of a verification. */
export type Verification = {
  readonly result: Result;
  readonly reason: string;
  readonly steps: readonly Step[];
  /** The checkpoint of the description. */
  readonly head: string;
  /** How many reads were checked down to their pages. */
  readonly reads: number;
};
