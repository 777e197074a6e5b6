/** A file as the rules see it: its words, and what it imports. */
import { type Token, tokenize } from "./tokens.ts";

export interface Source {
  /** From the root of the repository, with forward slashes. */
  file: string;
  tokens: readonly Token[];
  imports: readonly Import[];
}

interface Import {
  specifier: string;
  line: number;
  /** What stands between `import` and `from`; empty for the other forms. */
  names: readonly string[];
}

export interface Finding {
  file: string;
  line: number;
  message: string;
}

export function readSource(file: string, text: string): Source {
  const tokens = tokenize(text);
  return { file, tokens, imports: findImports(tokens) };
}

export const isTest = (file: string) => /\.test\.tsx?$/.test(file) || file.startsWith("tests/");

/** `core/store/testing.ts` and its kind: code for tests that tests of other rooms may use. */
export const isTesting = (file: string) => /\/testing[^/]*$/.test(file);

function findImports(tokens: readonly Token[]): Import[] {
  return tokens.flatMap((token, at) => {
    if (token.kind !== "string" || token.text === "") return [];
    const before = tokens[at - 1];
    const found = { specifier: token.text, line: token.line };
    // `from` before a string is nothing but an import or an export; `Array.from("x")` has a bracket between.
    if (isWord(before, "from")) return { ...found, names: namesBefore(tokens, at - 1) };
    if (isWord(before, "import")) return { ...found, names: [] };
    const calls =
      before?.text === "(" && (isWord(tokens[at - 2], "import") || isWord(tokens[at - 2], "require"));
    return calls ? { ...found, names: [] } : [];
  });
}

function namesBefore(tokens: readonly Token[], from: number): string[] {
  const start = tokens.findLastIndex(
    (token, at) => at < from && (isWord(token, "import") || isWord(token, "export")),
  );
  return tokens.slice(start + 1, from).map((token) => token.text);
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === "word" && token.text === text;
}
