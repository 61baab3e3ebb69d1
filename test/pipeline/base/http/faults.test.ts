import { errors } from "undici";
import { expect, it } from "vitest";
import { AuditlakeError } from "../../../../pipeline/base/errors.ts";
import {
  classifyFault,
  isPassing,
  isUnsent,
  isInconclusive,
  PassingFault,
} from "../../../../pipeline/base/http/faults.ts";

const live = new AbortController().signal;
const newCoded = (code: string): Error => Object.assign(new Error("secret header"), { code });
const meant = (error: unknown, signal = live): Error => classifyFault(error, 2500, signal);

it("statuses that a retry may change are temporary, and leave open what the service did", () => {
  const passing = Array.from({ length: 500 }, (_, i) => 100 + i).filter(isPassing);
  expect(passing).toEqual([408, 425, 429, ...Array.from({ length: 100 }, (_, i) => 500 + i)]);
  expect([isInconclusive(499), isInconclusive(500)]).toEqual([false, true]);
});

it.each([
  ["ECONNREFUSED", "the connection was refused (ECONNREFUSED)"],
  ["ENOTFOUND", "the host name does not resolve (ENOTFOUND)"],
  ["EAI_AGAIN", "the host name temporarily does not resolve (EAI_AGAIN)"],
  ["ECONNRESET", "the connection was reset (ECONNRESET)"],
  ["UND_ERR_SOCKET", "the connection was interrupted (UND_ERR_SOCKET)"],
  ["UND_ERR_CONNECT_TIMEOUT", "no connection within 10 s (UND_ERR_CONNECT_TIMEOUT)"],
  ["Z_DATA_ERROR", "the compressed body is damaged (Z_DATA_ERROR)"],
  ["Z_BUF_ERROR", "the compressed body is truncated (Z_BUF_ERROR)"],
  ["EPIPE", "network error EPIPE"],
])("the failure %s is temporary: %s", (code, message) => {
  const fault = meant(newCoded(code));
  expect(fault).toBeInstanceOf(PassingFault);
  expect(fault.message).toBe(message);
});

it.each([
  ["UND_ERR_HEADERS_OVERFLOW", /^the response headers are too long/],
  ["UND_ERR_INVALID_ARG", /^the request cannot be sent/],
  ["CERT_HAS_EXPIRED", /^the service's certificate cannot be trusted \(CERT_HAS_EXPIRED\)/],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", /cannot be trusted/],
  ["SELF_SIGNED_CERT_IN_CHAIN", /cannot be trusted/],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /cannot be trusted/],
  ["ERR_TLS_CERT_ALTNAME_INVALID", /cannot be trusted/],
])("the failure %s is for the operator to fix: %s", (code, message) => {
  const fault = meant(newCoded(code));
  expect(fault).toBeInstanceOf(AuditlakeError);
  expect(fault.message).toMatch(message);
});

it("an interrupt, a time limit, and errors of our own are reported as such", () => {
  const stopped = meant(newCoded("ECONNRESET"), AbortSignal.abort());
  expect(stopped).toMatchObject({ message: "interrupted", exitCode: 130 });
  const late = meant(new DOMException("too late", "TimeoutError"));
  expect(late).toBeInstanceOf(PassingFault);
  expect(late.message).toBe("no complete response within 2.5 s");
  for (const own of [new AuditlakeError("x"), new PassingFault("x"), new TypeError("x")])
    expect(meant(own)).toBe(own);
  expect(meant("x")).toMatchObject({ message: "x" });
  const nameless = new errors.HTTPParserError("x");
  delete (nameless as { code?: string }).code;
  expect(meant(nameless).message).toBe("the response is not HTTP (HTTPParserError)");
});

it("a request is unsent if it found no connection, no trust, or was invalid", () => {
  const unsent =
    "ECONNREFUSED ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT UND_ERR_INVALID_ARG CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID";
  for (const code of unsent.split(" "))
    expect([code, isUnsent(newCoded(code))]).toEqual([code, true]);
  for (const code of ["ECONNRESET", "UND_ERR_SOCKET", "EPIPE"])
    expect([code, isUnsent(newCoded(code))]).toEqual([code, false]);
  for (const other of [new Error("x"), "ECONNREFUSED", undefined])
    expect(isUnsent(other)).toBe(false);
});
