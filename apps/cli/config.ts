import { homedir } from "node:os";
import { join } from "node:path";

/** What the environment says; the only place that reads it. */
export interface Environment {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly scope: string | undefined;
  readonly context: string | undefined;
  readonly configFile: string;
  /** As an argument list: `code --wait` is a program and its flag, never a line for a shell. */
  readonly editor: readonly string[];
  readonly columns: number | undefined;
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const columns = Number(env.COLUMNS);
  return {
    url: given(env.REEVE_URL),
    token: given(env.REEVE_TOKEN),
    scope: env.REEVE_SCOPE,
    context: given(env.REEVE_CONTEXT),
    configFile: given(env.REEVE_CONTEXTS) ?? join(configFolder(env), "reeve", "config.yaml"),
    editor: (given(env.VISUAL) ?? given(env.EDITOR) ?? "vi").trim().split(/\s+/),
    columns: Number.isInteger(columns) && columns > 0 ? columns : undefined,
  };
}

/** styleText looks at NO_COLOR itself; the flag only has to say the same. */
export function forbidColour(): void {
  process.env.NO_COLOR = "1";
  delete process.env.FORCE_COLOR;
}

/** A server's, as `npm start` gives it: malloc gives back what an idle server does not need. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072", ...process.env };
}

function configFolder(env: NodeJS.ProcessEnv): string {
  return given(env.XDG_CONFIG_HOME) ?? join(homedir(), ".config");
}

function given(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}
