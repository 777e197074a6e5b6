import { spawn } from "node:child_process";

/** Where `docker` finds its engine and its plugins, where that is not the usual place. */
export interface DockerPlace {
  readonly host?: string | undefined;
  readonly config?: string | undefined;
}

interface ComposeCall {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Texts that none of its words may have in them. */
  readonly hidden?: readonly string[];
  /** Its progress, line by line. */
  readonly say?: (text: string) => void;
}

const notesChars = 64 * 1024;
const mostBytes = 16 * 1024 * 1024;

/** Which Compose a host has: the plugin of `docker`, or the program that was there before it. */
export interface ComposeProgram {
  readonly major: 1 | 2;
  readonly version: string;
  /** `docker compose`, or `docker-compose`. */
  readonly argv: readonly [string, ...string[]];
}

export interface Compose {
  /** Looked for once; undefined when there is none that can be used. */
  which(): Promise<ComposeProgram | undefined>;
  /** By argv: what it wrote to stdout. Throws with its last words, in which no value of the environment stands. */
  run(call: ComposeCall): Promise<string>;
}

const usualPrograms = [["docker", "compose"], ["docker-compose"]] as const;

/** The first of `programs` that is there. */
export function openCompose(
  place: DockerPlace,
  programs: readonly ComposeProgram["argv"][] = usualPrograms,
): Compose {
  let found: Promise<ComposeProgram | undefined> | undefined;

  async function find(): Promise<ComposeProgram | undefined> {
    for (const argv of programs) {
      const told = await call(place, argv, { args: ["version", "--short"] }).catch(() => "");
      const version = told.trim().replace(/^v/, "");
      const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
      if (major >= 2) return { major: 2, version, argv };
      // Before 1.28 it has other options.
      if (major === 1 && minor >= 28) return { major: 1, version, argv };
    }
    return undefined;
  }

  const which = async () => {
    found ??= find();
    const known = await found;
    // It may be installed while the agent runs.
    if (known === undefined) found = undefined;
    return known;
  };

  return {
    which,
    async run(given) {
      const program = await which();
      if (program === undefined)
        throw new Error("there is neither `docker compose` nor `docker-compose` here");
      const plain = program.major === 1 ? ["--ansi", "never"] : ["--ansi", "never", "--progress", "plain"];
      return call(place, program.argv, { ...given, args: [...plain, ...given.args] });
    },
  };
}

function call(
  place: DockerPlace,
  [program, ...first]: ComposeProgram["argv"],
  { args, env = {}, hidden = [], signal, say }: ComposeCall,
): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new Error("it was cancelled"));
    const child = spawn(program, [...first, ...args], {
      env: {
        HOME: "/root",
        LANG: "C.UTF-8",
        ...env,
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        ...(place.host === undefined ? {} : { DOCKER_HOST: place.host }),
        ...(place.config === undefined ? {} : { DOCKER_CONFIG: place.config }),
      },
      cwd: "/",
      // A group of its own: the plugin is another process, and must end with it.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    let bytes = 0;
    let notes = "";
    const hide = hiding(env, hidden);
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    };
    signal?.addEventListener("abort", kill);
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostBytes) kill();
      else out.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (notes.length < notesChars) notes += text;
      say?.(hide(text.trimEnd()));
    });
    child.on("error", reject);
    child.on("close", (code) => {
      signal?.removeEventListener("abort", kill);
      if (code === 0) resolve(Buffer.concat(out).toString("utf8"));
      else if (signal?.aborted) reject(new Error("it was not done in time, or cancelled"));
      else reject(new Error(hide(lastWords(notes)) || `${[program, ...first].join(" ")} ended with ${code}`));
    });
  });
}

/** A value may be a secret; who wrote the file knows what its name stands for. */
function hiding(env: Readonly<Record<string, string>>, hidden: readonly string[]): (text: string) => string {
  const named = Object.entries(env).map(([name, value]) => [value, `\${${name}}`] as const);
  const known = [...named, ...hidden.map((text) => [text, "***"] as const)]
    .filter(([text]) => text.length >= 4)
    .toSorted(([a], [b]) => b.length - a.length);
  return (text) => known.reduce((so, [value, shown]) => so.replaceAll(value, shown), text);
}

function lastWords(notes: string): string {
  const lines = notes.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  const warnings = /level=warning|^ *(Container|Network|Volume) /;
  const telling = lines.filter((line) => !warnings.test(line));
  return (telling.length > 0 ? telling : lines).slice(-3).join("; ").slice(0, 1000);
}
