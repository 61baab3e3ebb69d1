import { describe, expect, it } from "vitest";
import { configSchema } from "../../../schemas/config.ts";

// Every key of seed 002, A, with its type, default, bounds and conditions; an error names key, value and rule.

type Settings = Readonly<Record<string, unknown>>;

const least: Settings = {
  type: "marketing_cloud_v2",
  client_id: "id",
  client_secret: "CANARY-secret",
  auth_uri: "https://auth.example",
  de_name: "denials",
};
const creates: Settings = { create_new_de: true, primary_column: "id" };

function parse(more: Settings = {}): Settings {
  const settings = Object.entries({ ...least, ...more }).filter(([, value]) => value !== undefined);
  const target = Object.fromEntries(settings);
  return configSchema.parse({ targets: { crm: target } }).targets["crm"]!;
}

/** The first error as `key: message`. */
function fault(more: Settings): string {
  const settings = Object.entries({ ...least, ...more }).filter(([, value]) => value !== undefined);
  const result = configSchema.safeParse({ targets: { crm: Object.fromEntries(settings) } });
  if (result.success) return "";
  const { path, message } = result.error.issues[0]!;
  expect(message).not.toContain("CANARY");
  expect(path.slice(0, 2)).toEqual(["targets", "crm"]);
  return `${path.slice(2).join(".")}: ${message}`;
}

describe("the keys and their defaults", () => {
  it("are those of the seed", () => {
    expect(parse()).toMatchObject({
      auth_type: "v2",
      folder_path: "",
      create_folder_if_not_exists: false,
      create_new_de: false,
      primary_text_length: 4000,
      column_options: "",
      is_sendable: false,
      data_operation: "upsert",
      async: false,
      continue_on_failure: true,
      records_per_batch: 32_000,
    });
  });

  it.each(["client_id", "client_secret", "de_name", "type"])("need %s", (key) => {
    expect(fault({ [key]: undefined })).not.toBe("");
  });

  it("do not include others", () => {
    expect(fault({ time_zone: "UTC" })).toMatch(/Unrecognized key: "time_zone"/);
  });

  it.each([
    "create_folder_if_not_exists",
    "create_new_de",
    "is_sendable",
    "async",
    "continue_on_failure",
  ])("%s is a boolean", (key) => {
    expect(fault({ [key]: "yes" })).toBe(`${key}: found "yes"; expected true or false`);
  });

  it.each(["folder_path", "de_name", "primary_column", "column_options", "sendable_column"])(
    "%s is text",
    (key) => {
      expect(fault({ [key]: 7 })).toMatch(new RegExp(`^${key}: found 7; expected `));
    },
  );
});

describe("auth_type", () => {
  it.each(["v1", "v2"])("may be %s", (auth_type) => {
    const addresses = { rest_uri: "https://rest.example", soap_uri: "https://soap.example" };
    expect(parse({ auth_type, ...addresses })["auth_type"]).toBe(auth_type);
  });

  it("may be nothing else", () => {
    expect(fault({ auth_type: "v3" })).toBe(
      'auth_type: found "v3"; expected v1 (legacy package) or v2 (enhanced package)',
    );
  });
});

describe("auth_uri", () => {
  it("is required when auth_type is v2", () => {
    expect(fault({ auth_uri: undefined })).toBe(
      "auth_uri: found nothing; expected https://…, required when auth_type is v2",
    );
  });

  it("is not required when auth_type is v1, which needs the addresses that its token does not name", () => {
    const legacy = { auth_type: "v1", auth_uri: undefined, rest_uri: "https://rest.example" };
    expect(fault({ ...legacy, soap_uri: "https://soap.example" })).toBe("");
    expect(fault(legacy)).toMatch(/^soap_uri: found nothing; expected https:.*auth_type is v1/);
    expect(fault({ ...legacy, rest_uri: undefined })).toMatch(/^rest_uri: found nothing/);
  });

  it.each([
    ["http://auth.example", "has scheme http; expected https"],
    ["ftp://auth.example", "has scheme ftp; expected https"],
    ["auth.example", "is not a web address"],
    ["https://user:CANARY@auth.example", "contains a user name or password"],
  ])("is an HTTPS URL: not %s", (auth_uri, message) => {
    expect(fault({ auth_uri })).toContain(`auth_uri: ${message}`);
  });

  it.each(["http://127.0.0.1:4000", "http://localhost", "http://[::1]:1"])(
    "may be plain http on this machine alone: %s",
    (auth_uri) => {
      expect(fault({ auth_uri })).toBe("");
    },
  );
});

describe("folder_path", () => {
  it.each(["", "/a", "/a/b c/d", "/a/", "/1/2/3/4/5/6/7/8", `/${"é".repeat(128)}`])(
    "may be %s",
    (folder_path) => {
      expect(fault({ folder_path })).toBe("");
    },
  );

  it.each([
    ["a/b", "starts with a slash", '"a/b" does not start with a slash'],
    ["/1/2/3/4/5/6/7/8/9", "has at most 8 levels", "has 9 folder levels; expected at most 8"],
    ["/a//b", "has no consecutive slashes", '"/a//b" has consecutive slashes'],
    ["//", "has no consecutive slashes at its start", "has consecutive slashes"],
    [
      `/a/${"x".repeat(129)}`,
      "has names of at most 128 characters",
      "129 characters; expected at most 128",
    ],
    ["/a/ /b", "has names that are no blanks", "a blank folder name"],
  ])("%s is refused: it %s", (folder_path, _rule, message) => {
    expect(fault({ folder_path })).toContain(message);
    expect(fault({ folder_path })).toMatch(/^folder_path: /);
  });
});

