import { userList, type User } from "../../schemas/api.ts";
import { AuditlakeError } from "../errors.ts";
import type { Client } from "./client.ts";

/** The user directory (`GET /v3/user/list/`, seed 001, What the service does, rule 2). */
export async function readUsers(client: Client, path: string): Promise<User[]> {
  const { body } = await client.get(path);
  const result = userList.safeParse(parse(body));
  if (!result.success)
    throw new AuditlakeError(
      `GET ${path} is no user list; expected {"users":[{"id":…,"email":…}]} or a bare array`,
    );
  return result.data;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
