import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import { AuditlakeError, exitCode } from "../../../base/errors.ts";
import { buildAddress, checkBase } from "../../../base/http/address.ts";
import type { Exchange, HttpAnswer, HttpRequest } from "../../../base/http/exchange.ts";
import { formatOutcome, pauseFor, type Repeat, type Sent } from "../../../base/http/transport.ts";
import type { DeliveryContext, WithName } from "../../../outgoing/targets/destination.ts";
import { writeEnvelope, isFault, type Message } from "./soap.ts";
import type { World } from "../../../base/world.ts";
import type { z } from "zod";
import {
  enhancedToken,
  legacyToken,
} from "../../../../schemas/connectors/marketing-cloud-answers.ts";
import { parseAs } from "./answer.ts";

/** An account of the marketing cloud, spoken to with a token that is renewed when it has to be. */
export type Session = {
  readonly rest: (
    method: "GET" | "POST" | "PUT",
    path: string,
    parameters: Readonly<Record<string, string>>,
    body: string | undefined,
    repeat: Repeat,
  ) => Promise<Sent>;
  readonly soap: (action: string, message: Message, repeat: Repeat) => Promise<Sent>;
};

/** Opens a session for a target; requests a token at the first call, and throws AuditlakeError without one. */
export function openSession(target: WithName<MarketingCloud>, context: DeliveryContext): Session {
  let token: Token | undefined;
  const getToken = async (): Promise<Token> =>
    token !== undefined && context.world.now() < token.renewAtMs
      ? token
      : (token = await askToken(target, context));
  const callWithToken = async (
    make: (token: Token) => HttpRequest,
    repeat: Repeat,
  ): Promise<Sent> => {
    const first = await context.http.send(make(await getToken()), { repeat });
    if (!isTokenRefused(first)) return first;
    // The token may have been revoked before it expired. A rejected request had no effect.
    token = undefined;
    const sendAgain = async (): Promise<Sent> =>
      context.http.send(make(await getToken()), { repeat });
    if (!first.mayHaveActed) return sendAgain();
    // An earlier try stays uncertain, regardless of the outcome of this one.
    return sendAgain().then(
      (found) => ({ ...found, mayHaveActed: true }),
      () => first,
    );
  };
  return {
    rest: (method, path, parameters, body, repeat) =>
      callWithToken(
        ({ rest, text }) => ({
          method,
          url: buildAddress(rest, path, parameters),
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
      callWithToken(
        ({ soap, text }) => ({
          method: "POST",
          url: buildAddress(soap, "/Service.asmx", {}),
          headers: { "content-type": "text/xml; charset=utf-8", soapaction: action },
          body: writeEnvelope(message, text, target.soap_namespace),
          isFinal: (answer) => isFault(answer.text),
        }),
        repeat,
      ),
  };
}

function isTokenRefused(found: Exchange): boolean {
  if (found.outcome !== "answered") return false;
  const { status, text } = found.answer;
  // Over SOAP a token that has ended is a fault of the sender.
  return (
    status === 401 || (status === 500 && /:(InvalidSecurity|Security)\b|Token Expired/.test(text))
  );
}

/**
 * Returns the answer to a call without rows. Throws AuditlakeError if it is missing or not `status` 2xx, with exit code
 * 4 if the account refuses.
 */
export function getAnswer(
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
  throw new AuditlakeError(`${what} ${formatOutcome(found)}${detail(text)}`);
}

/** What was there already, or the answer to the request that created it. */
type Creation<T> = { readonly existing: T } | { readonly answer: Exchange };

const mostTries = 6;
const firstDelayMs = 1000;

/**
 * Creates an object that may exist only once. If it is unknown whether a request created it, the object is looked up,
 * and created only if it does not exist.
 */
export async function makeOnce<T>(
  make: () => Promise<Exchange>,
  find: () => Promise<T | undefined>,
  world: Pick<World, "sleep" | "signal">,
): Promise<Creation<T>> {
  for (let n = 1; ; n++) {
    const answer = await make();
    if (!isUncertain(answer)) return { answer };
    const existing = await find();
    if (existing !== undefined) return { existing };
    if (n === mostTries) return { answer };
    await pauseFor(firstDelayMs * 2 ** n, world);
  }
}

function isUncertain(found: Exchange): boolean {
  if (found.outcome !== "answered") return found.outcome === "lost" && !found.isFinal;
  return found.answer.status >= 500;
}

/** A token with the addresses it is good for. */
type Token = {
  readonly text: string;
  readonly rest: URL;
  readonly soap: URL;
  /** When to request a new token, milliseconds; shortly before this one expires. */
  readonly renewAtMs: number;
};

const longestMarginMs = 60_000;

/**
 * Requests a token with the credentials of the installed package, enhanced or legacy (seed 002, A, auth_type). Throws
 * AuditlakeError, with exit code 4 if the package is refused; the answer is never shown.
 */
async function askToken(
  target: WithName<MarketingCloud>,
  context: DeliveryContext,
): Promise<Token> {
  const atMs = context.world.now();
  return target.auth_type === "v2"
    ? requestEnhancedToken(target, context, atMs)
    : requestLegacyToken(target, context, atMs);
}

async function requestEnhancedToken(
  target: WithName<MarketingCloud>,
  context: DeliveryContext,
  atMs: number,
): Promise<Token> {
  const { env } = context.world;
  const base = checkBase(target.auth_uri!, env, `target ${target.name}: auth_uri`);
  const body = {
    grant_type: "client_credentials",
    client_id: context.credential("client_id"),
    client_secret: context.credential("client_secret"),
    ...(target.scope === undefined ? {} : { scope: target.scope }),
    ...(target.account_id === undefined ? {} : { account_id: target.account_id }),
  };
  const answer = await postJson(buildAddress(base, "/v2/token", {}), body, enhancedToken, context);
  return {
    text: answer.access_token,
    rest: checkBase(answer.rest_instance_url, env, "rest_instance_url of the token"),
    soap: checkBase(answer.soap_instance_url, env, "soap_instance_url of the token"),
    renewAtMs: renewAt(atMs, answer.expires_in),
  };
}

async function requestLegacyToken(
  target: WithName<MarketingCloud>,
  context: DeliveryContext,
  atMs: number,
): Promise<Token> {
  const { env } = context.world;
  const place = `target ${target.name}:`;
  const rest = checkBase(target.rest_uri!, env, `${place} rest_uri`);
  const soap = checkBase(target.soap_uri!, env, `${place} soap_uri`);
  const base =
    target.auth_uri === undefined ? rest : checkBase(target.auth_uri, env, `${place} auth_uri`);
  const body = {
    clientId: context.credential("client_id"),
    clientSecret: context.credential("client_secret"),
  };
  const answer = await postJson(
    buildAddress(base, "/v1/requestToken", {}),
    body,
    legacyToken,
    context,
  );
  return { text: answer.accessToken, rest, soap, renewAtMs: renewAt(atMs, answer.expiresIn) };
}

function renewAt(atMs: number, lifeSeconds: number): number {
  const lifeMs = lifeSeconds * 1000;
  return atMs + lifeMs - Math.min(longestMarginMs, lifeMs / 5);
}

async function postJson<T>(
  url: URL,
  body: Readonly<Record<string, string>>,
  schema: z.ZodType<T>,
  { http }: DeliveryContext,
): Promise<T> {
  const what = `POST ${url.origin}${url.pathname}`;
  const headers = { "content-type": "application/json", accept: "application/json" };
  const found = await http.send(
    { method: "POST", url, headers, body: JSON.stringify(body) },
    { repeat: "harmless" },
  );
  if (found.outcome !== "answered") throw new AuditlakeError(`${what}: no token: ${found.why}`);
  const { status, text } = found.answer;
  if (status === 200) return parseAs(schema, text, what);
  if (status >= 400 && status < 500 && status !== 429 && status !== 408)
    throw new AuditlakeError(
      `${what} answered ${status}: it refused the installed package; check client_id, client_secret, account_id and scope`,
      exitCode.refused,
    );
  throw new AuditlakeError(
    `${what} ${formatOutcome(found)}, so there is no token; run again later`,
  );
}
