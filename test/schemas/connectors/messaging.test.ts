import { describe, expect, it } from "vitest";
import { configSchema } from "../../../schemas/config.ts";

// Every key of seed 002, B, in both spellings, with its type, default and condition; an error names key, value and
// rule.

type Settings = Readonly<Record<string, unknown>>;

const service: Settings = {
  type: "messaging_business",
  base_url: "https://messages.example",
  version: "v9.1",
  messaging_product: "messages",
};
const text: Settings = {
  ...service,
  access_token: "CANARY-token",
  phone_number_id: "7001",
  text_content: "Denied.",
};
const template: Settings = {
  ...text,
  text_content: undefined,
  send_mode: "template",
  template_name: "denied",
};
const displayed: Settings = {
  ...text,
  phone_number_id: undefined,
  send_by: "display_phone_number",
  phone_number: "+1 631-555-5550",
  account_id: "5001",
};

function check(settings: Settings) {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return configSchema.safeParse({ targets: { chat: Object.fromEntries(given) } });
}

function parse(settings: Settings): Settings {
  const result = check(settings);
  if (!result.success) throw result.error;
  return result.data.targets["chat"]!;
}

/** All errors as `key: message`. */
function faults(settings: Settings): string[] {
  const { error } = check(settings);
  return (error?.issues ?? []).map(({ path, message }) => {
    expect(message).not.toContain("CANARY");
    expect(path.slice(0, 2)).toEqual(["targets", "chat"]);
    return `${path.slice(2).join(".")}: ${message}`;
  });
}

function fault(settings: Settings): string {
  return faults(settings)[0] ?? "";
}

const camel: Readonly<Record<string, string>> = {
  access_token: "accessToken",
  send_by: "sendBy",
  phone_number_id: "phoneNumberId",
  send_mode: "sendMode",
  template_name: "templateName",
  header_variable: "headerVariable",
  body_variables: "bodyVariables",
  language_code: "languageCode",
  text_content: "textContent",
  preview_url: "previewUrl",
};

function toCamel(settings: Settings): Settings {
  const named = Object.entries(settings).map(([key, value]) => [camel[key] ?? key, value]);
  return Object.fromEntries(named);
}

describe("seed 002, B: spelling", () => {
  it("camelCase and snake_case are equivalent", () => {
    const full = {
      ...template,
      send_by: "phone_number_id",
      header_variable: "actor",
      body_variables: ["actor", "denials"],
      language_code: "nb",
      preview_url: true,
    };
    expect(parse(toCamel(full))).toEqual(parse(full));
  });

  it("send_mode is textMessage in the structured form", () => {
    expect(parse({ ...toCamel(text), sendMode: "textMessage" })["send_mode"]).toBe("text_message");
  });

  it("an error names a key as it was written", () => {
    expect(fault(toCamel({ ...text, text_content: undefined }))).toMatch(
      /^textContent: found nothing/,
    );
    expect(fault({ ...text, text_content: undefined })).toMatch(/^text_content: found nothing/);
  });

  it("a key in both spellings is refused", () => {
    expect(fault({ ...text, textContent: "other" })).toBe(
      "text_content: is also given as textContent; expected one of the two",
    );
  });

  it("a key that the seed does not know is refused", () => {
    expect(fault({ ...text, recipient: "x" })).toMatch(/recipient/);
  });
});

describe("seed 002, B: defaults", () => {
  it("are those of the seed; of the two for language_code, en", () => {
    expect(parse(text)).toMatchObject({
      send_by: "phone_number_id",
      send_mode: "text_message",
      preview_url: false,
      language_code: "en",
      header_variable: "",
      body_variables: [],
    });
  });
});

