import { Fault, isObject } from "@reeve/model";
import type { YamlDocument } from "@reeve/model/yaml";

/** A server, and who one is there. */
export interface Context {
  readonly url: string;
  readonly user?: string;
  readonly token?: string;
  readonly expiresAt?: string;
  /** Where one works unless told otherwise. */
  readonly scope?: string;
  /** PEM certificates that the server's own must be signed by. */
  readonly ca?: string;
}

export interface Contexts {
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

const contextFields = ["url", "user", "token", "expiresAt", "scope", "ca"] as const;

/** Checks what is in the file; a wrong field is named with its line. */
export function readContexts({ value, place }: YamlDocument): Contexts {
  const wrong = (pointer: string, why: string) =>
    new Fault("invalid", `${place(pointer)}: ${why}`, {
      next: "correct the file, or remove it and sign in again",
    });
  if (!isObject(value)) throw wrong("", "expected `current` and `contexts`");
  for (const key of Object.keys(value))
    if (key !== "current" && key !== "contexts") throw wrong(`/${key}`, `unknown field ${key}`);
  const { current, contexts = {} } = value;
  if (current !== undefined && typeof current !== "string")
    throw wrong("/current", "expected the name of a context");
  if (!isObject(contexts)) throw wrong("/contexts", "expected contexts by their names");
  for (const [name, context] of Object.entries(contexts)) {
    const at = `/contexts/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!isObject(context) || typeof context.url !== "string") throw wrong(at, "a context needs a url");
    for (const [key, field] of Object.entries(context)) {
      if (!contextFields.some((known) => known === key)) throw wrong(`${at}/${key}`, `unknown field ${key}`);
      if (typeof field !== "string") throw wrong(`${at}/${key}`, `${key} must be text`);
    }
  }
  return {
    ...(current === undefined ? {} : { current }),
    contexts: contexts as unknown as Contexts["contexts"],
  };
}

export function withContext(all: Contexts, name: string, context: Context): Contexts {
  return { current: name, contexts: { ...all.contexts, [name]: context } };
}

export function withoutContext(all: Contexts, name: string): Contexts {
  const { [name]: _gone, ...contexts } = all.contexts;
  return { ...(all.current === name || all.current === undefined ? {} : { current: all.current }), contexts };
}

export function contextNamed(all: Contexts, name: string): Context {
  const found = Object.hasOwn(all.contexts, name) ? all.contexts[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(all.contexts);
  throw new Fault("not_found", `there is no context ${JSON.stringify(name)}`, {
    next: names.length === 0 ? "make one with: reeve login URL" : `the contexts are ${names.join(", ")}`,
  });
}
