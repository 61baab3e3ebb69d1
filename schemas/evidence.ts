import { z } from "zod";

const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, ""));

/** How the head of the log over landed files is signed, and where it goes. */
export const evidence = z.strictObject({
  name: z
    .string()
    .regex(/^[!-*,-~]{1,100}(?<!\/)$/, "expected 1 to 100 characters without spaces and +")
    .default("auditlake")
    .describe("first part of the names of key and log, such as audit.example.com"),
  key_file: z
    .string()
    .optional()
    .describe(
      "a file of mode 600 outside the home, created by evidence init; without it, heads are not signed",
    ),
  heads: z
    .string()
    .optional()
    .describe("a folder outside the home that receives each head; one folder per home"),
  witness: z
    .strictObject({
      url: httpUrl.describe("submission prefix of a C2SP tlog-witness"),
      key: z.string().describe("its verifier key, NAME+HASH+BASE64"),
    })
    .optional(),
});

export type EvidenceConfig = z.infer<typeof evidence>;
