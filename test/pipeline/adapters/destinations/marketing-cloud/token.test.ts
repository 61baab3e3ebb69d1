import { describe, expect, it } from "vitest";
import { newJsonReply } from "../../../../../fixtures/destinations/destination.ts";
import { carriesRows, nth, newRows, toRows } from "./sent.ts";
import { failure, newSetting } from "./setting.ts";

// Seed 002, A, auth_type and Authentication, rule 1; wire facts: a token is used until near its end.

const isToken = ({ url }: { url: URL }): boolean => /token|Token/.test(url.pathname);

describe("the token of an enhanced package (v2)", () => {
  it("is requested with the credentials, account and scope, once for a delivery", async () => {
    const setting = await newSetting();
    await setting.deliver(toRows(newRows(120)), { account_id: "510001", scope: "data_read" });
    const [first, ...others] = setting.account.calls.filter(isToken);
    expect(others).toEqual([]);
    expect(first!.url.pathname).toBe("/v2/token");
    expect(JSON.parse(first!.body)).toEqual({
      grant_type: "client_credentials",
      client_id: setting.account.clientId,
      client_secret: setting.account.clientSecret,
      account_id: "510001",
      scope: "data_read",
    });
    expect(setting.account.tokens.given()).toBe(1);
  });

  it("is renewed near its end, before it is refused", async () => {
    const setting = await newSetting({ tokenSeconds: 300 });
    let answered = 0;
    setting.account.fault((call) => {
      // Each batch takes seventy seconds.
      if (carriesRows(call)) setting.clock.nowMs += 70_000;
      if (!isToken(call)) answered += 1;
      return undefined;
    });
    await setting.deliver(toRows(newRows(400)));
    expect(setting.ids()).toHaveLength(400);
    expect(setting.account.tokens.given()).toBe(2);
    // Two to find the data extension, eight batches: none was rejected.
    expect(answered).toBe(10);
  });

  it("is renewed on 401, and the call is made again", async () => {
    const setting = await newSetting();
    let batches = 0;
    setting.account.fault((call) => {
      if (carriesRows(call) && (batches += 1) === 2) setting.account.tokens.revoke();
      return undefined;
    });
    const delivery = await setting.deliver(toRows(newRows(150)));
    expect(delivery).toMatchObject({ accepted: 150, refused: 0, outcome: "delivered" });
    expect(setting.account.tokens.given()).toBe(2);
    expect(batches).toBe(4);
  });

  it("is renewed if the SOAP interface reports that it expired", async () => {
    const setting = await newSetting();
    setting.account.fault((call) => {
      const isFirst = setting.account.tokens.given() === 1 && /soap/.test(call.url.pathname);
      if (isFirst) setting.account.tokens.revoke();
      return undefined;
    });
    await setting.deliver(toRows(newRows(3)), { data_operation: "replace" }, { confirmed: true });
    expect(setting.ids()).toHaveLength(3);
    expect(setting.account.tokens.given()).toBe(2);
    expect(setting.sleeps).toEqual([]);
  });

  it("that is refused again after the renewal ends the delivery", async () => {
    const setting = await newSetting();
    setting.account.fault((call) => (isToken(call) ? undefined : newJsonReply(401, {})));
    const error = await failure(setting.deliver(toRows(newRows(3))));
    expect(error.exitCode).toBe(4);
    expect(setting.account.tokens.given()).toBe(2);
  });

  it.each([
    ["client_id", { client_id: "CANARY-id" }],
    ["client_secret", { client_secret: "CANARY-secret" }],
  ])(
    "is refused for a wrong %s; exit code 4, and the error shows none of it",
    async (_key, wrong) => {
      const setting = await newSetting();
      const error = await failure(setting.deliver(toRows(newRows(3)), wrong));
      expect(error.exitCode).toBe(4);
      expect(error.message).toMatch(/\/v2\/token answered 401: it refused the installed package/);
      expect(error.message).not.toContain("CANARY");
      expect(setting.paths()).toEqual(["POST /v2/token"]);
    },
  );

  it.each([
    [400, 4],
    [403, 4],
    [499, 4],
    [408, 1],
    [429, 1],
    [500, 1],
    [503, 1],
    [302, 1],
  ])("answered with %i ends the delivery with exit code %i", async (status, exitCode) => {
    const setting = await newSetting();
    setting.account.fault((call) => (isToken(call) ? newJsonReply(status, {}) : undefined));
    const error = await failure(setting.deliver(toRows(newRows(3))));
    expect(error).toMatchObject({
      exitCode,
      message: expect.stringMatching(
        exitCode === 4 ? /it refused the installed package; check/ : /no token; run again later/,
      ),
    });
  });

  it("is requested again after a temporary authentication failure", async () => {
    const setting = await newSetting();
    setting.account.fault(nth(isToken, [1, 2], newJsonReply(503, {})));
    expect((await setting.deliver(toRows(newRows(3)))).accepted).toBe(3);
  });

  it.each([
    ["rest_instance_url", { rest_instance_url: "http://rest.example" }],
    ["soap_instance_url", { soap_instance_url: "http://soap.example" }],
  ])("is not used where its %s is plain http (seed 002, Endpoints, rule 1)", async (key, more) => {
    const setting = await newSetting();
    const answer = {
      access_token: "CANARY-token",
      expires_in: 1079,
      rest_instance_url: setting.account.url,
      soap_instance_url: setting.account.url,
      ...more,
    };
    setting.account.fault((call) => (isToken(call) ? newJsonReply(200, answer) : undefined));
    const error = await failure(setting.deliver(toRows(newRows(3))));
    expect(error.message).toContain(`${key} of the token http://`);
    expect(error.message).toContain("plain http");
    expect(error.message).not.toContain("CANARY");
    expect(setting.paths()).toEqual(["POST /v2/token"]);
  });

  it.each([
    ["no JSON", "CANARY"],
    ["another form", '{"token":"CANARY"}'],
  ])("that comes as %s is an error that shows none of it", async (_what, body) => {
    const setting = await newSetting();
    setting.account.fault((call) => (isToken(call) ? { status: 200, body } : undefined));
    const error = await failure(setting.deliver(toRows(newRows(3))));
    expect(error.message).toContain("answered in an unexpected format");
    expect(error.message).not.toContain("CANARY");
  });
});

