/** House rules that one file alone can break: environment, shells, default exports, names. */
import { type Finding, isTest, isTesting, type Source } from "./source.ts";
import type { Token } from "./tokens.ts";

const NO_NAMES = new Set(["utils", "util", "helpers", "helper", "common", "misc", "types"]);

interface Habit {
  message: string;
  /** Files that may. */
  except?: (file: string) => boolean;
  /** The token to point at, or undefined when all is well. */
  broken(source: Source): Token | undefined;
}

const HABITS: readonly Habit[] = [
  {
    message: "process.env is read only in config.ts",
    except: (file) =>
      /(^|\/)config\.ts$|\.config\.ts$|\.mjs$|^tools\//.test(file) || isTest(file) || isTesting(file),
    broken: readsEnvironment,
  },
  { message: "no shells: pass an argv list without `shell`", broken: startsShell },
  { message: "no shells: use execFile or spawn with an argv list", broken: usesExec },
  {
    message: "no default exports",
    // A page is loaded by the router, which asks for its default export.
    except: (file) => /\.config\.ts$|-setup\.ts$|-page\.tsx$/.test(file),
    broken: ({ tokens }) => tokens.find((_, at) => follows(tokens, at, "export", "default")),
  },
];

export function habitFindings(sources: readonly Source[]): Finding[] {
  const written = sources.filter(({ file }) => !file.includes("/gen/"));
  return written.flatMap((source) => [...nameFindings(source.file), ...brokenHabits(source)]);
}

function brokenHabits(source: Source): Finding[] {
  return HABITS.flatMap((habit) => {
    const token = habit.except?.(source.file) ? undefined : habit.broken(source);
    return token ? { file: source.file, line: token.line, message: habit.message } : [];
  });
}

function nameFindings(file: string): Finding[] {
  const bad = file.split("/").find((part) => NO_NAMES.has(part.split(".")[0]!));
  return bad ? [{ file, line: 1, message: `"${bad}" says nothing: name it after what it holds` }] : [];
}

function readsEnvironment({ tokens, imports }: Source): Token | undefined {
  const imported = imports.find(
    (one) => /^(node:)?process$/.test(one.specifier) && one.names.includes("env"),
  );
  if (imported) return { kind: "word", text: "env", line: imported.line };
  return tokens.find(
    (_, at) =>
      follows(tokens, at, "process", ".", "env") ||
      follows(tokens, at, "process", "?", ".", "env") ||
      follows(tokens, at, "process", "[", "env") ||
      (follows(tokens, at, "}", "=", "process") && takesOut(tokens, at, "env")),
  );
}

/** Does the pattern that ends at this brace, `const { env } = …`, take this name out? */
function takesOut(tokens: readonly Token[], end: number, name: string): boolean {
  const start = tokens.findLastIndex((token, at) => at < end && token.text === "{");
  return tokens.slice(start, end).some((token) => token.text === name);
}

function startsShell(source: Source): Token | undefined {
  const { tokens } = source;
  // A `shell: "/bin/bash"` is a shell only to child_process; elsewhere it may be a Unix account's field.
  const spawns = childProcess(source) !== undefined;
  return tokens.find(
    (_, at) =>
      follows(tokens, at, "shell", ":", "true") ||
      (spawns && follows(tokens, at, "shell", ":") && tokens[at + 2]?.kind === "string"),
  );
}

function usesExec(source: Source): Token | undefined {
  const { tokens } = source;
  const names = childProcess(source);
  if (!names) return undefined;
  if (names.length === 0) return tokens.find((token) => token.text.endsWith("child_process")); // import(): unseen use
  const words = ["exec", "execSync"];
  // `pattern.exec(text)` is common, so a call counts only on a name that child_process was imported as.
  return tokens.find((token, at) =>
    words.includes(token.text)
      ? names.includes(token.text) ||
        (tokens[at - 1]?.text === "." && names.includes(tokens[at - 2]?.text ?? ""))
      : false,
  );
}

function childProcess({ imports }: Source): readonly string[] | undefined {
  const found = imports.filter((one) => /^(node:)?child_process$/.test(one.specifier));
  return found.length > 0 ? found.flatMap((one) => one.names) : undefined;
}

function follows(tokens: readonly Token[], at: number, ...texts: string[]): boolean {
  return texts.every((text, offset) => tokens[at + offset]?.text === text);
}
