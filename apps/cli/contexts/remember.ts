import type { Session } from "@reeve/sdk";
import type { CliDesk } from "../desk.ts";
import { sameServer } from "./connection.ts";
import { type Context, type Contexts, withContext } from "./contexts.ts";

interface Remembered {
  readonly url: string;
  readonly ca: string | undefined;
  readonly session: Pick<Session, "token" | "user"> & Partial<Pick<Session, "expiresAt">>;
  readonly scope?: string;
}

/** Keeps who one is at a server as a context, and makes it the current one. A server known already keeps its name and scope. */
export function rememberSession(desk: CliDesk, { url, ca, session, scope }: Remembered): string {
  let chosen = "";
  desk.contexts.change((all) => {
    chosen = desk.flags.context ?? nameFor(all, url);
    const before = Object.hasOwn(all.contexts, chosen) ? all.contexts[chosen] : undefined;
    const kept = before !== undefined && sameServer(before.url, url) ? before.scope : undefined;
    const standing = scope ?? kept;
    const context: Context = {
      url,
      user: session.user,
      token: session.token,
      ...(session.expiresAt === undefined ? {} : { expiresAt: session.expiresAt }),
      ...(standing === undefined ? {} : { scope: standing }),
      ...(ca === undefined ? {} : { ca }),
    };
    return withContext(all, chosen, context);
  });
  desk.say(`signed in to ${url} as ${session.user}; context ${chosen} is kept in ${desk.contexts.path}`);
  return chosen;
}

function nameFor(all: Contexts, url: string): string {
  const known = Object.entries(all.contexts).find(([, context]) => sameServer(context.url, url));
  return known?.[0] ?? new URL(url).host;
}
