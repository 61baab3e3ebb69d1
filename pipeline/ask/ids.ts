import type { DuckDBConnection } from "@duckdb/node-api";
import type { Question } from "../sql/question.ts";
import type { Report } from "../report/find.ts";
import { idOf } from "../policies/named.ts";

const kinds = ["user", "policy", "database"] as const;

/** The question with ids in place of names: reports of rights are asked by id, also where a former name was given. */
export async function withIds(
  connection: DuckDBConnection,
  { family }: Report,
  question: Question,
  source: string | undefined,
): Promise<Question> {
  if (family !== "access") return question;
  const values = { ...question.values };
  for (const kind of kinds) {
    const given = values[kind]?.value;
    if (typeof given !== "string") continue;
    values[kind] = { ...values[kind]!, value: await idOf(connection, kind, given, source) };
  }
  return { ...question, values };
}