describe("seed 002, B: required keys", () => {
  it("type", () => {
    expect(fault({ ...text, type: "messaging" })).toMatch(/^type: .*messaging_business/);
  });

  it("access_token, of which no error shows anything", () => {
    expect(fault({ ...text, access_token: undefined })).toMatch(
      /^access_token: found none; expected/,
    );
    expect(fault({ ...text, access_token: "" })).toMatch(/^access_token: is empty; expected/);
    expect(fault({ ...text, access_token: ["CANARY"] })).toMatch(/^access_token: /);
  });

  it("access_token __SAVED__ refers to a stored one, which authentication names", () => {
    const saved = { ...text, access_token: "__SAVED__" };
    expect(fault(saved)).toMatch(/^access_token: is __SAVED__, but .* authentication/);
    expect(parse({ ...saved, authentication: "chat" })["access_token"]).toBe("__SAVED__");
    expect(fault({ ...toCamel(saved) })).toMatch(/__SAVED__, but .* authentication/);
  });

  it("send_by is one of two", () => {
    expect(fault({ ...text, send_by: "number" })).toBe(
      'send_by: found "number"; expected phone_number_id or display_phone_number',
    );
  });

  it("phone_number_id when send_by is phone_number_id", () => {
    expect(fault({ ...text, phone_number_id: undefined })).toBe(
      "phone_number_id: found nothing; expected the id of the sending phone number, required when send_by is phone_number_id",
    );
    expect(fault({ ...text, phone_number_id: "../me" })).toMatch(
      /^phone_number_id: found "..\/me"/,
    );
  });

  it("phone_number and account_id when send_by is display_phone_number", () => {
    expect(faults(displayed)).toEqual([]);
    expect(faults({ ...displayed, phone_number: undefined, account_id: undefined })).toEqual([
      "phone_number: found nothing; expected the displayed business phone number, required when send_by is display_phone_number",
      "account_id: found nothing; expected the id of the business account, required when send_by is display_phone_number",
    ]);
    expect(fault({ ...displayed, phone_number: "call me" })).toMatch(
      /^phone_number: found "call me"/,
    );
  });

  it("send_mode is one of two", () => {
    expect(fault({ ...text, send_mode: "image" })).toBe(
      'send_mode: found "image"; expected text_message or template',
    );
  });

  it("text_content when send_mode is text_message", () => {
    expect(fault({ ...text, text_content: undefined })).toBe(
      "text_content: found nothing; expected the message, required when send_mode is text_message",
    );
    expect(faults(template)).toEqual([]);
  });

  it("template_name when send_mode is template", () => {
    expect(fault({ ...template, template_name: undefined })).toBe(
      "template_name: found nothing; expected the name of an approved template, required when send_mode is template",
    );
  });

  it.each(["base_url", "version", "messaging_product"])(
    "%s, which the seed does not show, is refused",
    (key) => {
      expect(fault({ ...text, [key]: undefined })).toMatch(
        new RegExp(`^${key}: found nothing; expected`),
      );
    },
  );
});

describe("seed 002, B: bounds and types", () => {
  it("text_content has at most 4096 characters", () => {
    expect(faults({ ...text, text_content: "😀".repeat(4096) })).toEqual([]);
    expect(fault({ ...text, text_content: "x".repeat(4097) })).toBe(
      "text_content: found 4097 characters; expected 1 to 4096",
    );
    expect(fault({ ...text, text_content: "" })).toMatch(/found 0 characters/);
  });

  it("preview_url is a boolean", () => {
    expect(fault({ ...text, preview_url: "yes" })).toBe(
      'preview_url: found "yes"; expected true or false',
    );
  });

  it.each([["a,b"], [["a", "b"]]])("at most one header variable, not %j", (given) => {
    expect(fault({ ...template, header_variable: given })).toBe(
      `header_variable: found ${JSON.stringify(given)}; expected one column name, because a template has at most one header variable`,
    );
  });

  it.each([
    ["a, b,c", ["a", "b", "c"]],
    [
      ["a", " b"],
      ["a", "b"],
    ],
    ["", []],
    [[], []],
  ])("body_variables is a list or comma-separated: %j", (given, expected) => {
    expect(parse({ ...template, body_variables: given })["body_variables"]).toEqual(expected);
  });

  it("body_variables names a column for each position", () => {
    expect(fault({ ...template, body_variables: "a,,b" })).toBe(
      'body_variables: variable 2 of ["a","","b"] has no name; expected a column for each',
    );
    expect(fault({ ...template, body_variables: 3 })).toMatch(
      /^body_variables: found 3; expected a list/,
    );
  });

  it("language_code is a language", () => {
    expect(fault({ ...template, language_code: "English!" })).toBe(
      'language_code: found "English!"; expected a language such as en or en_US',
    );
    expect(parse({ ...template, language_code: "us" })["language_code"]).toBe("us");
  });

  it("base_url is https, except on this machine", () => {
    expect(fault({ ...text, base_url: "http://messages.example" })).toMatch(/^base_url: .*https/);
    expect(faults({ ...text, base_url: "http://127.0.0.1:80" })).toEqual([]);
  });
});
