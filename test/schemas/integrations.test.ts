import { describe, expect, it } from "vitest";
import { checkEndpoint, gatewayUrl, integrations, sites } from "../../schemas/integrations.ts";

const gateways = {
  us01: "https://gateway.us01.example",
  eu01: "https://gateway.eu01.example/v1/",
};

function getFault(endpoint: string, given: unknown): string | undefined {
  return checkEndpoint(endpoint, integrations.parse(given));
}

describe("seed 002, C, rule 2: api_endpoint and the site", () => {
  it("there are four sites", () => {
    expect(sites).toEqual(["us01", "eu01", "ap02", "co.jp"]);
    expect(integrations.safeParse({ site: "us02" }).error?.issues[0]?.message).toBe(
      'found "us02"; expected one of us01, eu01, ap02, co.jp',
    );
    expect(integrations.safeParse({ gateways: { us02: gateways.us01 } }).success).toBe(false);
  });

  it.each([
    ["http://gateway.example", "has scheme http; expected https"],
    ["http://127.0.0.1:4000", "has scheme http; expected https"],
    ["gateway.example", "is not a web address; expected https"],
    ["https://me:pw@gateway.example", "contains a user name or password"],
    ["{integrations_gateway_url}", '"{integrations_gateway_url}" is a placeholder'],
    [7, "found 7; expected the gateway URL of the account's site"],
  ])("%s is not a gateway URL", (given, message) => {
    const found = gatewayUrl.safeParse(given).error?.issues[0]?.message ?? "";
    expect(found).toContain(message.replace("", ""));
    expect(found).not.toContain("pw");
  });

  it("nothing is compared if no gateway is known", () => {
    expect(getFault("https://any.example", {})).toBeUndefined();
    expect(getFault("https://any.example", { site: "us01" })).toBeUndefined();
  });

  it("the gateway of the account's site is right, with any ending slash", () => {
    expect(getFault("https://gateway.us01.example/", { site: "us01", gateways })).toBeUndefined();
    expect(getFault("https://gateway.eu01.example/v1", { site: "eu01", gateways })).toBeUndefined();
    expect(getFault(gateways.eu01, { gateways })).toBeUndefined();
  });

  it("the gateway of another site, or of none, is wrong", () => {
    expect(getFault(gateways.eu01, { site: "us01", gateways })).toBe(
      '"https://gateway.eu01.example/v1/" is the gateway of eu01; expected https://gateway.us01.example, that of us01',
    );
    expect(getFault("https://other.example", { site: "us01", gateways })).toMatch(
      /is the gateway of no site; expected https:\/\/gateway.us01.example, that of us01/,
    );
    expect(getFault(gateways.eu01, { site: "ap02", gateways })).toMatch(
      /is the gateway of eu01; expected that of ap02/,
    );
    expect(getFault("https://other.example", { gateways })).toMatch(
      /of no site; expected https:\/\/gateway.us01.example \(us01\), https:.* \(eu01\)/,
    );
  });
});
