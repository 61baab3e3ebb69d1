import { z } from "zod";
import type { Messaging } from "../../../../schemas/connectors/messaging.ts";
import { messagingFault } from "../../../../schemas/connectors/messaging-answers.ts";
import { AuditlakeError, exitCode } from "../../../base/errors.ts";
import { addressOf, checkBase, followed, within } from "../../../base/http/address.ts";
import type { Exchange } from "../../../base/http/exchange.ts";
import { outcomeText } from "../../../base/http/transport.ts";
import type { DeliveryContext } from "../../../work/targets/destination.ts";
import { verdictOf } from "./verdict.ts";
import { jsonOf } from "../../../base/rows/json-text.ts";

/** The messaging service as one account sees it. */
export type Session = {
  /** Sends a message from a phone number, once; one that was turned away is sent again. */
  readonly send: (phoneNumberId: string, message: string) => Promise<Exchange>;
  /** Throws AuditlakeError unless the service shows what an id names. */
  readonly known: (id: string) => Promise<void>;
  /** All pages of a list; throws AuditlakeError where it cannot be had. */
  readonly list: <T>(path: string, query: Query, page: z.ZodType<Page<T>>) => Promise<T[]>;
};

type Query = Readonly<Record<string, string>>;
type Page<T> = {
  readonly data: T[];
  readonly paging?: { readonly next?: string | undefined } | undefined;
};

const maxPages = 100;

// What an object holds beside its id is nobody's business here.
const anything = z.object({ id: z.string() }).transform(() => ({ data: [] }));

/** A session with the address, version and token of the target; throws UsageError where they will not do. */
export function newSession(
  target: Messaging,
  { http, credential, world }: DeliveryContext,
): Session {
  const base = checkBase(target.base_url, world.env);
  const authorization = `Bearer ${credential("access_token")}`;
  const at = (path: string, query: Query = {}): URL =>
    addressOf(base, `/${target.version}/${path}`, query);
  const get = (url: URL): Promise<Exchange> =>
    http.send({ method: "GET", url, headers: { authorization } }, { repeat: "harmless" });
  return {
    send: (phoneNumberId, body) => {
      const headers = { authorization, "content-type": "application/json" };
      const url = at(`${phoneNumberId}/messages`);
      return http.send({ method: "POST", url, headers, body }, { repeat: "harmful" });
    },
    known: async (id) => {
      pageOf(await get(at(id)), anything, id, "what has this id");
    },
    list: async (path, query, page) => {
      const all = [];
      let url: URL | undefined = at(path, query);
      for (let n = 0; url !== undefined && n < maxPages; n++) {
        const found = await get(url);
        const content = pageOf(found, page, path);
        all.push(...content.data);
        const next = content.paging?.next;
        url = next === undefined ? undefined : within(base, followed(url, next));
      }
      return all;
    },
  };
}

function pageOf<T>(
  found: Exchange,
  page: z.ZodType<Page<T>>,
  path: string,
  expected = "a list under data",
): Page<T> {
  const text = found.outcome === "answered" ? found.answer.text : "";
  const result = page.safeParse(jsonOf(text));
  const isFine = found.outcome === "answered" && found.answer.status < 300 && result.success;
  if (isFine) return result.data;
  const verdict = verdictOf(found);
  const isKey = verdict.kind === "stop" && verdict.code === exitCode.refused;
  const code = messagingFault.safeParse(jsonOf(text)).data?.error.code;
  const what = `${outcomeText(found)}${code === undefined ? "" : ` with code ${code}`}`;
  throw new AuditlakeError(
    `GET …/${path.replace(/^.*\//, "")}: the service ${what}; expected ${expected}${isKey ? "; check access_token" : ""}; nothing was sent`,
    isKey ? exitCode.refused : exitCode.failed,
  );
}
