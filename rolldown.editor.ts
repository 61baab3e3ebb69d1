import { readFileSync } from "node:fs";

// The editor of `serve` with its library in one script: a user's machine has no build step and no such library.
const licence = readFileSync("node_modules/@codemirror/view/LICENSE", "utf8");

type Chunk = { code?: string | undefined };

// Characters that nobody sees are spelt out, as in all that a page holds.
const spellOut = {
  name: "spell-out",
  generateBundle: (_: unknown, chunks: Readonly<Record<string, Chunk>>): void => {
    for (const chunk of Object.values(chunks))
      chunk.code = chunk.code?.replaceAll(
        /[^\n -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
  },
};

export default {
  input: "pipeline/adapters/serve/editor.js",
  plugins: [spellOut],
  output: {
    file: "pipeline/adapters/serve/editor.bundle.js",
    format: "iife",
    minify: true,
    banner: `/*!\n${licence}*/`,
  },
};
