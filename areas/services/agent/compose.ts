import { spawn } from "node:child_process";

/** Where `docker` finds its engine and its plugins, where that is not the usual place. */
export interface DockerPlace {
  readonly host?: string | undefined;
  readonly config?: string | undefined;
}

export interface ComposeCall {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Its progress, line by line. */
  readonly say?: (text: string) => void;
}

const notesChars = 64 * 1024;
const mostBytes = 16 * 1024 * 1024;

/** `docker compose` by argv: what it wrote to stdout. Throws with its last words, in which no value of the environment stands. */
export function compose(place: DockerPlace, { args, env = {}, signal, say }: ComposeCall): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new Error("it was cancelled"));
    const child = spawn("docker", ["compose", "--ansi", "never", "--progress", "plain", ...args], {
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
    const hide = hiding(env);
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
      else reject(new Error(hide(lastWords(notes)) || `docker compose ended with ${code}`));
    });
  });
}

/** A value may be a secret; who wrote the file knows what its name stands for. */
function hiding(env: Readonly<Record<string, string>>): (text: string) => string {
  const known = Object.entries(env).filter(([, value]) => value.length >= 4);
  return (text) => known.reduce((so, [name, value]) => so.replaceAll(value, `\${${name}}`), text);
}

function lastWords(notes: string): string {
  const lines = notes.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  const warnings = /level=warning|^ *(Container|Network|Volume) /;
  const telling = lines.filter((line) => !warnings.test(line));
  return (telling.length > 0 ? telling : lines).slice(-3).join("; ").slice(0, 1000);
}