describe("the token of a legacy package (v1)", () => {
  it("comes from requestToken, and the addresses from the configuration", async () => {
    const setting = await newSetting();
    const { url, clientId, clientSecret } = setting.account;
    const legacy = { auth_type: "v1", rest_uri: `${url}/rest`, soap_uri: `${url}/soap` };
    await setting.deliver(
      toRows(newRows(60)),
      { ...legacy, data_operation: "replace" },
      { confirmed: true },
    );
    const [first, ...others] = setting.account.calls.filter(isToken);
    expect(others).toEqual([]);
    expect(first!.url.pathname).toBe("/v1/requestToken");
    expect(JSON.parse(first!.body)).toEqual({ clientId, clientSecret });
    expect(setting.ids()).toHaveLength(60);
  });

  it("is requested below rest_uri if auth_uri is missing", async () => {
    const setting = await newSetting();
    const { url } = setting.account;
    const legacy = {
      auth_type: "v1",
      rest_uri: `${url}/other`,
      soap_uri: url,
      auth_uri: undefined,
    };
    await failure(setting.deliver(toRows(newRows(1)), legacy));
    expect(setting.paths()[0]).toBe("POST /other/v1/requestToken");
  });

  it("is refused for wrong credentials; exit code 4", async () => {
    const setting = await newSetting();
    const { url } = setting.account;
    const legacy = { auth_type: "v1", rest_uri: url, soap_uri: url, client_secret: "CANARY" };
    const error = await failure(setting.deliver(toRows(newRows(1)), legacy));
    expect(error.exitCode).toBe(4);
    expect(error.message).not.toContain("CANARY");
  });
});
