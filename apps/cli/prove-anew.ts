import { contextNamed } from "./contexts/contexts.ts";
import type { CliDesk } from "./desk.ts";

/** Proves to the server that the person is still there, asking them unless the proof is given. Its session has another secret then. */
export async function proveAnew(desk: CliDesk, name: string, given?: string): Promise<void> {
  const client = await desk.client();
  const second = await client.hasFactor();
  const { token, expiresAt } = await client.confirm(
    second
      ? { code: given ?? (await askCode(desk)) }
      : { password: given ?? (await desk.ask.secret("Password", { instead: "use --stdin" })) },
  );
  desk.contexts.change((all) => {
    const context = { ...contextNamed(all, name), token, expiresAt };
    return { ...all, contexts: { ...all.contexts, [name]: context } };
  });
}

export function askCode(desk: CliDesk): Promise<string> {
  return desk.ask.secret("Code of your app, or a recovery code", {
    instead: "give it on stdin, after the password",
  });
}
