import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Outcome } from "../../../../support/command.ts";
import { newDesk, type Desk } from "../desk.ts";

// A set is sent once, regardless of the answer: requests are counted at the service.

let desk: Desk;
let id: string;
let a: string;
beforeEach(async () => {
  desk = await newDesk();
  [a = ""] = desk.databases;
  id = await desk.newPolicy({ Databases: [{ operation: "download" }] });
});
afterEach(() => desk[Symbol.asyncDispose]());

const wanted = { Databases: [{ operation: "query", ids: "" }] };
const setIt = (): Promise<Outcome> => {
  wanted.Databases[0]!.ids = a;
  const file = desk.remote.home.write("set.json", JSON.stringify(wanted));
  return desk.policy(["set", id, "--file", file, "--yes"]);
};

/** Does something to the PATCH, the only one there may be. */
const onPatch = (act: (response: ServerResponse) => boolean | Promise<boolean>): void =>
  desk.interfere((request, response) => request.method === "PATCH" && act(response));

const verbs = (): string[] => desk.requests().map((line) => line.split(" ")[0]!);

describe("a lost answer to policy set", () => {
  it("is resolved by reading the policy: the set is in place", async () => {
    onPatch((response) => {
      // The service acts on it, and the answer never leaves.
      response.end = () => response.destroy();
      return false;
    });
    const { code, err } = await setIt();
    expect(err).toMatch(
      /warning: the outcome of the set is unknown \(the connection .*\); auditlake did not resend it\n/,
    );
    expect(err).toMatch(/is set and verified\n$/);
    expect(code).toBe(0);
    expect(desk.setOf(id)).toEqual(wanted);
    expect(verbs()).toEqual(["GET", "GET", "PATCH", "GET"]);
  });

  it.each([
    ["a reset connection", (response: ServerResponse) => void response.socket?.resetAndDestroy()],
    ["an error of the service", (response: ServerResponse) => void response.writeHead(503).end()],
    ["too many requests", (response: ServerResponse) => void response.writeHead(429).end()],
    [
      "a redirect",
      (response: ServerResponse) => void response.writeHead(307, { Location: "/x" }).end(),
    ],
  ])("%s: the set is not in place", async (_name, act) => {
    onPatch((response) => {
      act(response);
      return true;
    });
    const { code, err } = await setIt();
    expect(err).toMatch(
      /error: policy \d+ is unchanged: the service has not applied the set yet; check with policy get/,
    );
    expect(code).toBe(1);
    expect(desk.setOf(id)).toEqual({ Databases: [{ operation: "download" }] });
    expect(verbs()).toEqual(["GET", "GET", "PATCH", "GET"]);
  });

  it("is reported with the status if the service refuses the set", async () => {
    onPatch((response) => {
      response.writeHead(422).end();
      return true;
    });
    const { code, err } = await setIt();
    expect(err).toMatch(
      /warning: the service refused the set \(.* 422 .*\); auditlake did not resend it\n/,
    );
    expect(err).toMatch(/error: policy \d+ is unchanged: the service refused the set; check/);
    expect(code).toBe(1);
    expect(verbs()).toEqual(["GET", "GET", "PATCH", "GET"]);
  });

  it("is reported as unknown if the policy cannot be read any more", async () => {
    desk.interfere((request, response, patches) => {
      if (patches === 0) return false;
      response.writeHead(request.method === "PATCH" ? 500 : 403).end();
      return true;
    });
    const { code, err } = await setIt();
    expect(err).toMatch(
      /error: the set of policy \d+ was sent, but its outcome is unknown; it could not be read back: .*403.*; check with policy get\n$/,
    );
    expect(code).toBe(1);
    expect(verbs()).toEqual(["GET", "GET", "PATCH", "GET"]);
  });

  it("is reported as unknown if the answer contradicts itself", async () => {
    desk.interfere((request, response, patches) => {
      if (patches === 0 || request.method === "PATCH") return false;
      response.end('{"Databases":[],"partial":true}');
      return true;
    });
    const { code, err } = await setIt();
    expect(err).toMatch(/was sent and accepted; it could not be read back: .* has partial beside/);
    expect([code, verbs()]).toEqual([1, ["GET", "GET", "PATCH", "GET"]]);
  });

  it("is reported as unknown if the reading is interrupted", async () => {
    const controller = new AbortController();
    onPatch(() => {
      controller.abort();
      return false;
    });
    const file = desk.remote.home.write("set.json", '{"Databases":[{"operation":"manage"}]}');
    const { signal } = controller;
    const { code, err } = await desk.policy(["set", id, "--file", file, "--yes"], { signal });
    expect(err).toMatch(
      /error: the set of policy \d+ was sent and accepted; it could not be read back: interrupted/,
    );
    expect(code).toBe(130);
    expect(desk.setOf(id)).toEqual({ Databases: [{ operation: "manage" }] });
  });
});

