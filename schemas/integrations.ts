import { z } from "zod";
import { describeRule, showValue } from "./connectors/describe-rule.ts";
import { checkSecureUrl } from "./connectors/secure-url.ts";

/** The sites that have an integrations gateway of their own (seed 002, C, rule 2). */
export const sites = ["us01", "eu01", "ap02", "co.jp"] as const;

const rule = describeRule("the gateway URL of the account's site, https://…");

/** The address of a gateway: https always, and a real address instead of a placeholder of a manual. */
export const gatewayUrl = z.string(rule).superRefine((text, context) => {
  const fault = checkGateway(text);
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
});

function checkGateway(text: string): string | undefined {
  if (/[{}<>]/.test(text))
    return `${showValue(text)} is a placeholder; expected the gateway URL of the account's site, https://…`;
  const fault = checkSecureUrl(text);
  if (fault !== undefined) return fault;
  return text.startsWith("https:") ? undefined : "has scheme http; expected https";
}

const siteKeys = z
  .strictObject({
    fetch: z
      .boolean(describeRule("true or false"))
      .default(false)
      .describe("fetch the workflow definition from api_endpoint, and use it as a workflow file"),
  })
  .optional();

/** Which site the account is on, and the gateways of the sites: their addresses are not shown in the reference. */
export const integrations = z.strictObject({
  site: z
    .enum(sites, describeRule(`one of ${sites.join(", ")}`))
    .optional()
    .describe("the account's site; api_endpoint must be its gateway"),
  gateways: z
    .partialRecord(z.enum(sites), gatewayUrl)
    .default({})
    .describe("gateway URL per site; api_endpoint is compared with these"),
  us01: siteKeys,
  eu01: siteKeys,
  ap02: siteKeys,
  "co.jp": siteKeys,
});

export type Integrations = z.infer<typeof integrations>;

/**
 * What is wrong with an api_endpoint that is a valid address (seed 002, C, rule 2). It is not the gateway of the
 * account's site, or of no site that is known. Undefined where nothing is, or no gateway is configured.
 */
export function checkEndpoint(
  endpoint: string,
  { site, gateways }: Integrations,
): string | undefined {
  const known = Object.entries(gateways);
  const owner = known.find(([, url]) => isSame(url, endpoint))?.[0];
  const found = `${showValue(endpoint)} is the gateway of ${owner ?? "no site"}`;
  if (site === undefined) {
    const list = known.map(([name, url]) => `${url} (${name})`).join(", ");
    return known.length === 0 || owner !== undefined ? undefined : `${found}; expected ${list}`;
  }
  const wanted = gateways[site];
  if (owner === site || (owner === undefined && wanted === undefined)) return undefined;
  return `${found}; expected ${wanted === undefined ? "" : `${wanted}, `}that of ${site}`;
}

/** Whether the workflow definition is to be fetched from an api_endpoint: that of a site which says so. */
export function isFetched(endpoint: string, integrations: Integrations): boolean {
  const { site, gateways } = integrations;
  const owner = sites.find((each) => {
    const url = gateways[each];
    return url !== undefined && isSame(url, endpoint);
  });
  const own = owner ?? site;
  return own !== undefined && integrations[own]?.fetch === true;
}

function isSame(one: string, other: string): boolean {
  const normalizeUrl = (text: string): string => new URL(text).href.replace(/(?<!\/)\/+$/, "");
  return normalizeUrl(one) === normalizeUrl(other);
}
