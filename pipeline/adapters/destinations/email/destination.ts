import type { EmailTarget } from "../../../../schemas/connectors/email.ts";
import { savedMarker } from "../../../../schemas/connectors/saved.ts";
import { countRows, type Destination } from "../../../work/targets/destination.ts";
import { rowCount } from "../../../work/targets/error.ts";
import { deliverByMail } from "./deliver.ts";
import { signInToMail } from "./send.ts";

/** One message with the rows. */
export const emailDestination: Destination<EmailTarget> = {
  deliver: deliverByMail,
  preview: async ({ to }, rows) =>
    `${rowCount(await countRows(rows))} in a message to ${to.join(", ")}`,
  describe: ({ to, host }) =>
    `${to.length === 1 ? to[0] : `${to.length} addresses`} through ${host}`,
  secrets: ({ password }) => [password],
  needsCredentials: ({ password, authentication }) =>
    password !== undefined || authentication !== undefined,
  test: async (target, { credential }) => {
    await signInToMail(target, () => credential("password"));
    const who = target.user === undefined ? "took the connection" : "took user and password";
    return [`the mail server ${who}; nothing was sent`];
  },
  paths: ["ca_file"],
  // Mail systems drop a message whose id they have.
  isNewEachTime: true,
  canNotifyAlone: ({ password }) => password === undefined || password === savedMarker,
};
