import type { z } from "zod";
import {
  enhancedToken,
  legacyToken,
} from "../../../../schemas/connectors/marketing-cloud-answers.ts";
import type { MarketingCloud } from "../../../../schemas/connectors/marketing-cloud.ts";
import { AuditlakeError, exitCode } from "../../../base/errors.ts";
import { addressOf, checkBase } from "../../../base/http/address.ts";
import { outcomeText } from "../../../base/http/transport.ts";
import type { DeliveryContext, WithName } from "../../../work/targets/destination.ts";
import { parsedAs } from "./answer.ts";

/** A token with the addresses it is good for. */
export type Token = {
  readonly text: string;
  readonly rest: URL;
  readonly soap: URL;
  /** When a new one is to be asked for, milliseconds; somewhat before this one ends. */
  readonly renewAtMs: number;
};

const longestMarginMs = 60_000;

/**
 * Asks for a token with the credentials of the installed package, enhanced or legacy (seed 002, A, auth_type).
 * Throws AuditlakeError, exit code 4 where the package is refused; the answer is never shown.
 */
export async function askToken(
  target: WithName<MarketingCloud>,
  context: DeliveryContext,
): Promise<Token> {
  const atMs = context.world.now();
  return target.auth_type === "v2"
    ? enhanced(target, context, atMs)
    : legacy(target, context, atMs);
}

async function enhanced(
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
  const answer = await post(addressOf(base, "/v2/token", {}), body, enhancedToken, context);
  return {
    text: answer.access_token,
    rest: checkBase(answer.rest_instance_url, env, "rest_instance_url of the token"),
    soap: checkBase(answer.soap_instance_url, env, "soap_instance_url of the token"),
    renewAtMs: renewAt(atMs, answer.expires_in),
  };
}

async function legacy(
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
  const answer = await post(addressOf(base, "/v1/requestToken", {}), body, legacyToken, context);
  return { text: answer.accessToken, rest, soap, renewAtMs: renewAt(atMs, answer.expiresIn) };
}

function renewAt(atMs: number, lifeSeconds: number): number {
  const lifeMs = lifeSeconds * 1000;
  return atMs + lifeMs - Math.min(longestMarginMs, lifeMs / 5);
}

async function post<T>(
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
  if (status === 200) return parsedAs(schema, text, what);
  if (status >= 400 && status < 500 && status !== 429 && status !== 408)
    throw new AuditlakeError(
      `${what} answered ${status}: it refused the installed package; check client_id, client_secret, account_id and scope`,
      exitCode.refused,
    );
  throw new AuditlakeError(`${what} ${outcomeText(found)}, so there is no token; run again later`);
}
