import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import { AuditlakeError, exitCode } from "../../../base/errors.ts";
import { addressOf } from "../../../base/http/address.ts";
import type { Exchange, HttpAnswer, HttpRequest } from "../../../base/http/exchange.ts";
import { outcomeText, type Repeat, type Sent } from "../../../base/http/transport.ts";
import type { DeliveryContext, WithName } from "../../../work/targets/destination.ts";
import { envelope, isFault, type Message } from "./soap.ts";
import { askToken, type Token } from "./token.ts";

/** An account of the marketing cloud, spoken to with a token that is renewed when it has to be. */
export type Session = {
  /** Calls a path of the REST interface with a JSON body. */
  readonly rest: (
    method: "GET" | "POST" | "PUT",
    path: string,
    parameters: Readonly<Record<string, string>>,
    body: string | undefined,
    repeat: Repeat,
  ) => Promise<Sent>;
  /** Sends one message of the SOAP interface. */
  readonly soap: (action: string, message: Message, repeat: Repeat) => Promise<Sent>;
};

/** A session for a target; asks for a token at the first call, and throws AuditlakeError where it gets none. */
export function openSession(target: WithName<MarketingCloud>, context: DeliveryContext): Session {
  let token: Token | undefined;
  const current = async (): Promise<Token> =>
    token !== undefined && context.world.now() < token.renewAtMs
      ? token
      : (token = await askToken(target, context));
  const call = async (make: (token: Token) => HttpRequest, repeat: Repeat): Promise<Sent> => {
    const first = await context.http.send(make(await current()), { repeat });
    if (!refusesToken(first)) return first;
    // The token may have been taken back before its time. A request that was turned away did nothing.
    token = undefined;
    const again = async (): Promise<Sent> => context.http.send(make(await current()), { repeat });
    if (!first.mayHaveActed) return again();
    // An earlier try stays uncertain, whatever comes of this one.
    return again().then(
      (found) => ({ ...found, mayHaveActed: true }),
      () => first,
    );
  };
  return {
    rest: (method, path, parameters, body, repeat) =>
      call(
        ({ rest, text }) => ({
          method,
          url: addressOf(rest, path, parameters),
          headers: {
            authorization: `Bearer ${text}`,
            accept: "application/json",
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body }),
        }),
        repeat,
      ),
    soap: (action, message, repeat) =>
      call(
        ({ soap, text }) => ({
          method: "POST",
          url: addressOf(soap, "/Service.asmx", {}),
          headers: { "content-type": "text/xml; charset=utf-8", soapaction: action },
          body: envelope(message, text, target.soap_namespace),
          isFinal: (answer) => isFault(answer.text),
        }),
        repeat,
      ),
  };
}

function refusesToken(found: Exchange): boolean {
  if (found.outcome !== "answered") return false;
  const { status, text } = found.answer;
  // Over SOAP a token that has ended is a fault of the sender.
  return (
    status === 401 || (status === 500 && /:(InvalidSecurity|Security)\b|Token Expired/.test(text))
  );
}

/**
 * The answer to a call that carries no rows. Throws AuditlakeError where there is none or it is not `status` 2xx, exit
 * code 4 where the account refuses.
 */
export function answerOf(
  found: Exchange,
  what: string,
  detail: (text: string) => string,
): HttpAnswer {
  if (found.outcome !== "answered")
    throw new AuditlakeError(`${what}: ${found.why}; run again later`);
  const { status, text } = found.answer;
  if (status >= 200 && status < 300) return found.answer;
  if (status === 401 || status === 403)
    throw new AuditlakeError(
      `${what} was refused (${status}); check the rights of the installed package`,
      exitCode.refused,
    );
  throw new AuditlakeError(`${what} ${outcomeText(found)}${detail(text)}`);
}
