import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readCredentials } from "../../../../pipeline/outgoing/deliveries/credentials.ts";
import { UsageError } from "../../../../pipeline/base/errors.ts";
import { configSchema } from "../../../../schemas/config.ts";
import { temporaryFolder } from "../../../support/load.ts";

// Seed 002, B, access_token: the marker __SAVED__ refers to a stored credential; Authentication, rule 4.

const folder = temporaryFolder();
afterAll(folder.remove);
const secret = "CANARY-secret-77";
const stored = JSON.stringify({ client_id: "id-1", client_secret: secret });

type Settings = Readonly<Record<string, unknown>>;

function credentials(
  target: Settings,
  authentications: Settings,
  env: Record<string, string> = {},
) {
  const least = { type: "marketing_cloud_v2", auth_uri: "https://a.example", de_name: "d" };
  const config = configSchema.parse({ authentications, targets: { crm: { ...least, ...target } } });
  const named = { ...config.targets["crm"]!, name: "crm" };
  return readCredentials(named, config.authentications, folder.path, env);
}

const saved = { client_id: "__SAVED__", client_secret: "__SAVED__", authentication: "crm" };
const inEnv = { crm: { env: "CRM_CREDENTIAL" } };
const inFile = { crm: { file: "crm.json" } };

function write(text: string, mode = 0o600): void {
  const path = join(folder.path, "crm.json");
  writeFileSync(path, text);
  chmodSync(path, mode);
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    const { message } = error as UsageError;
    expect(message).not.toContain("CANARY");
    return message;
  }
  throw new Error("it was accepted");
}

describe("a stored credential", () => {
  it("is read from the environment variable of the named authentication", () => {
    const { of, secrets } = credentials(saved, inEnv, { CRM_CREDENTIAL: stored });
    expect([of("client_id"), of("client_secret")]).toEqual(["id-1", secret]);
    expect(secrets).toContain(secret);
  });

  it("is read from its file of mode 600, beside the configuration", () => {
    write(`\ufeff${stored}\n`);
    expect(credentials(saved, inFile).of("client_secret")).toBe(secret);
  });

  it("is used beside the values of the target itself", () => {
    const mixed = { ...saved, client_id: "written" };
    const { of } = credentials(mixed, inEnv, { CRM_CREDENTIAL: stored });
    expect([of("client_id"), of("client_secret")]).toEqual(["written", secret]);
  });

  it.each([0o640, 0o604, 0o644])(
    "is not read from a file that others may read (mode %i)",
    (mode) => {
      write(stored, mode);
      expect(refusal(() => credentials(saved, inFile))).toContain(
        `has mode ${mode.toString(8)}, expected 600`,
      );
    },
  );

  it.each([
    ["no JSON", `${secret}`],
    ["no object", `["${secret}"]`],
    ["no texts", `{"client_id":7,"client_secret":"${secret}"}`],
    [
      "a line break in a text",
      JSON.stringify({ client_id: "a", client_secret: `${secret}\nX: 1` }),
    ],
    ["an empty text", JSON.stringify({ client_id: "", client_secret: secret })],
  ])("is refused as %s, and none of it is shown", (_what, text) => {
    expect(refusal(() => credentials(saved, inEnv, { CRM_CREDENTIAL: text }))).toContain(
      "is not a set of credentials; expected a JSON object",
    );
  });

  it("that is missing is named", () => {
    const text = JSON.stringify({ client_id: secret });
    expect(refusal(() => credentials(saved, inEnv, { CRM_CREDENTIAL: text }))).toBe(
      "target crm: client_secret is __SAVED__, but authentication crm (environment variable CRM_CREDENTIAL) has no client_secret; add it there",
    );
    expect(refusal(() => credentials(saved, inEnv))).toContain(
      "(environment variable CRM_CREDENTIAL) is empty",
    );
  });

  it("of an unconfigured authentication is an error with the existing ones", () => {
    expect(refusal(() => credentials({ ...saved, authentication: "other" }, inEnv))).toBe(
      "target crm: authentication other is not configured; known: crm",
    );
    expect(refusal(() => credentials(saved, {}))).toContain("known: none");
  });
});

// Seed 002, C, rule 7.
it("is required for a named authentication, even if nothing is taken from it", () => {
  const here = { ...saved, client_id: "here", client_secret: "here" };
  expect(refusal(() => credentials({ ...here, authentication: "other" }, inEnv))).toBe(
    "target crm: authentication other is not configured; known: crm",
  );
  expect(credentials(here, inEnv).of("client_id")).toBe("here");
});

describe("a credential in the target", () => {
  it("is used unchanged, and kept secret nevertheless", () => {
    const { of, secrets } = credentials({ client_id: "id", client_secret: secret }, {});
    expect(of("client_secret")).toBe(secret);
    expect(secrets).toEqual([secret]);
  });

  it("that is missing is named", () => {
    const { of } = credentials({ client_id: "id", client_secret: secret }, {});
    expect(refusal(() => of("access_token"))).toContain("target crm: access_token is missing");
  });
});
