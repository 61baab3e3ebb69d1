import { z } from "zod";

const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/(?<!\/)\/+$/, ""));

/** How the head of the log over landed files is signed, and where it goes. */
export const evidence = z.strictObject({
  name: z
    .string()
    .regex(/^[!-*,-~]{1,100}(?<!\/)$/, "expected 1 to 100 characters without spaces and +")
    .default("auditlake")
    .describe("first part of the name of the key and of the log, such as audit.example.com"),
  key_file: z
    .string()
    .optional()
    .describe(
      "a file of mode 600 outside the home, made by evidence init; without it heads are not signed",
    ),
  heads: z
    .string()
    .optional()
    .describe("a folder elsewhere that gets each head, one folder for each home"),
  witness: z
    .strictObject({
      url: httpUrl.describe("submission prefix of a C2SP tlog-witness"),
      key: z.string().describe("its verifier key, NAME+HASH+BASE64"),
    })
    .optional(),
});

export type EvidenceConfig = z.infer<typeof evidence>;
