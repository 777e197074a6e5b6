import { connect } from "@reeve/sdk";
import { defineVerb, flag } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { version as ownVersion } from "../version.ts";

/** Whoever asks for a version wants it now, server or not. */
const patienceMs = 2_000;

export const version = defineVerb<CliDesk>()({
  name: "version",
  group: "server",
  summary: "Show the versions of program and server",
  options: { client: flag("Do not ask the server") },
  example: "reeve version -o json",
  async run(desk, { options }) {
    const server = options.client ? undefined : await serverVersion(desk);
    if (await desk.data({ client: ownVersion, ...(server === undefined ? {} : { server }) })) return 0;
    desk.out(`reeve ${ownVersion}\n`);
    if (server !== undefined) desk.out(`server ${server}\n`);
    return 0;
  },
});

async function serverVersion(desk: CliDesk): Promise<string | undefined> {
  const { current } = desk.contexts.read();
  if ((desk.environment.url ?? desk.environment.context ?? desk.flags.context ?? current) === undefined)
    return undefined;
  try {
    const { url, token, ca } = desk.connection();
    const client = connect({
      url,
      timeoutMs: patienceMs,
      retry: { attempts: 1, withinMs: patienceMs },
      ...(token === undefined ? {} : { token }),
      ...(ca === undefined ? {} : { ca }),
    });
    return (await client.server()).version;
  } catch (error) {
    desk.say(`the server's version is not known: ${(error as Error).message}`);
    return undefined;
  }
}