describe("a service that refuses policy set", () => {
  const outcome = async (): Promise<string> => {
    const { out } = await desk.policy(["changes", "--format", "ndjson"]);
    return (JSON.parse(out) as { outcome: string }).outcome;
  };

  it.each([
    [401, 4, /is unchanged: the service refused the key; check the key and the rights/],
    [403, 4, /is unchanged: the service refused the key; check the key and the rights/],
    [404, 1, /was not set: the service reports that the policy does not exist/],
    [422, 1, /is unchanged: the service refused the set/],
  ])(
    "with %i is read back, and stored as refused if nothing changed",
    async (status, code, text) => {
      onPatch((response) => {
        response.writeHead(status).end();
        return true;
      });
      const set = await setIt();
      expect([set.code, set.err]).toEqual([code, expect.stringMatching(text)]);
      expect(set.err).toMatch(
        `warning: the service refused the set (the service answered ${status} to PATCH`,
      );
      expect(verbs()).toEqual(["GET", "GET", "PATCH", "GET"]);
      expect(await outcome()).toBe("refused");
    },
  );

  it.each([401, 403, 404, 422])("with %i after setting it is detected", async (status) => {
    onPatch(async (response) => {
      await desk.setElsewhere(id, wanted);
      response.writeHead(status).end();
      return true;
    });
    expect(await setIt()).toMatchObject({
      code: 0,
      err: expect.stringMatching(/the service refused the set .*\npolicy \d+ is set and verified/),
    });
    expect(desk.setOf(id)).toEqual(wanted);
    expect(await outcome()).toBe("in_place");
  });

  it.each([
    [401, 4, "not_read_back"],
    [404, 1, "refused"],
  ])("with %i for the reading, too, is reported", async (status, code, kept) => {
    desk.interfere((_request, response, patches) => {
      if (patches > 0) response.writeHead(status).end();
      return patches > 0;
    });
    expect(await setIt()).toMatchObject({ code });
    expect(await outcome()).toBe(kept);
  });
});

describe("a policy that another client changes", () => {
  it("before it is sent is not set, and both versions are shown", async () => {
    let reads = 0;
    desk.interfere(async (request) => {
      if (request.method === "GET" && ++reads === 2)
        await desk.setElsewhere(id, { Databases: [{ operation: "manage" }] });
      return false;
    });
    const { code, err } = await setIt();
    expect(err).toContain("first read:\n  Databases  download\nnow:\n  Databases  manage\n");
    expect(err).toMatch(
      /error: policy \d+ was changed elsewhere in the meantime; nothing was sent/,
    );
    expect(code).toBe(1);
    expect(verbs()).toEqual(["GET", "GET"]);
    expect(desk.setOf(id)).toEqual({ Databases: [{ operation: "manage" }] });
  });

  it("after it is sent is shown with the difference", async () => {
    let reads = 0;
    desk.interfere(async (request) => {
      if (request.method === "GET" && ++reads === 3)
        await desk.setElsewhere(id, { Databases: [{ operation: "manage" }] });
      return false;
    });
    const { code, err } = await setIt();
    expect(err).toContain(
      `read back, compared with the requested set:\n- Databases  query   ${a}\n+ Databases  manage\n`,
    );
    expect(err).toMatch(/error: policy \d+ now differs from what was sent/);
    expect(code).toBe(1);
    expect(verbs()).toEqual(["GET", "GET", "PATCH", "GET"]);
  });

  it("by deleting it is not set", async () => {
    let reads = 0;
    desk.interfere(async (request) => {
      if (request.method === "GET" && ++reads === 2) await desk.deletePolicy(id);
      return false;
    });
    const { code, err } = await setIt();
    expect(err).toMatch(/error: policy \d+ does not exist/);
    expect([code, verbs()]).toEqual([1, ["GET", "GET"]]);
  });
});

describe("a service that accepts a set without applying it", () => {
  it("is detected", async () => {
    onPatch((response) => {
      response.end("{}");
      return true;
    });
    const { code, err } = await setIt();
    expect(err).toMatch(
      /is unchanged: the service has not applied the set, although it reported success/,
    );
    expect([code, verbs()]).toEqual([1, ["GET", "GET", "PATCH", "GET"]]);
  });
});
