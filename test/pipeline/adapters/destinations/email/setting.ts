import { type Print } from "../../../../../pipeline/base/notice/printer.ts";
import type { Delivery } from "../../../../../pipeline/outgoing/targets/destination.ts";
import { readCredentials } from "../../../../../pipeline/outgoing/deliveries/credentials.ts";
import { deliverByMail } from "../../../../../pipeline/adapters/destinations/email/destination.ts";
import {
  newLedger,
  type RetryOptions,
  type Ledger,
} from "../../../../../pipeline/outgoing/targets/ledger.ts";
import { newTransport, usualTransport } from "../../../../../pipeline/base/http/transport.ts";
import type { Rows } from "../../../../../pipeline/base/rows/row.ts";
import { email, type EmailTarget } from "../../../../../schemas/connectors/email.ts";
import type { MailServer } from "../../../../support/mail-server.ts";
import { testWorld } from "../../../../support/world.ts";
import { listRows } from "../../../outgoing/targets/rows.ts";

/** Rows with an address each, of which the first holds markup. */
export const people = (count: number): Rows =>
  listRows(
    ["actor", "what"],
    Array.from({ length: count }, (_, at) => [`a${at}@x.example`, at === 0 ? "<b>=1</b>" : "x"]),
  );

/** What a target has in common here. */
export const plain = {
  type: "email",
  security: "none",
  host: "127.0.0.1",
  from: "audit@x.example",
};

/** The target at a mail server, with further keys. */
export function buildTarget(
  { port }: Pick<MailServer, "port">,
  more: object = {},
): EmailTarget & { readonly name: string } {
  return { ...email.parse({ ...plain, port, to: "ops@x.example", ...more }), name: "team" };
}

type Given = RetryOptions & { readonly ledger?: Ledger; readonly print?: Print };

/** Delivers rows to a mail server as the delivery denials-1. */
export async function deliver(
  server: Pick<MailServer, "port">,
  rows: Rows,
  more: object = {},
  given: Given = {},
): Promise<Delivery> {
  const target = buildTarget(server, more);
  const world = testWorld();
  await using http = newTransport(usualTransport, world);
  const credential = readCredentials(target, {}, "/", {}).of;
  const common = { http, credential, world, outbox: "/nowhere", confirmed: false };
  const order = { print: () => undefined, deliveryId: "denials-1", ledger: newLedger(), ...given };
  return await deliverByMail(target, rows, { ...common, ...order });
}
