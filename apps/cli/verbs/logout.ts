import { defineVerb, Usage } from "@reeve/sdk/cli";
import { contextNamed } from "../contexts/contexts.ts";
import type { CliDesk } from "../desk.ts";

export const logout = defineVerb<CliDesk>()({
  name: "logout",
  group: "access",
  summary: "End the session and forget its token",
  example: "reeve logout",
  async run(desk) {
    const { name } = desk.connection();
    const context = name === undefined ? undefined : contextNamed(desk.contexts.read(), name);
    if (name === undefined || context?.token === undefined)
      throw new Usage("not signed in with a context", "a REEVE_TOKEN is yours to unset");
    try {
      await (await desk.client()).signOut();
    } catch (error) {
      // An API token is no session, and a session may have ended by itself: forgetting is what was asked for.
      desk.say(`the server ended no session: ${(error as Error).message}`);
    }
    const { token: _token, expiresAt: _expiresAt, ...kept } = context;
    desk.contexts.change((all) => ({ ...all, contexts: { ...all.contexts, [name]: kept } }));
    desk.say(`signed out of ${kept.url}`);
    return 0;
  },
});
