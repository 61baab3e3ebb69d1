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
      .describe("of one request, answer included; 60s if left out"),
    tries: z
      .int(triesRule)
      .min(1, triesRule)
      .max(20, triesRule)
      .optional()
      .describe("of one request that may be sent again; 6 if left out"),
    per_second: z
      .number(rateRule)
      .min(0.01, rateRule)
      .max(1000, rateRule)
      .optional()
      .describe("requests a second at most; as fast as it answers if left out"),
    parallel: z
      .int(parallelRule)
      .min(1, parallelRule)
      .max(16, parallelRule)
      .optional()
      .describe("requests with rows that go side by side at most; 1 if left out"),
  })
  .optional()
  .describe("timeout, tries, rate and parallel requests");

export type RequestOptions = NonNullable<z.infer<typeof requests>>;
