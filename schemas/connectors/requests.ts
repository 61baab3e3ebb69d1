import { z } from "zod";
import { duration } from "../duration.ts";
import { describeRule } from "./describe-rule.ts";

const triesRule = describeRule("a whole number from 1 to 20");
const rateRule = describeRule("a number of requests a second, from 0.01 to 1000");
const parallelRule = describeRule("a whole number from 1 to 16");

/** How requests go to one target. */
export const requests = z
  .strictObject({
    timeout: duration
      .refine((ms) => ms >= 100 && ms <= 3_600_000, "expected 1s to 1h")
      .optional()
      .describe("time limit of one request, response included; default: 60s"),
    tries: z
      .int(triesRule)
      .min(1, triesRule)
      .max(20, triesRule)
      .optional()
      .describe("attempts of one request that may be resent; default: 6"),
    per_second: z
      .number(rateRule)
      .min(0.01, rateRule)
      .max(1000, rateRule)
      .optional()
      .describe("maximum requests per second; default: unlimited"),
    parallel: z
      .int(parallelRule)
      .min(1, parallelRule)
      .max(16, parallelRule)
      .optional()
      .describe("maximum parallel requests with rows; default: 1"),
  })
  .optional()
  .describe("timeout, tries, rate and parallel requests");

export type RequestOptions = NonNullable<z.infer<typeof requests>>;
