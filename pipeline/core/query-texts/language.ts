import {
  type CommonToken,
  type Lexer,
  type ParseTree,
  CharStreams,
  CommonTokenStream,
  type Parser,
  PredictionMode,
  type Token,
} from "antlr4ng";
import { registerHooks } from "node:module";
import { readHiveStatements } from "./hive.ts";
import type { Statement } from "./part.ts";
import { newTree } from "./tree.ts";
import { readTrinoStatements } from "./trino.ts";

/** The language that a text is read in. */
export type Dialect = "trino" | "hive";

export type Language = {
  readonly dialect: Dialect;
  /** Parses the statements of a text; undefined if the text is not in this language. */
  readonly parseStatements: (text: string) => Statement[] | undefined;
  /** Its words and signs, without spaces and comments. */
  readonly listTokens: (text: string) => Token[];
};

type Grammar = {
  readonly makeLexer: (text: string) => Lexer;
  readonly makeParser: (
    tokens: CommonTokenStream,
  ) => Parser & { readonly program: () => ParseTree };
  readonly read: typeof readTrinoStatements;
};

const hidden = 1;

// The package's files name each other without an ending, which Node does not follow by itself (seen with dt-sql-parser
// 4.5.1).
const inPackage = /[\\/]dt-sql-parser[\\/]/;

/** Loads the grammar of a language; takes a tenth of a second, so it is done where texts are read, not at start. */
export async function loadLanguage(dialect: Dialect): Promise<Language> {
  registerHooks({
    resolve: (name, context, next) =>
      name.startsWith(".") && !name.endsWith(".js") && inPackage.test(context.parentURL ?? "")
        ? next(`${name}.js`, context)
        : next(name, context),
  });
  return newLanguage(dialect, await (dialect === "trino" ? loadTrino() : loadHive()));
}

async function loadTrino(): Promise<Grammar> {
  const { TrinoSqlLexer } = await import("dt-sql-parser/dist/lib/trino/TrinoSqlLexer.js");
  const { TrinoSqlParser } = await import("dt-sql-parser/dist/lib/trino/TrinoSqlParser.js");
  return {
    makeLexer: (text) => new TrinoSqlLexer(CharStreams.fromString(text)),
    makeParser: (tokens) => new TrinoSqlParser(tokens),
    read: readTrinoStatements,
  };
}

async function loadHive(): Promise<Grammar> {
  const { HiveSqlLexer } = await import("dt-sql-parser/dist/lib/hive/HiveSqlLexer.js");
  const { HiveSqlParser } = await import("dt-sql-parser/dist/lib/hive/HiveSqlParser.js");
  return {
    makeLexer: (text) => new HiveSqlLexer(CharStreams.fromString(text)),
    makeParser: (tokens) => new HiveSqlParser(tokens),
    read: readHiveStatements,
  };
}

function newLanguage(dialect: Dialect, { makeLexer, makeParser, read }: Grammar): Language {
  const openTokenStream = (text: string): { tokens: CommonTokenStream; faults: () => number } => {
    const lexer = makeLexer(text);
    let faults = 0;
    lexer.removeErrorListeners();
    lexer.addErrorListener({
      syntaxError: () => (faults += 1),
      reportAmbiguity: () => undefined,
      reportAttemptingFullContext: () => undefined,
      reportContextSensitivity: () => undefined,
    });
    const tokens = new CommonTokenStream(lexer);
    tokens.fill();
    // The Hive grammar takes comments for hints, which it knows behind `select` alone (seen with dt-sql-parser 4.5.1).
    for (const token of tokens.getTokens() as CommonToken[])
      if (token.text?.startsWith("/*") === true) token.channel = hidden;
    tokens.seek(0);
    return { tokens, faults: () => faults };
  };
  return {
    dialect,
    parseStatements: (text) => {
      const { tokens, faults } = openTokenStream(text);
      const parser = makeParser(tokens);
      parser.removeErrorListeners();
      // Enough for all but texts that read two ways, and many times as fast.
      parser.interpreter.predictionMode = PredictionMode.SLL;
      const program = parser.program();
      if (parser.numberOfSyntaxErrors > 0 || faults() > 0) return undefined;
      return read(program, newTree(parser.ruleNames));
    },
    listTokens: (text) => {
      const { tokens } = openTokenStream(text);
      return tokens.getTokens().filter(({ channel, type }) => channel === 0 && type > 0);
    },
  };
}
