import { describe, expect, it } from "vitest";
import { AuditlakeError, UsageError } from "../../../../pipeline/base/errors.ts";
import {
  buildAddress,
  checkBase,
  resolveLink,
  assertWithin,
} from "../../../../pipeline/base/http/address.ts";

describe("the service's address", () => {
  it.each([
    "https://svc.example",
    "https://svc.example:8443/api/",
    "http://localhost:4567",
    "http://127.0.0.1",
    "http://127.8.9.10:1",
    "http://[::1]:80",
    "http://127.1",
  ])("may be %s", (text) => {
    expect(checkBase(text).href).toContain("//");
  });

  it.each([
    ["http://svc.example", "plain http"],
    ["http://127.0.0.1.evil.example", "plain http"],
    ["http://localhost.evil.example", "plain http"],
    ["http://10.0.0.1", "plain http"],
    ["http://0.0.0.0", "plain http"],
    ["http://[::2]", "plain http"],
    ["https://user:CANARY@svc.example", "user name or password"],
    ["http://CANARY@localhost", "user name or password"],
    ["https://svc.example/?key=CANARY", "? or #"],
    ["https://svc.example/#CANARY", "? or #"],
    ["ftp://svc.example", "not a web address"],
    ["file:///etc/passwd", "not a web address"],
    ["svc.example", "not a web address"],
    ["", "not a web address"],
  ])("may not be %s: %s", (text, reason) => {
    expect(() => checkBase(text)).toThrow(UsageError);
    expect(() => checkBase(text)).toThrow(reason);
    expect(() => checkBase(text)).not.toThrow("CANARY");
  });

  it("is not used if certificates are not checked", () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    expect(() => checkBase("https://svc.example", env)).toThrow("NODE_TLS_REJECT_UNAUTHORIZED");
    expect(checkBase("http://localhost", env).host).toBe("localhost");
  });
});

describe("a path", () => {
  it.each([
    ["https://a.example", "/v4/audits", "https://a.example/v4/audits?page=1"],
    ["https://a.example/api/", "/v4/audits", "https://a.example/api/v4/audits?page=1"],
    ["https://a.example/api", "/v4/audits?x=a%20b", "https://a.example/api/v4/audits?x=a+b&page=1"],
    ["https://a.example", "//evil.example/x", "https://a.example//evil.example/x?page=1"],
    ["https://a.example", "/@evil.example", "https://a.example/@evil.example?page=1"],
  ])("of %s: %s", (base, path, address) => {
    expect(buildAddress(new URL(base), path, { page: "1" }).href).toBe(address);
  });
});

describe("a link", () => {
  const from = "https://a.example/v4/audits?page=1";

  it.each([
    ["?page=2", "https://a.example/v4/audits?page=2"],
    ["/x", "https://a.example/x"],
    ["HTTPS://A.EXAMPLE:443/x#y", "https://a.example/x"],
    ["https://user:pw@a.example/x", "https://a.example/x"],
  ])("%s leads to %s", (link, address) => {
    expect(resolveLink(from, link).href).toBe(address);
  });

  it.each([
    "http://a.example/x",
    "https://a.example:444/x",
    "https://b.a.example/x",
    "https://a.example.evil.example",
    "//evil.example",
    "\\\\evil.example",
    "https:/\\evil.example",
    "javascript:alert(1)",
    "https://[",
    "https://a.example./x",
    "https://a.example.:443/x",
    "https://a.example@evil.example/x",
    "https://a.example%2eevil.example/x",
    "https://evil.example\\@a.example/x",
    "https://a\uff0eevil.example/x",
    "data:text/plain,CANARY",
    "blob:https://a.example/CANARY",
  ])("%s is refused, and not shown", (link) => {
    expect(() => resolveLink(from, link)).toThrow(AuditlakeError);
    expect(() => resolveLink(from, link)).not.toThrow(/evil|CANARY/);
  });
});

describe("a base with a path", () => {
  const base = new URL("https://h.example:8443/Tenant%20A/api/");
  const from = `${base.href}v4/audits?page=1`;
  const followLink = (link: string): string => assertWithin(base, resolveLink(from, link)).href;

  it.each([
    "?page=2",
    "users",
    "/Tenant%20A/api",
    "/Tenant A/api/x",
    "../v5/audits",
    "x/../../y",
    "/Tenant%20A/api//x",
    "/Tenant%20A/api/100%25/%e9/a..b/...x",
    "HTTPS://H.EXAMPLE:8443/Tenant%20A/api/x",
    "https://user:pw@h.example:8443/Tenant%20A/api/x",
  ])("allows %s", (link) => {
    expect(followLink(link)).toMatch(/^https:\/\/h\.example:8443\/Tenant%20A\/api(\/|$)/);
  });

  // Each way up, as read by a server that decodes once more than auditlake does.
  const ups = [
    ["..", "%2e%2e", ".%2E", "%252e%252e", "%25252e.", "..;x=1", "..%00", "%c0%ae%c0%ae"],
    ["%e0%80%ae.", "..%09", "\uff0e\uff0e", "%ef%bc%8e.", "\u2025", "..%20", "..."],
  ].flat();
  const slashes = ["/", "\\", "%2f", "%5C", "%252f", "\uff0f"];
  const climbing = ups.flatMap((up) =>
    slashes.map((slash) => `/Tenant%20A/api/x${slash}${up}${slash}${up}${slash}${up}${slash}B`),
  );

  it.each([
    "/",
    "/TenantB/api/x",
    "/tenant%20a/api/x",
    "/Tenant%20A/apis",
    "/Tenant%20A",
    "/%54enant%20A/api/x",
    "/Tenant%2520A/api/x",
    "/Tenant+A/api/x",
    "//h.example:8443/TenantB",
    "https://h.example:8443//Tenant%20A/api/x",
    "/./TenantB",
    "../../TenantB/api",
    "https://h.example:8443/Tenant%20A/api;/../../B",
    ...climbing,
  ])("refuses %s", (link) => {
    expect(() => followLink(link)).toThrow(AuditlakeError);
    expect(() => followLink(link)).not.toThrow(/TenantB/);
  });

  it("refuses addresses that are encoded without end", () => {
    expect(() => followLink(`/Tenant%20A/api/%${"25".repeat(20_000)}2e`)).toThrow(AuditlakeError);
  });

  it("allows any address of its origin without a path", () => {
    const bare = new URL("https://h.example");
    for (const path of ["/x", "/a/%2e%2e%2fb", "https://h.example//x"])
      expect(assertWithin(bare, new URL(path, bare)).origin).toBe(bare.origin);
  });
});