describe("de_name", () => {
  it("is not empty", () => {
    expect(fault({ de_name: "" })).toBe('de_name: found ""; expected the name of a data extension');
  });
});

describe("primary_column", () => {
  it("is required when create_new_de is true", () => {
    expect(fault({ create_new_de: true })).toBe(
      "primary_column: found nothing; expected one column, required when create_new_de is true",
    );
    expect(fault({ create_new_de: true, primary_column: " " })).toContain('found " "');
  });

  it("is exactly one column (Errors, rule 1)", () => {
    expect(fault({ ...creates, primary_column: "id,time" })).toBe(
      'primary_column: found "id,time", several columns; expected exactly one when create_new_de is true',
    );
    expect(fault({ ...creates, primary_column: ["id"] })).toContain(
      'found ["id"]; expected the name of one column',
    );
  });

  it("is not required otherwise", () => {
    expect(fault({ create_new_de: false })).toBe("");
  });
});

describe("primary_text_length", () => {
  it.each([10, 4000])("may be %i", (primary_text_length) => {
    expect(fault({ ...creates, primary_text_length })).toBe("");
  });

  it.each([9, 4001, 10.5, "100", -1])(
    "is a whole number from 10 to 4000: not %s",
    (primary_text_length) => {
      expect(fault({ ...creates, primary_text_length })).toBe(
        `primary_text_length: found ${JSON.stringify(primary_text_length)}; expected a whole number from 10 to 4000`,
      );
    },
  );
});

describe("column_options", () => {
  it("follows the grammar, of which an error names the rule", () => {
    expect(fault({ ...creates, column_options: "a:TEXT(50);b:DECIMAL(5,2)" })).toBe("");
    expect(fault({ ...creates, column_options: "a:TEXT(0)" })).toBe(
      'column_options: "a:TEXT(0)": expected TEXT(length), a length of 1 to 4000',
    );
  });

  it("is for created data extensions only (create_new_de true)", () => {
    expect(fault({ column_options: "a:TEXT" })).toBe(
      'column_options: found "a:TEXT" with create_new_de false; expected it only when create_new_de is true',
    );
    expect(fault({ column_options: "" })).toBe("");
  });

  it.each(["id:DATE", "id:TEXT(50)", "id:DECIMAL(5,1)"])(
    "leaves the primary column a Long or a Text of primary_text_length: not %s",
    (column_options) => {
      expect(fault({ ...creates, column_options })).toContain(
        "gives the primary column id another type",
      );
    },
  );

  it.each(["id:NUMBER", "id:TEXT"])("may repeat that type: %s", (column_options) => {
    expect(fault({ ...creates, column_options })).toBe("");
  });
});

describe("is_sendable", () => {
  const sendable = { ...creates, is_sendable: true };

  it("requires sendable_rule", () => {
    expect(fault({ ...sendable, sendable_column: "id" })).toBe(
      "sendable_rule: found nothing; expected Subscriber Key or Email Address, required when is_sendable is true",
    );
  });

  it("requires sendable_column", () => {
    expect(fault({ ...sendable, sendable_rule: "Subscriber Key" })).toBe(
      "sendable_column: found nothing; expected one column, required when is_sendable is true",
    );
  });

  it.each(["Subscriber Key", "Email Address"])("uses %s", (sendable_rule) => {
    expect(fault({ ...sendable, sendable_rule, sendable_column: "id" })).toBe("");
  });

  it("uses no other rule", () => {
    expect(fault({ ...sendable, sendable_rule: "Mobile", sendable_column: "id" })).toBe(
      'sendable_rule: found "Mobile"; expected Subscriber Key or Email Address',
    );
  });
});

describe("data_operation", () => {
  it.each(["upsert", "replace"])("may be %s", (data_operation) => {
    expect(parse({ data_operation })["data_operation"]).toBe(data_operation);
  });

  it("may be nothing else", () => {
    expect(fault({ data_operation: "insert" })).toBe(
      'data_operation: found "insert"; expected upsert or replace',
    );
  });
});

describe("records_per_batch", () => {
  it.each([100, 32_000])("may be %i", (records_per_batch) => {
    expect(fault({ async: true, records_per_batch })).toBe("");
  });

  it.each([99, 32_001, 150.5, "200"])(
    "is a whole number from 100 to 32000: not %s",
    (records_per_batch) => {
      expect(fault({ async: true, records_per_batch })).toBe(
        `records_per_batch: found ${JSON.stringify(records_per_batch)}; expected a whole number from 100 to 32000`,
      );
    },
  );
});

describe("a stored credential", () => {
  it("is marked __SAVED__ and needs its authentication", () => {
    expect(fault({ client_secret: "__SAVED__" })).toBe(
      "client_secret: is __SAVED__, but the target has no authentication; set authentication to a stored one",
    );
    expect(fault({ client_secret: "__SAVED__", authentication: "crm" })).toBe("");
  });
});
