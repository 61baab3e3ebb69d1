import { describe, expect, it } from "vitest";
import { AuditlakeError, UsageError } from "../../../pipeline/errors.ts";
import { addressOf, checkBase, followed } from "../../../pipeline/http/address.ts";

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
    ["ftp://svc.example", "no web address"],
    ["file:///etc/passwd", "no web address"],
    ["svc.example", "no web address"],
    ["", "no web address"],
  ])("may not be %s: %s", (text, reason) => {
    expect(() => checkBase(text)).toThrow(UsageError);
    expect(() => checkBase(text)).toThrow(reason);
    expect(() => checkBase(text)).not.toThrow("CANARY");
  });

  it("is not used while certificates are not checked", () => {
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
    expect(addressOf(new URL(base), path, { page: "1" }).href).toBe(address);
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
    expect(followed(from, link).href).toBe(address);
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
  ])("%s is refused", (link) => {
    expect(() => followed(from, link)).toThrow(AuditlakeError);
  });
});
