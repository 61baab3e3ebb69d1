import { beforeEach, describe, expect, it } from "vitest";
import { newJsonReply, type Call } from "../../../../../fixtures/destinations/destination.ts";
import { newRows, toRows } from "./sent.ts";
import { failure, newSetting, type Setting } from "./setting.ts";

// Seed 002, A, folder_path and create_folder_if_not_exists; wire facts: SOAP, one call per level.

let setting: Setting;
beforeEach(async () => void (setting = await newSetting({ isEmpty: true })));

const rows = () => toRows(newRows(2));
const creates = { create_new_de: true, primary_column: "id" };
const isLookUp = (call: Call): boolean => call.body.includes("<ObjectType>DataFolder<");
const isCreate = (call: Call): boolean => call.body.includes("<CreateRequest");

describe("create_folder_if_not_exists true", () => {
  const makes = { ...creates, create_folder_if_not_exists: true };

  it("creates every missing folder of the path, one call per level, and the data extension in the last", async () => {
    const folder_path = '/audit/2026/R&D <night> "x"';
    await setting.deliver(rows(), { ...makes, folder_path });
    expect(setting.account.folders()).toEqual(["/audit", "/audit/2026", folder_path]);
    expect(setting.account.extension("denials")?.folder).toBe(folder_path);
    expect(setting.account.calls.filter(isCreate)).toHaveLength(3);
    expect(setting.printed).toContain("created folder /audit/2026");
  });

  it("uses existing folders", async () => {
    setting.account.makeFolder("/audit/2026");
    await setting.deliver(rows(), { ...makes, folder_path: "/audit/2026/01" });
    expect(setting.account.folders()).toEqual(["/audit", "/audit/2026", "/audit/2026/01"]);
    expect(setting.account.calls.filter(isCreate)).toHaveLength(1);
    // The top, each level, and the new folder for its number.
    expect(setting.account.calls.filter(isLookUp)).toHaveLength(5);
  });

  it("creates none without a folder_path (effective only when it is given and non-empty)", async () => {
    await setting.deliver(rows(), { ...makes, folder_path: "" });
    expect(setting.account.folders()).toEqual([]);
    expect(setting.account.extension("denials")?.folder).toBe("");
  });

  it("creates none of a path that has an invalid part", async () => {
    const folder_path = `/audit/${"x".repeat(129)}`;
    expect(() => setting.target({ ...makes, folder_path })).toThrow("129 characters");
    expect(setting.account.calls).toEqual([]);
  });

  it("reports a parent folder that allows no children", async () => {
    setting.account.makeFolder("/closed", false);
    const error = await failure(setting.deliver(rows(), { ...makes, folder_path: "/closed/a" }));
    expect(error.message).toContain(
      "folder /closed/a cannot be created, because its parent folder does not allow",
    );
    expect(setting.account.folders()).toEqual(["/closed"]);
  });

  it("creates a folder once if the answer to its creation is lost", async () => {
    let seen = 0;
    setting.account.fault((call) => (isCreate(call) && (seen += 1) === 1 ? "lose" : undefined));
    await setting.deliver(rows(), { ...makes, folder_path: "/a/b" });
    expect(setting.account.folders()).toEqual(["/a", "/a/b"]);
    expect(setting.account.calls.filter(isCreate)).toHaveLength(2);
  });

  it("creates eight levels", async () => {
    const folder_path = "/1/2/3/4/5/6/7/8";
    await setting.deliver(rows(), { ...makes, folder_path });
    expect(setting.account.extension("denials")?.folder).toBe(folder_path);
  });
});

describe("create_folder_if_not_exists false", () => {
  it("creates none: a missing folder is an error that names it", async () => {
    setting.account.makeFolder("/audit");
    const error = await failure(
      setting.deliver(rows(), { ...creates, folder_path: "/audit/2026" }),
    );
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain("folder_path /audit/2026 does not exist");
    expect(setting.account.folders()).toEqual(["/audit"]);
    expect(setting.account.extension("denials")).toBeUndefined();
  });

  it("finds the folder level by level, not one of the same name elsewhere", async () => {
    setting.account.makeFolder("/other/2026");
    setting.account.makeFolder("/audit/2026");
    await setting.deliver(rows(), { ...creates, folder_path: "/audit/2026/" });
    expect(setting.account.extension("denials")?.folder).toBe("/audit/2026");
    expect(setting.account.calls.filter(isLookUp)).toHaveLength(3);
  });
});

describe("answers of the SOAP interface", () => {
  const folder_path = "/a";
  it.each([
    ["no XML", { status: 200, body: "CANARY" }, "answered incomplete XML"],
    [
      "half of it",
      { status: 200, body: "<soap:Envelope xmlns:soap='x'><soap:Bo" },
      "answered incomplete XML",
    ],
    [
      "another page",
      { status: 200, body: "<html><body>CANARY</body></html>" },
      "did not answer a SOAP envelope",
    ],
    [
      "entities",
      { status: 200, body: '<!DOCTYPE a [<!ENTITY b "CANARY">]><a>&b;</a>' },
      "incomplete XML",
    ],
    ["JSON", newJsonReply(200, { a: 1 }), "answered incomplete XML"],
    ["403", { status: 403, body: "" }, "was refused (403)"],
  ])("with %s are refused", async (_what, reply, message) => {
    setting.account.fault((call) => (/soap/.test(call.url.pathname) ? reply : undefined));
    const error = await failure(setting.deliver(rows(), { ...creates, folder_path }));
    expect(error.message).toContain(message);
    expect(error.message).not.toContain("CANARY");
  });

  it("with a failure print the account's reason", async () => {
    const fault = "<f:Fault xmlns:f='x'><faultstring>no such\u0007 right</faultstring></f:Fault>";
    const body = `<e:Envelope xmlns:e='x'><e:Body>${fault}</e:Body></e:Envelope>`;
    setting.account.fault((call) =>
      /soap/.test(call.url.pathname)
        ? { status: 500, body: body.replace("\u0007", "") }
        : undefined,
    );
    const error = await failure(setting.deliver(rows(), { ...creates, folder_path }));
    expect(error.message).toContain("looking up folders answered 500: no such right");
    expect(setting.sleeps).toEqual([]);
  });

  it("are requested in the namespace of the configuration", async () => {
    const error = await failure(
      setting.deliver(rows(), {
        ...creates,
        folder_path,
        soap_namespace: "http://else.example/api",
      }),
    );
    expect(error.message).toContain("Token Expired");
  });
});
