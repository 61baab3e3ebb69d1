import { z } from "zod";
import { outputs } from "../outputs.ts";
import { describeRule, showValue } from "./describe-rule.ts";
import { authenticationName, credential } from "./saved.ts";

const hostRule = describeRule("the name of a mail server");
const portRule = describeRule("a port from 1 to 65535");
const addressRule = describeRule("an e-mail address such as ops@example.com");
const rowsRule = describeRule("a whole number from 1 to 500");

const address = z
  .string(addressRule)
  .regex(/^[^\s@<>,;:"\\()[\]]{1,64}@[A-Za-z0-9.-]{1,253}$/, addressRule);

/** The port of a mail server where none is configured, by how the connection is encrypted. */
export const mailPorts = { starttls: 587, tls: 465, none: 25 } as const;

/** Recipients of results by e-mail, through a mail server. */
export const email = z
  .strictObject({
    type: z.literal("email"),
    authentication: authenticationName,
    outputs: outputs.optional(),
    host: z
      .string(hostRule)
      .regex(/^[A-Za-z0-9.:-]{1,253}$/, hostRule)
      .describe("the mail server"),
    port: z
      .int(portRule)
      .min(1, portRule)
      .max(65_535, portRule)
      .optional()
      .describe(
        `default: ${mailPorts.starttls}, with tls ${mailPorts.tls}, with none ${mailPorts.none}`,
      ),
    security: z
      .enum(["starttls", "tls", "none"], describeRule("starttls, tls or none"))
      .default("starttls")
      .describe("encryption of the connection; none only for this machine"),
    ca_file: z
      .string()
      .min(1)
      .optional()
      .describe(
        "PEM of your own certificate authority; a relative path starts at the configuration file",
      ),
    user: z.string().min(1).optional().describe("user name for signing in, with the password"),
    password: credential.optional(),
    from: address,
    to: z
      .union([address.transform((one) => [one]), z.array(address, addressRule).min(1).max(100)])
      .describe("an address, or a list of them"),
    subject: z
      .string()
      .regex(/^[^\p{Cc}]{1,200}$/u)
      .optional()
      .describe("subject of deliveries; default: their name"),
    table_rows: z
      .int(rowsRule)
      .min(1, rowsRule)
      .max(500, rowsRule)
      .default(50)
      .describe("maximum number of rows in the message; more are attached as CSV"),
  })
  .superRefine((value, context) => {
    const { user, password, security, host } = value;
    const addIssue = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message });
    if ((user === undefined) !== (password === undefined))
      addIssue("password", "expected user and password together, or neither");
    if (security === "none" && !/^(localhost|127(\.\d+){3}|::1)$/.test(host))
      addIssue(
        "security",
        `found "none" for ${showValue(host)}, which would expose the content; expected starttls or tls`,
      );
  });

export type EmailTarget = z.infer<typeof email>;
