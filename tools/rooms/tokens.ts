/**
 * Enough of a TypeScript lexer to find imports and forbidden words without being fooled by comments, strings,
 * templates or regular expressions. TypeScript 7 offers no JavaScript API to ask instead.
 */
export interface Token {
  kind: "word" | "string" | "mark";
  /** For a string its content; for a template the part before the first `${`. */
  text: string;
  line: number;
}

const BLANK_OR_COMMENT = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|^#![^\n]*)+/y;
const WORD = /[\w$#@\u0080-\uffff]+/y;
// Ends at a line end too, so that an apostrophe in JSX text costs one line and not the rest of the file.
const QUOTED = /"(?:\\[\s\S]|[^"\\\n])*["\n]?|'(?:\\[\s\S]|[^'\\\n])*['\n]?/y;
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*/y;
const TEMPLATE_PART = /(?:\\[\s\S]|\$(?!\{)|[^\\$`])*(?:\$\{|`|$)/y;

/** After these a slash begins a regular expression; after any other word it divides. */
const BEFORE_REGEX = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "delete",
  "void",
  "throw",
  "new",
  "else",
  "await",
]);

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  /** One entry per open `${`: how many braces are open inside it. */
  const templates: number[] = [];
  let at = 0;
  let line = 1;

  while (at < source.length) {
    if (take(BLANK_OR_COMMENT)) continue;
    const char = source[at]!;
    const startLine = line;
    if (char === '"' || char === "'") push("string", take(QUOTED).slice(1, -1), startLine);
    else if (char === "`") template("`");
    else if (char === "}" && templates.at(-1) === 0) {
      templates.pop();
      template("}");
    } else if (char === "/" && regexMayStart(tokens.at(-1)) && take(REGEX)) push("string", "", startLine);
    else mark(char);
  }
  return tokens;

  function mark(char: string) {
    const word = take(WORD);
    if (word) return push("word", word, line);
    if (templates.length > 0 && char === "{") templates[templates.length - 1]! += 1;
    if (templates.length > 0 && char === "}") templates[templates.length - 1]! -= 1;
    at += 1;
    push("mark", char, line);
  }

  function template(opening: "`" | "}") {
    const startLine = line;
    at += 1;
    const part = take(TEMPLATE_PART);
    if (part.endsWith("${")) templates.push(0);
    if (opening === "`") push("string", part.replace(/(?:\$\{|`)$/, ""), startLine);
  }

  function take(pattern: RegExp): string {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0] ?? "";
    at += text.length;
    line += text.split("\n").length - 1;
    return text;
  }

  function push(kind: Token["kind"], text: string, onLine: number) {
    tokens.push({ kind, text, line: onLine });
  }
}

function regexMayStart(before: Token | undefined): boolean {
  if (!before) return true;
  if (before.kind === "word") return BEFORE_REGEX.has(before.text);
  return before.kind === "mark" && !")]}".includes(before.text);
}
